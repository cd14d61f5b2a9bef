/// A message about a definition, with its position.
package struct Diagnostic: Sendable, Equatable, CustomStringConvertible {
    /// The severity of a diagnostic.
    package enum Severity: String, Sendable {
        /// The definition cannot be used.
        case error
        /// The definition can be used, but probably does not do what its author intends.
        case warning
    }

    package let severity: Severity
    /// The line, counted from 1.
    package let line: Int
    /// The column, counted from 1.
    package let column: Int
    /// The problem, the affected item and the remedy, without a final full stop.
    package let message: String

    package init(_ severity: Severity, line: Int, column: Int, message: String) {
        self.severity = severity
        self.line = line
        self.column = column
        self.message = message
    }

    package var description: String { "\(line):\(column): \(severity.rawValue): \(message)" }
}

/// All mistakes of a definition that cannot be used, in the order of the text.
package struct DefinitionError: Error, Equatable {
    /// The errors and the warnings found with them; at least one is an error.
    package let diagnostics: [Diagnostic]

    package init(diagnostics: [Diagnostic]) {
        self.diagnostics = diagnostics
    }
}
