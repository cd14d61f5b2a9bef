import NaiveStatechart

extension MachineGenerator {
    /// Gives a state its actions and transitions.
    mutating func fill(_ state: ModelState) {
        if random.chance(30) { state.entry = actions() }
        if random.chance(30) { state.exit = actions() }
        guard state.kind != .final else { return }
        let count = random.pick([0, 1, 1, 2, 2, 3]) ?? 0
        for _ in 0..<count { state.transitions.append(transition(of: state, on: .event(descriptor(for: state)))) }
        let hasChildren = state.kind == .compound || state.kind == .parallel
        if hasChildren, random.chance(isLively ? 50 : 25) { state.transitions.append(transition(of: state, on: .done)) }
        if random.chance(Self.hasExpressions ? 25 : 12), let eventless = eventless(of: state) {
            state.transitions.append(eventless)
        }
        if hasTimers, random.chance(25) { addTimeouts(to: state) }
        if hasInvocations, random.chance(35) { addInvocations(to: state) }
    }

    mutating func transition(
        of state: ModelState, on trigger: ModelTransition.Trigger
    ) -> ModelTransition {
        let transition = ModelTransition(of: state, on: trigger, to: targets(of: state))
        transition.reenters = random.chance(25)
        if random.chance(35) { transition.actions = actions() }
        if Self.hasExpressions, random.chance(30) { transition.condition = condition() }
        return transition
    }

    private mutating func descriptor(for state: ModelState) -> String {
        let roll = random.below(100)
        if roll < 60 { return random.pick(Self.events) ?? "*" }
        if roll < 80 { return random.pick(Self.families) ?? "*" }
        if roll < 85 { return random.pick(["error.execution", "error.other"]) ?? "*" }
        if roll < 88 {
            let own = state.childStates.isEmpty || random.chance(50) ? [] : [state]
            let parents = own.isEmpty ? states.filter { !$0.childStates.isEmpty } : own
            return "done.state.\(parents[random.below(parents.count)].name)"
        }
        if roll < (isLively ? 94 : 90) { return random.pick(Self.marks) ?? "*" }
        return roll < 97 && !isLively ? random.pick(Self.events) ?? "*" : "*"
    }

    /// Returns an `always`. Without a guard it leads to a later state of the document, so that it cannot lead back. It
    /// may also have several targets or a history state, for which nobody can tell before. A certain cycle is a
    /// mistake.
    private mutating func eventless(of state: ModelState) -> ModelTransition? {
        if Self.hasExpressions, random.chance(85) {
            let eventless = transition(of: state, on: .always)
            eventless.condition = condition()
            if random.chance(60) { eventless.actions.append(.count) }
            return eventless
        }
        let later = later(than: state)
        let eventless = ModelTransition(of: state, on: .always)
        eventless.reenters = random.chance(25)
        if random.chance(35) { eventless.actions = actions() }
        if random.chance(5), let several = several(in: states) {
            eventless.targets = several
        } else if random.chance(5), let history = random.pick(states.filter(\.isHistory)) {
            eventless.targets = [ModelTarget(state: history, spelling: random.below(8))]
        } else if let target = random.pick(later) {
            eventless.targets = [ModelTarget(state: target, spelling: random.below(8))]
        } else {
            return nil
        }
        return eventless
    }

    /// Returns the states after a state, in the document, that are not active beside it. A region that is exited is
    /// entered again, and the transition that led out of it would do so again.
    private func later(than state: ModelState) -> [ModelState] {
        let last = state.subtree.last?.number ?? state.number
        return states.filter { other in
            guard other.number > last, !other.isHistory else { return false }
            var common = state.parent
            while let ancestor = common, !other.isDescendant(of: ancestor) { common = ancestor.parent }
            return common?.kind == .compound
        }
    }

    /// Returns a block of actions. Each differs from all others by the event that it raises or the value that it sets.
    mutating func actions() -> [ModelAction] {
        (0..<1 + random.below(3)).map { _ in
            if hasTimers, random.chance(20) { return sending() }
            let roll = random.below(100)
            if Self.hasExpressions, roll < 40 {
                numbers += 1
                return .record(numbers)
            }
            if Self.hasExpressions, roll < 50 { return .count }
            switch roll {
            case ..<(isLively ? 75 : 84):
                marks += 1
                return .raise(Self.marks[(marks - 1) % Self.marks.count])
            case ..<(isLively ? 85 : 97):
                numbers += 1
                return .set(numbers)
            case ..<(isLively ? 88 : 98): return .fail
            case ..<(isLively ? 90 : 99): return .raise("error.other")
            default: return .raise(random.pick(Self.events) ?? "a")
            }
        }
    }

    private mutating func condition() -> ModelGuard {
        random.chance(2) ? .fails : condition(depth: 2)
    }

    private mutating func condition(depth: Int) -> ModelGuard {
        switch random.below(depth > 0 ? 10 : 7) {
        case 0: return .always
        case 1: return .never
        case 2, 3: return .isIn(place())
        case 4: return .isNotIn(place())
        case 5, 6: return .countIsBelow(1 + random.below(6))
        case 7, 8: return .both(condition(depth: depth - 1), condition(depth: depth - 1))
        default: return .either(condition(depth: depth - 1), condition(depth: depth - 1))
        }
    }
}
