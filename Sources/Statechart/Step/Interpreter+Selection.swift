extension Interpreter {
    /// `selectTransitions` and `selectEventlessTransitions`: for each active leaf the first transition on its way to
    /// the root, without those that another one preempts.
    mutating func selectTransitions(for selector: Selector) -> [TransitionIndex] {
        let enabled = enabledTransitions(for: selector)
        charge(enabled.count * enabled.count / 16)
        return enabled.count > 1 ? removeConflictingTransitions(enabled) : enabled
    }

    /// For each active leaf the first transition on its way to the root whose guard holds.
    mutating func enabledTransitions(for selector: Selector) -> [TransitionIndex] {
        verdicts.removeAll()
        var enabled: [TransitionIndex] = []
        for index in configuration where machine[index].isLeaf {
            charge(1 + enabled.count / 16)
            var next: StateIndex? = index
            while let current = next {
                let state = machine[current]
                if !state.candidates.prefixes.isEmpty { chargeWork(1 + state.candidates.prefixes.count / 2) }
                if let transition = state.first(for: selector, where: { holds($0) }) {
                    if !enabled.contains(transition) { enabled.append(transition) }
                    break
                }
                next = state.parent
            }
        }
        return enabled
    }

    /// `removeConflictingTransitions`: of two that would leave the same state, the one of the descendant wins, else the
    /// earlier one.
    ///
    /// A transition that stays inside its source counts it as left, as in SCXML, where such a transition leaves it.
    /// Without a target it leaves nothing.
    func removeConflictingTransitions(_ enabled: [TransitionIndex]) -> [TransitionIndex] {
        var filtered: [TransitionIndex] = []
        for candidate in enabled {
            let source = machine[candidate].source
            let exitSet = conflictingSet(of: candidate)
            var preempted: [TransitionIndex] = []
            var isPreempted = false
            for other in filtered where exitSet.overlaps(conflictingSet(of: other)) {
                guard machine[machine[other].source].isProperAncestor(of: source) else {
                    isPreempted = true
                    break
                }
                preempted.append(other)
            }
            if isPreempted { continue }
            filtered.removeAll(where: preempted.contains)
            filtered.append(candidate)
        }
        return filtered
    }

    /// Returns the active states that a transition leaves, or counts as left.
    private func conflictingSet(of transition: TransitionIndex) -> Range<Int> {
        guard let domain = domain(of: machine[transition]) else { return 0..<0 }
        let descendants = activeDescendants(of: domain)
        guard machine.semantics != .first, domain == machine[transition].source else { return descendants }
        // The source stands in front of its descendants.
        return max(0, descendants.lowerBound - 1)..<descendants.upperBound
    }

    /// Where the active descendants of a state stand in the configuration.
    func activeDescendants(of index: StateIndex) -> Range<Int> {
        let lower = configuration.firstOffset { $0 > index }
        let upper = configuration.firstOffset { $0 > machine[index].lastDescendant }
        return lower..<upper
    }

    /// The domain of a transition as things are now; nil when there are no targets.
    func domain(of transition: Transition) -> StateIndex? {
        guard !transition.targets.isEmpty else { return nil }
        return Machine.domain(
            of: transition, reaching: effectiveTargets(transition.targets), among: machine.states,
            by: machine.semantics)
    }

    /// `getEffectiveTargetStates`: history states replaced by what they stand for now.
    func effectiveTargets(_ targets: [StateIndex]) -> [StateIndex] {
        guard targets.contains(where: { machine[$0].isHistory }) else { return targets }
        var effective: [StateIndex] = []
        for target in targets {
            let resolved =
                machine[target].isHistory ? effectiveTargets(memory.targets(of: machine[target])) : [target]
            for state in resolved where !effective.contains(state) { effective.append(state) }
        }
        return effective
    }
}

extension [HistoryMemory] {
    /// What a history state stands for: what it remembers, else its default.
    func targets(of history: State) -> [StateIndex] {
        first { $0.history == history.index }?.states ?? history.initial?.targets ?? []
    }
}

extension [StateIndex] {
    /// The offset of the first element for which a condition holds; it holds for all that follow. O(log n).
    func firstOffset(where condition: (StateIndex) -> Bool) -> Int {
        var low = 0
        var high = count
        while low < high {
            let middle = (low + high) / 2
            if condition(self[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
