/// One state of a compiled machine. A class, because the step looks at states all the time: a copy would count the
/// references of everything that a state has.
package final class State: Sendable {
    /// What kind of state this is; it never changes.
    package enum Kind: String, Sendable {
        case atomic, compound, parallel, final, shallowHistory, deepHistory
    }

    package let index: StateIndex
    /// Nil for the root only.
    package let parent: StateIndex?
    /// The keys from the root down, joined by dots; empty for the root.
    package let path: String
    /// What `#id` and `done.state.<id>` name: the written id, else the path; the root's is the machine's name.
    package let id: String
    package let kind: Kind
    /// The last state, in document order, of this state's subtree; the state itself when it has no children.
    package let lastDescendant: StateIndex
    /// Children that can be active, in document order: history states are not among them.
    package let children: [StateIndex]
    /// The history states among the children.
    package let histories: [StateIndex]
    /// Where a compound state begins. For a history state: its default targets, without actions.
    package let initial: Initial?
    package let entry: [Action]
    package let exit: [Action]
    /// The timers that run while the state is active, in document order.
    package let timeouts: [Timeout]
    /// The effects that live while the state is active, in document order.
    package let invocations: [Invocation]
    /// Of a final state: the data of `done.state.<parent>`; at the top, the instance's output.
    package let output: Template?
    /// What `hasTag` finds while the state is active, in the order of the definition.
    package let tags: [String]
    /// The transitions of `on`, `after` and `onDone`.
    package let candidates: CandidateTable
    /// The transitions of `always`, in their order.
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

    /// Whether the state has no active children of its own: atomic or final.
    package var isLeaf: Bool { kind == .atomic || kind == .final }

    /// Whether something that is armed ends with the state.
    var armsAnything: Bool { !timeouts.isEmpty || !invocations.isEmpty }

    /// Whether this is a history state, which is a target but never active.
    package var isHistory: Bool { kind == .shallowHistory || kind == .deepHistory }

    /// Whether another state lies below this one; a state is not its own descendant.
    package func isProperAncestor(of other: StateIndex) -> Bool {
        index < other && other <= lastDescendant
    }
}

/// The initial transition of a compound state (SCXML 3.6): it has no event and no guard.
package struct Initial: Sendable {
    /// One target, or several in different regions of a parallel descendant; all are descendants.
    package let targets: [StateIndex]
    /// Run after the state's entry actions, before its children are entered.
    package let actions: [Action]

    package init(targets: [StateIndex], actions: [Action]) {
        self.targets = targets
        self.actions = actions
    }
}
