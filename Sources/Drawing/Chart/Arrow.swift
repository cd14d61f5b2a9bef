import Statechart

/// An arrow between two figures: all transitions between them, in the order of the definition.
struct Arrow {
    /// The cause of an arrow.
    enum Kind {
        case transition
        /// From the dot in a compound state to the child with which it begins.
        case initial
        /// From a history state to its default target.
        case fallback
    }

    let source: Int
    let target: Int
    let kind: Kind
    var transitions: [TransitionIndex] = []
    var label = ArrowLabel()

    /// True for an arrow from a state to itself.
    var isLoop: Bool { source == target && kind != .initial }
}
