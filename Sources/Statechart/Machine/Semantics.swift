import WorkflowCEL

/// The rules by which a machine version takes steps.
///
/// A change of what a recorded history folds to is a new case. A stored version keeps the rules that it was applied
/// with, so that its history folds to the same for good.
package enum Semantics: Int64, Sendable {
    /// The rules of 0.1.
    case first = 1
    /// In conflicts, a transition to its source, or to a state below it, counts its source as left. A transition to a
    /// history state that stands for its source leaves and enters the source. Expressions have the second version of
    /// the language. What one macrostep writes and its instance keeps armed has bounds in recorded histories too.
    case second = 2

    /// The rules that definitions get when they are applied now.
    package static let current = Semantics.second

    /// The language of expressions, and of values with a declared type.
    var language: LanguageVersion {
        switch self {
        case .first: .first
        case .second: .second
        }
    }

    /// The bounds for rows that were recorded before the present bounds existed; nil when the present ones always held.
    package var earlierBounds: StepBounds? {
        switch self {
        case .first: .recorded
        case .second: nil
        }
    }
}
