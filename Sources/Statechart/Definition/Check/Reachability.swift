extension MachineDraft {
    /// Warns about states that no event can ever make active; reports only the outermost of them.
    func checkReachability(_ diagnostics: inout DiagnosticList) {
        var reachability = Reachability(self)
        let isReached = reachability.reached()
        for state in states.dropFirst() {
            guard !isReached[state.index.offset], let parent = state.parent, isReached[parent.offset] else { continue }
            let what = state.isHistory ? "is the target of nothing" : "cannot be reached"
            diagnostics.warning("\(state.nameInMessages) \(what)", at: state.position)
        }
    }
}

/// Finds all states that can become active, starting at the root. Every event is assumed to be possible.
private struct Reachability {
    private let draft: MachineDraft
    /// The conditions that are never true: `false`, and the names of guards that are `false`.
    private let isFalse: Set<String>
    private var isActive: [Bool]
    /// True for each state that is entered from its beginning, not only on the way to a descendant.
    private var isBegun: [Bool]
    /// True for each state whose beginning was followed, for itself or for a history state that defaults to it.
    private var isFollowed: [Bool]
    // The work lists, instead of recursive calls, because a chain of states may be long.
    private var activated: [StateIndex] = []
    private var begun: [StateIndex] = []
    private var entered: [(parallel: StateIndex, through: StateIndex)] = []

    init(_ draft: MachineDraft) {
        self.draft = draft
        isFalse = Set(draft.namedGuards.filter { $0.condition.text == "false" }.map(\.name.text) + ["false"])
        isActive = Array(repeating: false, count: draft.states.count)
        isBegun = isActive
        isFollowed = isActive
    }

    mutating func reached() -> [Bool] {
        begin(.root)
        while true {
            if let index = begun.popLast() {
                enterBeginning(of: draft[index])
            } else if let (parallel, region) = entered.popLast() {
                beginRegions(of: draft[parallel], except: region)
            } else if let index = activated.popLast() {
                for transition in taken(in: draft[index]) { enter(transition.targets) }
            } else {
                return isActive
            }
        }
    }

    private mutating func enter(_ targets: [TargetDraft]) {
        for target in targets { if let state = target.state { begin(state) } }
    }

    private mutating func begin(_ index: StateIndex) {
        if !isBegun[index.offset] {
            isBegun[index.offset] = true
            begun.append(index)
        }
        activate(index)
    }

    /// Makes a state and its ancestors active; the other regions of entered parallel states begin as well.
    private mutating func activate(_ index: StateIndex) {
        var index = index
        while !isActive[index.offset] {
            isActive[index.offset] = true
            activated.append(index)
            guard let parent = draft[index].parent else { return }
            if draft[parent].kind == .parallel, !isActive[parent.offset] { entered.append((parent, index)) }
            index = parent
        }
    }

    private mutating func enterBeginning(of state: StateDraft) {
        if isFollowed[state.index.offset] { return }
        isFollowed[state.index.offset] = true
        switch state.kind {
        case .compound: enter(state.initial?.targets ?? [])
        case .parallel: beginRegions(of: state, except: nil)
        case .shallowHistory, .deepHistory:
            if let initial = state.initial {
                enter(initial.targets)
            } else if let parent = state.parent {
                enterBeginning(of: draft[parent])
            }
        case .atomic, .final: break
        }
    }

    private mutating func beginRegions(of state: StateDraft, except region: StateIndex?) {
        for child in state.children where child != region && !draft[child].isHistory { begin(child) }
    }

    /// Returns the transitions that can be taken. A guard that is `false`, as in lossy imports, never passes.
    private func taken(in state: StateDraft) -> [TransitionDraft] {
        var takers: [TransitionDraft.Trigger: TransitionDraft] = [:]
        return state.transitions.filter { transition in
            if let condition = transition.condition, isFalse.contains(condition.text) { return false }
            if transition.isGuarded { return true }
            if let taker = takers[transition.trigger], !draft.mayBeTaken(transition, after: taker) { return false }
            takers[transition.trigger] = transition
            return true
        }
    }
}
