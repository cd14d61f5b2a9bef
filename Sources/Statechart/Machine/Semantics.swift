import WorkflowCEL

/// The rules by which a machine version takes steps.
///
/// A change of what a recorded history folds to is a new case. A stored version keeps the rules that it was applied
/// with, so that its history folds to the same for good.
package enum Semantics: Int64, Sendable {
    /// Those of 0.1.
    case first = 1
    /// Conflicts: a transition to its source, or to a state below it, counts its source as left. A history state that
    /// stands for the source has it left and entered. Expressions have the second version of the language. What one
    /// macrostep writes and its instance keeps armed has bounds in recorded histories too.
    case second = 2

    /// What definitions get that are applied now.
    package static let current = Semantics.second

    /// The language of expressions, and of values with a declared type.
    var language: LanguageVersion {
        switch self {
        case .first: .first
        case .second: .second
        }
    }

    /// The bounds of what was recorded before there were those of now; nil where there were always these.
    package var earlierBounds: StepBounds? {
        switch self {
        case .first: .recorded
        case .second: nil
        }
    }
}
