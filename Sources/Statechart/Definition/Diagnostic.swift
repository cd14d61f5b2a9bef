/// One thing to say about a definition, and where.
package struct Diagnostic: Sendable, Equatable, CustomStringConvertible {
    /// How much it matters.
    package enum Severity: String, Sendable {
        /// The definition cannot be used.
        case error
        /// It can be used, but probably does not do what its author means.
        case warning
    }

    package let severity: Severity
    /// Counted from 1.
    package let line: Int
    /// Counted from 1.
    package let column: Int
    /// What is wrong, on which thing, and what to do; no full stop at its end.
    package let message: String

    package init(_ severity: Severity, line: Int, column: Int, message: String) {
        self.severity = severity
        self.line = line
        self.column = column
        self.message = message
    }

    package var description: String { "\(line):\(column): \(severity.rawValue): \(message)" }
}

/// Every mistake of a definition that cannot be used, in the order of the text.
package struct DefinitionError: Error, Equatable {
    /// Errors, and the warnings found beside them. Holds at least one error.
    package let diagnostics: [Diagnostic]

    package init(diagnostics: [Diagnostic]) {
        self.diagnostics = diagnostics
    }
}
