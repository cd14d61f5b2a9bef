/// How much one definition may ask for. Each bound keeps a text of the allowed size from costing more than about a
/// second.
package enum DefinitionLimits {
    /// UTF-8 bytes of the text; the same as the largest body of a request.
    package static let textBytes = 1 << 20
    /// States of one machine: far more than a person can oversee.
    package static let states = 20_000
    /// Levels of maps and lists in the text; keeps every recursion over it within a small stack.
    package static let nesting = 100
    /// Bytes of one name of a machine, state, event or action: what fits a line of a terminal.
    package static let nameBytes = 200
    /// Bytes of one state's path; paths are kept for every state, so this bounds memory.
    package static let pathBytes = 1_000
    /// Actions of one machine, those of named lists and wherever these are written out; lists that name lists multiply.
    package static let actions = 100_000
    /// Named guards that name guards that name guards …: each level takes the stack of a whole evaluation.
    package static let guardNesting = 8
    /// Milliseconds of a delay that is long enough to go round with: a row of history for each, 100 a second at most.
    package static let restingDelay: Int64 = 10
    /// Errors and warnings that are told, each; the rest is only counted.
    package static let diagnostics = 100
    /// Nodes that anchors and aliases could stand for before they are found and refused.
    package static let aliasedNodes = 100_000
    /// UTF-8 bytes of YAML that are read again to find, each time, one more key that stands twice.
    package static let rereadBytes = 1 << 20
}
