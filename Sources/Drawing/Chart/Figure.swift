import Statechart

/// A state as it is drawn.
struct Figure {
    let state: StateIndex
    let kind: Scene.Kind
    /// The figure around it; `nil` only for the root.
    let parent: Int?
    let depth: Int
    /// The number of states inside that are not drawn.
    let hidden: Int
    /// The figures inside, in document order.
    var children: [Int] = []

    /// The transitions that are told in the box and have no arrow.
    var references: [Scene.Reference] = []
    /// The transitions inside a folded figure, which have no arrow.
    var hiddenTransitions: [TransitionIndex] = []

    /// True for a region of a parallel state.
    var isRegion = false
    /// True if the figure has figures inside.
    var isContainer: Bool { !children.isEmpty }
}
