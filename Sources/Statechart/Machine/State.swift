/// One state of a compiled machine. `State` is a class because the step reads states constantly. Copying a struct would
/// retain every reference that the state holds.
package final class State: Sendable {
    /// The kind of the state; a state's kind never changes.
    package enum Kind: String, Sendable {
        case atomic, compound, parallel, final, shallowHistory, deepHistory
    }

    package let index: StateIndex
    /// The parent; `nil` only for the root.
    package let parent: StateIndex?
    /// The keys from the root down, joined by dots; empty for the root.
    package let path: String
    /// The id in `#id` and `done.state.<id>`: the written id, or else the path. The root's id is the machine's name.
    package let id: String
    package let kind: Kind
    /// The last state of this state's subtree in document order; the state itself if it has no children.
    package let lastDescendant: StateIndex
    /// The children that can be active, in document order, without history states.
    package let children: [StateIndex]
    /// The history states among the children.
    package let histories: [StateIndex]
    /// The initial transition of a compound state; for a history state, its default targets without actions.
    package let initial: Initial?
    package let entry: [Action]
    package let exit: [Action]
    /// The timers that run while the state is active, in document order.
    package let timeouts: [Timeout]
    /// The effects that last while the state is active, in document order.
    package let invocations: [Invocation]
    /// The data of `done.state.<parent>`, for a final state; for a top-level final state, the instance's output.
    package let output: Template?
    /// The tags that `hasTag` finds while the state is active, in the order of the definition.
    package let tags: [String]
    /// The transitions of `on`, `after` and `onDone`.
    package let candidates: CandidateTable
    /// The transitions of `always`, in document order.
    package let eventless: [TransitionIndex]
    /// The line of the definition on which the state begins.
    package let line: Int

    package init(
        index: StateIndex, parent: StateIndex?, path: String, id: String, kind: Kind, lastDescendant: StateIndex,
        children: [StateIndex], histories: [StateIndex], initial: Initial?, entry: [Action], exit: [Action],
        timeouts: [Timeout], invocations: [Invocation] = [], output: Template?, tags: [String],
        candidates: CandidateTable,
        eventless: [TransitionIndex], line: Int
    ) {
        self.index = index
        self.parent = parent
        self.path = path
        self.id = id
        self.kind = kind
        self.lastDescendant = lastDescendant
        self.children = children
        self.histories = histories
        self.initial = initial
        self.entry = entry
        self.exit = exit
        self.timeouts = timeouts
        self.invocations = invocations
        self.output = output
        self.tags = tags
        self.candidates = candidates
        self.eventless = eventless
        self.line = line
    }

    /// True if the state is atomic or final, and so has no active children.
    package var isLeaf: Bool { kind == .atomic || kind == .final }

    /// True if entering the state arms timers or invocations, which end with the state.
    var armsAnything: Bool { !timeouts.isEmpty || !invocations.isEmpty }

    /// True if this is a history state, which can be a target but is never active.
    package var isHistory: Bool { kind == .shallowHistory || kind == .deepHistory }

    /// Returns true if another state lies below this state. A state is not its own descendant.
    package func isProperAncestor(of other: StateIndex) -> Bool {
        index < other && other <= lastDescendant
    }
}

/// The initial transition of a compound state (SCXML 3.6), without event and guard.
package struct Initial: Sendable {
    /// One target, or several in different regions of a parallel descendant. All targets are descendants of the state.
    package let targets: [StateIndex]
    /// The actions that run after the state's entry actions, before its children are entered.
    package let actions: [Action]
}
