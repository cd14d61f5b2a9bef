extension Interpreter {
    /// `selectTransitions` and `selectEventlessTransitions`: for each active leaf, selects the first enabled transition
    /// on the path to the root, without preempted transitions.
    mutating func selectTransitions(for selector: Selector) -> [TransitionIndex] {
        let enabled = enabledTransitions(for: selector)
        charge(enabled.count * enabled.count / 16)
        let taken = enabled.count > 1 ? removeConflictingTransitions(enabled) : enabled
        if trace != nil { addFindings(for: selector, enabled: enabled, taken: taken) }
        return taken
    }

    /// Returns, for each active leaf, the first transition on the path to the root whose guard is true.
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

    /// `removeConflictingTransitions`: if two transitions would leave the same state, the descendant's wins, otherwise
    /// the earlier one.
    ///
    /// A transition that stays inside its source counts the source as left, as in SCXML, where such a transition leaves
    /// the source. A transition without a target leaves no state.
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
        // The source directly precedes its descendants.
        return max(0, descendants.lowerBound - 1)..<descendants.upperBound
    }

    /// Returns the range of a state's active descendants in the configuration.
    func activeDescendants(of index: StateIndex) -> Range<Int> {
        let lower = configuration.firstOffset { $0 > index }
        let upper = configuration.firstOffset { $0 > machine[index].lastDescendant }
        return lower..<upper
    }

    /// Returns the domain of a transition in the current configuration; `nil` if the transition has no targets.
    func domain(of transition: Transition) -> StateIndex? {
        guard !transition.targets.isEmpty else { return nil }
        return Machine.domain(
            of: transition, reaching: effectiveTargets(transition.targets), among: machine.states,
            by: machine.semantics)
    }

    /// `getEffectiveTargetStates`: replaces history states with the states that they stand for now.
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
    /// Returns the states that a history state stands for: the remembered states, or else its default.
    func targets(of history: State) -> [StateIndex] {
        first { $0.history == history.index }?.states ?? history.initial?.targets ?? []
    }
}

extension [StateIndex] {
    /// Returns the offset of the first element for which a condition is true. The condition must be true for all
    /// elements after that offset. O(log n).
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
