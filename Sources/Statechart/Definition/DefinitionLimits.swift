/// The limits of one definition. Each limit keeps a text of the allowed size from costing more than about a second.
package enum DefinitionLimits {
    /// The most UTF-8 bytes of the text; the same as the largest request body.
    package static let textBytes = 1 << 20
    /// The most states of one machine: far more than a person can survey.
    package static let states = 20_000
    /// The most levels of maps and lists in the text; the limit keeps every recursion over the text within a small
    /// stack.
    package static let nesting = 100
    /// The most bytes of one name of a machine, state, event or action: a name fits on one line of a terminal.
    package static let nameBytes = 200
    /// The most bytes of one state's path. Every state stores its path, so the limit bounds memory.
    package static let pathBytes = 1_000
    /// The most actions of one machine, counted in named lists and in every place that uses them. Lists that name lists
    /// multiply.
    package static let actions = 100_000
    /// The most levels of named guards that name guards; each level takes the stack of a whole evaluation.
    package static let guardNesting = 8
    /// The shortest delay in milliseconds that is acceptable in a cycle. Each round writes a row of history, at most
    /// 100 a second.
    package static let restingDelay: Int64 = 10
    /// The most errors, and the most warnings, that are reported; the rest are only counted.
    package static let diagnostics = 100
    /// The most nodes that anchors and aliases could stand for before they are found and rejected.
    package static let aliasedNodes = 100_000
    /// The most UTF-8 bytes of YAML to parse again in order to find further duplicate keys.
    package static let rereadBytes = 1 << 20
}
