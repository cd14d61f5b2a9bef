/// The rules by which a machine version takes steps.
///
/// A change of what a recorded history folds to is a new case. A stored version keeps the rules that it was applied
/// with, so that its history folds to the same for good.
package enum Semantics: Int64, Sendable {
    /// Those of 0.1.
    case first = 1
    case second = 2

    /// What definitions get that are applied now.
    package static let current = Semantics.second
}
