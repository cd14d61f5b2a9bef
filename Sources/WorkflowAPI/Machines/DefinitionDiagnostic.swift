/// An error or a warning about a definition, with its place.
public struct DefinitionDiagnostic: Hashable, WireRecord {
    /// The severity of a diagnostic.
    public enum Severity: String, WireWord {
        case error, warning
    }

    public var severity: Severity
    /// The line, counted from 1.
    public var line: Int
    /// The column, counted from 1.
    public var column: Int
    public var message: String

    /// Creates a value from its parts.
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
