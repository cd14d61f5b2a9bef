extension NaiveInterpreter {
    func selectEventlessTransitions() -> OrderedSet<ModelTransition> {
        select { state in state.transitions.filter { $0.trigger == .always } }
    }

    /// - Parameter isInternal: True if the event comes from the internal queue; only there are errors found.
    func selectTransitions(_ event: String, isInternal: Bool = false) -> OrderedSet<ModelTransition> {
        select { state in candidates(in: state, event, isInternal: isInternal) }
    }

    private func select(_ candidates: (ModelState) -> [ModelTransition]) -> OrderedSet<ModelTransition> {
        failedConditions.clear()
        var enabledTransitions = OrderedSet<ModelTransition>()
        let atomicStates = configuration.toList().filter(isAtomicState).sorted(by: documentOrder)
        for state in atomicStates {
            loop: for s in [state] + getProperAncestors(state, nil) {
                for t in candidates(s) where conditionMatch(t) {
                    enabledTransitions.add(t)
                    break loop
                }
            }
        }
        return removeConflictingTransitions(enabledTransitions)
    }

    private func removeConflictingTransitions(
        _ enabledTransitions: OrderedSet<ModelTransition>
    ) -> OrderedSet<ModelTransition> {
        var filteredTransitions = OrderedSet<ModelTransition>()
        for t1 in enabledTransitions.toList() {
            var t1Preempted = false
            var transitionsToRemove = OrderedSet<ModelTransition>()
            for t2 in filteredTransitions.toList() {
                guard computeConflictSet(t1).hasIntersection(computeConflictSet(t2)) else { continue }
                if t1.source.isDescendant(of: t2.source) {
                    transitionsToRemove.add(t2)
                } else {
                    t1Preempted = true
                    break
                }
            }
            if !t1Preempted {
                for t3 in transitionsToRemove.toList() { filteredTransitions.delete(t3) }
                filteredTransitions.add(t1)
            }
        }
        return filteredTransitions
    }

    /// Returns the transitions for an event in their order. Difference: the event's own name comes first, then the
    /// longest `name.*`, then `*`. Equal ones are in document order, with `onDone` after `on`, and those of an
    /// invocation before both. Under `strict` only descriptors that begin with `error` handle errors.
    private func candidates(in state: ModelState, _ event: String, isInternal: Bool) -> [ModelTransition] {
        let isError = isInternal && machine.isStrict && event.hasPrefix("error.")
        var ranked: [(rank: Int, transition: ModelTransition)] = []
        for transition in state.transitions {
            guard let descriptor = transition.descriptor, let rank = rank(of: descriptor, for: event) else { continue }
            if !isError || descriptor.hasPrefix("error") { ranked.append((rank, transition)) }
        }
        let ranks = Set(ranked.map(\.rank)).sorted(by: >)
        return ranks.flatMap { rank in
            let equals = ranked.filter { $0.rank == rank }.map(\.transition)
            let ends = equals.filter { if case .ended = $0.trigger { true } else { false } }
            let others = equals.filter { transition in !ends.contains { $0 === transition } }
            return ends + others.filter { $0.trigger != .done } + others.filter { $0.trigger == .done }
        }
    }

    /// Returns true if a descriptor matches an event.
    func fits(_ descriptor: String, _ event: String) -> Bool { rank(of: descriptor, for: event) != nil }

    /// Returns the rank of a descriptor for an event (`nameMatch`); `nil` if it does not match.
    private func rank(of descriptor: String, for event: String) -> Int? {
        // Difference: `*` takes no event of a timer.
        if descriptor == "*" { return event.hasPrefix("after.") ? nil : 0 }
        if descriptor == event { return .max }
        guard descriptor.hasSuffix(".*") else { return nil }
        let tokens = descriptor.dropLast(2).split(separator: ".")
        return event.split(separator: ".").starts(with: tokens) ? tokens.count : nil
    }

    /// Evaluates a condition (`conditionMatch`). If the evaluation fails, the condition is false and causes an error
    /// (SCXML 5.9.1).
    ///
    /// Difference: a condition is evaluated once in a selection, and the error of an `always` is reported once in a
    /// macrostep.
    private func conditionMatch(_ transition: ModelTransition) -> Bool {
        if let misfire = transition.misfire, late > misfire.limit {
            passedOver.append(transition)
            return false
        }
        guard let condition = transition.condition else { return true }
        do {
            return try holds(condition)
        } catch {
            let isTold = failedConditions.isMember(transition) || failedEventless.isMember(transition)
            failedConditions.add(transition)
            if transition.trigger == .always { failedEventless.add(transition) }
            if !isTold { raise("error.execution") }
            return false
        }
    }

    /// Returns the reason why no transition takes an event.
    func reasonForRefusal(of event: String) -> Observation.Refusal {
        func fits(_ transition: ModelTransition) -> Bool {
            transition.descriptor.map { rank(of: $0, for: event) != nil } ?? false
        }
        if configuration.some({ $0.transitions.contains(where: fits) }) { return .guardRejected }
        return machine.states.contains { $0.transitions.contains(where: fits) } ? .notAccepted : .unknownEvent
    }
}
