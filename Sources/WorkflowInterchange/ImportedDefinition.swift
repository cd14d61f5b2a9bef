package import Statechart

/// The result of importing a machine that was written for another program.
package struct ImportedDefinition: Sendable, Equatable {
    /// The definition. `DefinitionReader` accepts its text, its nodes know their source places, and its description
    /// lists the losses.
    package let definition: DefinitionNode
    /// The notes about parts without a counterpart or with another form, in the order of the text.
    package let notes: [ImportNote]

    /// The losses: omissions that can change the machine's course, in the order of the text.
    package var losses: [ImportNote] { notes.filter { $0.severity == .loss } }
}

/// A note about a place in an imported text.
package struct ImportNote: Sendable, Equatable, CustomStringConvertible {
    /// The importance of a note.
    package enum Severity: String, Sendable {
        /// A mistake that must be corrected before there is a definition.
        case error
        /// An omission that can change the course of the machine.
        case loss
        /// An omission that does not change the course of the machine.
        case warning
        /// A part with another name or form, or other information.
        case info
    }

    package internal(set) var severity: Severity
    /// The line, counted from 1.
    package let line: Int
    /// The column, counted in Unicode scalars from 1.
    package let column: Int
    /// The subject of the note and its replacement in the definition; without a full stop at the end.
    package let message: String

    package init(_ severity: Severity, line: Int, column: Int, _ message: String) {
        self.severity = severity
        self.line = line
        self.column = column
        self.message = message
    }

    package var description: String { "\(line):\(column): \(severity.rawValue): \(message)" }
}

/// The reasons that a text cannot be imported: all notes, in the order of the text.
package struct ImportError: Error, Equatable {
    /// The notes, at least one of severity `error`.
    package let notes: [ImportNote]
}

/// The limits of an import. Each limit keeps a text of the allowed size from costing more than about a second.
package enum ImportLimits {
    /// The size of the text in UTF-8 bytes; the same as for a definition.
    package static let textBytes = DefinitionLimits.textBytes
    /// The nesting depth of elements. A definition with more levels would be refused in any case.
    package static let elementNesting = DefinitionLimits.nesting
    /// The number of attributes of one element. XML readers compare each attribute with every other.
    package static let attributes = 100
    /// The nesting depth of one script expression; keeps the recursion within a small stack.
    package static let scriptNesting = 50
    /// The number of operators in one script expression. A chain of operators is a recursion, like nesting.
    package static let scriptOperators = 200
    /// The number of Unicode scalars of a function that a note quotes.
    static let quotedCode = 300
    /// The number of transitions that are written a second time to keep the document's order of trying them.
    package static let repeatedTransitions = 1_000
    /// The number of notes that are shown; the rest is only counted.
    package static let notes = 1_000
    /// The number of losses in the definition's description; the rest is only counted.
    package static let describedLosses = 20
}
