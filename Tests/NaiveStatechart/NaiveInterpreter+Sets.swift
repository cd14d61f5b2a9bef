extension NaiveInterpreter {
    func computeExitSet(_ transitions: [ModelTransition]) -> OrderedSet<ModelState> {
        var statesToExit = OrderedSet<ModelState>()
        for t in transitions {
            guard let domain = getTransitionDomain(t) else { continue }
            for s in configuration.toList() where s.isDescendant(of: domain) { statesToExit.add(s) }
        }
        return statesToExit
    }

    /// Returns the states that a transition exits for the decision about conflicts. A transition that stays inside its
    /// source does not count the source, which the recommendation has it exit.
    func computeConflictSet(_ t: ModelTransition) -> OrderedSet<ModelState> {
        var statesToExit = computeExitSet([t])
        if !machine.isFirst, getTransitionDomain(t) == t.source { statesToExit.add(t.source) }
        return statesToExit
    }

    /// Computes the states to enter. The pseudo code alone can end in a set of states that is no configuration: if a
    /// history state among the targets is above the domain, or is recorded while the transition is taken. The
    /// recommendation's text on domains decides: "all states that are exited or entered as a result of taking
    /// 'transition' are descendants of it", "ancestors outside of the domain of the transition will not have been
    /// exited".
    ///
    /// - Parameter domains: The result of `getTransitionDomain` for each transition before states were exited.
    func computeEntrySet(
        _ transitions: [ModelTransition], _ domains: [ModelState?], _ statesToEnter: inout OrderedSet<ModelState>,
        _ statesForDefaultEntry: inout OrderedSet<ModelState>
    ) {
        for (t, domain) in zip(transitions, domains) {
            // Difference: an atomic state that is the target of its own transition and not reentered is like no target.
            guard let ancestor = domain, !isAtomicState(ancestor) else { continue }
            var entered = OrderedSet<ModelState>()
            var begun = OrderedSet<ModelState>()
            for s in t.targets { addDescendantStatesToEnter(s.state, &entered, &begun) }
            for s in getEffectiveTargetStates(t.targets.map(\.state)).toList() {
                addAncestorStatesToEnter(s, ancestor, &entered, &begun)
            }
            // Difference: the domain may be parallel; all its regions were exited.
            if ancestor.kind == .parallel { addRegions(of: ancestor, &entered, &begun) }
            for s in entered.toList() where s == ancestor || s.isDescendant(of: ancestor) {
                statesToEnter.add(s)
                if begun.isMember(s) { statesForDefaultEntry.add(s) }
            }
        }
    }

    func addDescendantStatesToEnter(
        _ state: ModelState, _ statesToEnter: inout OrderedSet<ModelState>,
        _ statesForDefaultEntry: inout OrderedSet<ModelState>
    ) {
        if state.isHistory {
            let targets = getHistoryTargets(state)
            for s in targets { addDescendantStatesToEnter(s, &statesToEnter, &statesForDefaultEntry) }
            for s in targets { addAncestorStatesToEnter(s, state.parent, &statesToEnter, &statesForDefaultEntry) }
            return
        }
        statesToEnter.add(state)
        if state.kind == .compound {
            statesForDefaultEntry.add(state)
            let targets = state.initial?.targets.map(\.state) ?? []
            for s in targets { addDescendantStatesToEnter(s, &statesToEnter, &statesForDefaultEntry) }
            for s in targets { addAncestorStatesToEnter(s, state, &statesToEnter, &statesForDefaultEntry) }
        } else if state.kind == .parallel {
            addRegions(of: state, &statesToEnter, &statesForDefaultEntry)
        }
    }

    func addAncestorStatesToEnter(
        _ state: ModelState, _ ancestor: ModelState?, _ statesToEnter: inout OrderedSet<ModelState>,
        _ statesForDefaultEntry: inout OrderedSet<ModelState>
    ) {
        for anc in getProperAncestors(state, ancestor) {
            statesToEnter.add(anc)
            if anc.kind == .parallel { addRegions(of: anc, &statesToEnter, &statesForDefaultEntry) }
        }
    }

    private func addRegions(
        of parallel: ModelState, _ statesToEnter: inout OrderedSet<ModelState>,
        _ statesForDefaultEntry: inout OrderedSet<ModelState>
    ) {
        for child in parallel.childStates where !statesToEnter.some({ $0.isDescendant(of: child) }) {
            addDescendantStatesToEnter(child, &statesToEnter, &statesForDefaultEntry)
        }
    }

    /// Returns a transition's domain. Difference: a transition without `reenter`, to its source or below, has its
    /// source as domain, whatever its type; the root is never exited. A source that is not a target itself, and for
    /// which a history state stands, is exited as in the recommendation; by the rules of 0.1 it is not.
    func getTransitionDomain(_ t: ModelTransition) -> ModelState? {
        let tstates = getEffectiveTargetStates(t.targets.map(\.state))
        if tstates.isEmpty { return nil }
        let isTarget = machine.isFirst || t.targets.contains { $0.state == t.source }
        if !t.reenters, tstates.every({ $0.isDescendant(of: t.source) || $0 == t.source && isTarget }) {
            return t.source
        }
        return findLCCA([t.source] + tstates.toList())
    }

    private func findLCCA(_ stateList: [ModelState]) -> ModelState {
        for anc in getProperAncestors(stateList[0], nil) where anc.kind == .compound {
            if stateList.dropFirst().allSatisfy({ $0.isDescendant(of: anc) }) { return anc }
        }
        return machine.root
    }

    private func getEffectiveTargetStates(_ transitionTargets: [ModelState]) -> OrderedSet<ModelState> {
        var targets = OrderedSet<ModelState>()
        for s in transitionTargets {
            if s.isHistory {
                targets.union(getEffectiveTargetStates(getHistoryTargets(s)))
            } else {
                targets.add(s)
            }
        }
        return targets
    }

    /// Returns the states for a history state. Difference: without a default, these are the initial states of its
    /// parent.
    private func getHistoryTargets(_ h: ModelState) -> [ModelState] {
        if let value = historyValue[h] { return value }
        if let initial = h.initial { return initial.targets.map(\.state) }
        return h.parent?.initial?.targets.map(\.state) ?? h.parent?.childStates ?? []
    }

    /// Returns the ancestors of a state in ancestry order, up to but excluding another state.
    func getProperAncestors(_ state1: ModelState, _ state2: ModelState?) -> [ModelState] {
        if state1 == state2 || state2?.isDescendant(of: state1) == true { return [] }
        var ancestors: [ModelState] = []
        var next = state1.parent
        while let ancestor = next, ancestor != state2 {
            ancestors.append(ancestor)
            next = ancestor.parent
        }
        return ancestors
    }

    func isInFinalState(_ s: ModelState) -> Bool {
        switch s.kind {
        case .compound: s.childStates.contains { $0.kind == .final && configuration.isMember($0) }
        case .parallel: s.childStates.allSatisfy(isInFinalState)
        default: false
        }
    }

    func isAtomicState(_ s: ModelState) -> Bool { s.kind == .atomic || s.kind == .final }

    func documentOrder(_ s1: ModelState, _ s2: ModelState) -> Bool { s1.number < s2.number }

    func entryOrder(_ s1: ModelState, _ s2: ModelState) -> Bool { s1.number < s2.number }

    func exitOrder(_ s1: ModelState, _ s2: ModelState) -> Bool { s1.number > s2.number }
}
