public import WorkflowJSON

/// One thing to say about a definition, and where.
public struct DefinitionDiagnostic: Hashable, WireObject {
    /// How much it matters.
    public enum Severity: String, CaseIterable, Sendable, WireReadable {
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

    public init(fields: inout WireFields) throws(WireError) {
        severity = try fields.required("severity")
        line = try fields.required("line")
        column = try fields.required("column")
        message = try fields.required("message")
    }

    public func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.field("severity", severity.rawValue)
            writer.field("line", line)
            writer.field("column", column)
            writer.field("message", message)
        }
    }
}
