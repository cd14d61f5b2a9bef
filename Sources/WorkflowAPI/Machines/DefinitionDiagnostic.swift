/// One thing to say about a definition, and where.
public struct DefinitionDiagnostic: Hashable, WireRecord {
    /// How much it matters.
    public enum Severity: String, WireWord {
        case error, warning
    }

    public var severity: Severity
    /// Counted from 1.
    public var line: Int
    /// Counted from 1.
    public var column: Int
    public var message: String

    /// Takes the parts as they are.
    public init(severity: Severity, line: Int, column: Int, message: String) {
        self.severity = severity
        self.line = line
        self.column = column
        self.message = message
    }

    public init<Fields: FieldVisitor<Self>>(fields: inout Fields) throws(Fields.Failure) {
        severity = try fields.required("severity", \.severity)
        line = try fields.required("line", \.line)
        column = try fields.required("column", \.column)
        message = try fields.required("message", \.message)
    }
}
