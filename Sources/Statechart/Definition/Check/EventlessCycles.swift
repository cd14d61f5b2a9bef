extension MachineDraft {
    /// Reports unguarded `always` transitions that lead back to their start: such a machine never becomes stable.
    func checkEventlessCycles(_ diagnostics: inout DiagnosticList) {
        EventlessCycles(self).report(&diagnostics)
    }
}

/// Follows unguarded `always` transitions from leaf to leaf. The walk reports only certain cycles, and ignores
/// transitions that depend on parallel regions or on history.
private struct EventlessCycles {
    /// The next step from an active leaf.
    private struct Step {
        let leaf: StateIndex
        let transition: TransitionDraft
    }

    private let draft: MachineDraft
    /// The number of `always` transitions in the states before each index.
    private let eventlessBefore: [Int]
    /// For each state, the first `always` of the state itself, or of the nearest ancestor that has one.
    private let nearest: [TransitionDraft?]

    init(_ draft: MachineDraft) {
        self.draft = draft
        var before = [0]
        var nearest: [TransitionDraft?] = []
        // A parent precedes its children.
        for state in draft.states {
            before.append(before[before.count - 1] + state.transitions.count { $0.trigger == .always })
            let own = state.transitions.first { $0.trigger == .always }
            nearest.append(own ?? state.parent.flatMap { nearest[$0.offset] })
        }
        eventlessBefore = before
        self.nearest = nearest
    }

    /// Reports the cycles. Each leaf has at most one next step, so every walk ends, or meets an earlier walk or itself.
    func report(_ diagnostics: inout DiagnosticList) {
        var walkOfLeaf: [StateIndex: Int] = [:]
        for start in draft.states.indices.map({ StateIndex($0) }) where draft[start].kind == .atomic {
            var walk: [Step] = []
            var leaf = start
            while walkOfLeaf[leaf] == nil, let step = step(from: leaf) {
                walkOfLeaf[leaf] = start.offset
                walk.append(step)
                leaf = step.leaf
            }
            guard walkOfLeaf[leaf] == start.offset else { continue }
            let first = start == leaf ? 0 : (walk.firstIndex { $0.leaf == leaf } ?? -1) + 1
            report(Array(walk[first...]), from: leaf, &diagnostics)
        }
    }

    private func report(_ cycle: [Step], from leaf: StateIndex, _ diagnostics: inout DiagnosticList) {
        guard let first = cycle.map(\.transition.position).min() else { return }
        let shown = ([leaf] + cycle.map(\.leaf)).map { draft[$0].path }
        let way = shown.count > 6 ? shown.prefix(5) + ["…", draft[leaf].path] : shown[...]
        diagnostics.error("'always' goes round without end: \(way.joined(separator: " -> "))", at: first)
    }

    private func step(from leaf: StateIndex) -> Step? {
        guard isAlone(leaf), let transition = eventless(of: leaf) else { return nil }
        guard let target = transition.targets.first else { return Step(leaf: leaf, transition: transition) }
        guard transition.targets.count == 1, let state = target.state, let next = entered(by: state) else { return nil }
        return Step(leaf: next, transition: transition)
    }

    /// Returns the `always` that an active leaf certainly takes: the first of the nearest state that has one, if
    /// unguarded.
    private func eventless(of leaf: StateIndex) -> TransitionDraft? {
        nearest[leaf.offset].flatMap { $0.isGuarded ? nil : $0 }
    }

    /// Returns the single leaf that is active after entering a state; `nil` if the leaf depends on more than the
    /// definition.
    private func entered(by state: StateIndex) -> StateIndex? {
        var state = state
        while draft[state].kind == .compound {
            guard let targets = draft[state].initial?.targets, targets.count == 1,
                let next = targets[0].state, next > state
            else { return nil }
            state = next
        }
        return draft[state].kind == .atomic ? state : nil
    }

    /// Returns true if no region beside this leaf has an `always` that could intervene.
    private func isAlone(_ leaf: StateIndex) -> Bool {
        var region = leaf
        while let parent = draft[region].parent {
            if draft[parent].kind == .parallel {
                let all = eventless(below: draft[parent]) - eventless(of: parent)
                guard all == eventless(below: draft[region]) else { return false }
            }
            region = parent
        }
        return true
    }

    private func eventless(of state: StateIndex) -> Int {
        eventlessBefore[state.offset + 1] - eventlessBefore[state.offset]
    }

    private func eventless(below state: StateDraft) -> Int {
        eventlessBefore[state.lastDescendant.offset + 1] - eventlessBefore[state.index.offset]
    }
}
