import WorkflowCEL

/// The rules by which a machine version takes steps.
///
/// Every change to the outcome of folding a recorded history needs a new case. A stored version keeps the rules with
/// which it was applied, so its history always folds to the same result.
package enum Semantics: Int64, Sendable {
    /// The rules of version 0.1.
    case first = 1
    /// The rules after 0.1. In conflicts, a transition to its source, or to a state below its source, counts the source
    /// as left. A transition to a history state that stands for its source leaves and enters the source. Expressions
    /// use the second language version. The bounds on a macrostep's writes and on armed items apply to recorded
    /// histories too.
    case second = 2

    /// The rules of definitions that are applied now.
    package static let current = Semantics.second

    /// The language version of expressions, and of values with a declared type.
    var language: LanguageVersion {
        switch self {
        case .first: .first
        case .second: .second
        }
    }

    /// The bounds for rows that were recorded before the present bounds existed; `nil` if the present bounds always
    /// applied.
    package var earlierBounds: StepBounds? {
        switch self {
        case .first: .recorded
        case .second: nil
        }
    }
}
