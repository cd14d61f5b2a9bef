package import Statechart

/// What became of a machine that was written for another program.
package struct ImportedDefinition: Sendable, Equatable {
    /// The definition; `DefinitionReader` reads its text, and its nodes know the places that they came from. Its
    /// description tells the losses.
    package let definition: DefinitionNode
    /// What has no counterpart or was written otherwise, in the order of the text.
    package let notes: [ImportNote]

    /// What is missing without which the machine can go elsewhere than the original, in the order of the text.
    package var losses: [ImportNote] { notes.filter { $0.severity == .loss } }
}

/// One thing to say about a text that was imported, and where.
package struct ImportNote: Sendable, Equatable, CustomStringConvertible {
    /// How much it matters.
    package enum Severity: String, Sendable {
        /// Without an answer to this there is no definition.
        case error
        /// Something of the original is missing in the definition, and without it the machine can go elsewhere.
        case loss
        /// Something of the original is missing in the definition; the machine goes where it went.
        case warning
        /// Something has another name or another form, or is worth knowing.
        case info
    }

    package internal(set) var severity: Severity
    /// Counted from 1.
    package let line: Int
    /// Counted in Unicode scalars, from 1.
    package let column: Int
    /// What it is about, and what stands in the definition instead; no full stop at its end.
    package let message: String

    package init(_ severity: Severity, line: Int, column: Int, _ message: String) {
        self.severity = severity
        self.line = line
        self.column = column
        self.message = message
    }

    package var description: String { "\(line):\(column): \(severity.rawValue): \(message)" }
}

/// Why a text cannot be imported: everything that was found about it, in the order of the text.
package struct ImportError: Error, Equatable {
    /// Holds at least one of severity `error`.
    package let notes: [ImportNote]
}

/// How much one text may ask of an import. Each bound keeps a text of the allowed size from costing more than about a
/// second.
package enum ImportLimits {
    /// UTF-8 bytes of the text; the same as of a definition.
    package static let textBytes = DefinitionLimits.textBytes
    /// Elements within each other; a definition of as many levels would be refused in any case.
    package static let elementNesting = DefinitionLimits.nesting
    /// Attributes of one element; XML readers compare each with each.
    package static let attributes = 100
    /// Parts within each other in one script expression; keeps the recursion over it within a small stack.
    package static let scriptNesting = 50
    /// Operators in one script expression; like nesting, a chain of them is a recursion.
    package static let scriptOperators = 200
    /// Unicode scalars of a function that a note shows.
    static let quotedCode = 300
    /// Transitions that are written out once more to keep the order in which a document tries them.
    package static let repeatedTransitions = 1_000
    /// Notes that are told; the rest is only counted.
    package static let notes = 1_000
    /// Losses that the definition's description tells; the rest is only counted.
    package static let describedLosses = 20
}
