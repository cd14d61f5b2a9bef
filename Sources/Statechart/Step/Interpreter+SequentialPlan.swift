/// The same procedures for machines with one active leaf at a time (`Machine.plan`), without building or searching
/// lists.
extension Interpreter {
    /// `selectTransition` for one leaf: returns the first transition on the path to the root whose guard is true.
    mutating func selectTransition(for selector: Selector) -> TransitionIndex? {
        verdicts.removeAll()
        guard let leaf = configuration.last, machine[leaf].isLeaf else { return nil }
        charge(1)
        if case .eventless = selector, !machine.hasEventless { return nil }
        var next: StateIndex? = leaf
        while let current = next {
            let state = machine[current]
            if !state.candidates.prefixes.isEmpty { chargeWork(1 + state.candidates.prefixes.count / 2) }
            if let transition = state.first(for: selector, where: { holds($0) }) { return transition }
            next = state.parent
        }
        return nil
    }

    /// Exits the states that a transition leaves, runs its actions, and enters its target.
    mutating func move(_ transition: Transition, in plan: SequentialPlan) {
        let domain = plan.domains[transition.index.offset]
        if let domain {
            while let last = configuration.last, last != domain { exit(last) }
        }
        if !transition.actions.isEmpty { run(transition.actions, of: transition.source) }
        // A leaf that is the target of its own transition, without `reenter`, is neither exited nor entered.
        guard let domain, !machine[domain].isLeaf else { return }
        enter(transition.targets[0], below: domain, in: plan)
    }

    private mutating func exit(_ index: StateIndex) {
        let state = machine[index]
        if !state.exit.isEmpty { run(state.exit, of: index) }
        leave(state)
        machine.append(index, to: &exited)
        trace?.microsteps.noteExit(index)
    }

    /// Enters the states between an active state and a target, the target, and the targets of initial transitions.
    mutating func enter(_ target: StateIndex, below top: StateIndex, in plan: SequentialPlan) {
        var top = top
        var target = target
        while true {
            let path = plan.configurations[target.offset]
            for depth in plan.configurations[top.offset].count..<path.count { enter(path[depth], in: plan) }
            let state = machine[target]
            guard state.kind == .compound, let initial = state.initial else { return }
            if !initial.actions.isEmpty { run(initial.actions, of: target) }
            top = target
            target = initial.targets[0]
        }
    }

    /// Enters one state below the last active state.
    mutating func enter(_ index: StateIndex, in plan: SequentialPlan) {
        let state = machine[index]
        configuration = plan.configurations[index.offset]
        if index != .root {
            machine.append(index, to: &entered)
            trace?.microsteps.noteEntry(index)
        }
        if !state.entry.isEmpty { run(state.entry, of: index) }
        if state.armsAnything { arm(of: state) }
        if state.kind == .final { reachedFinal(state) }
    }
}

extension Machine {
    /// Appends a state to a list; the first element allocates no memory.
    func append(_ index: StateIndex, to list: inout [StateIndex]) {
        if list.isEmpty { list = alone[index.offset] } else { list.append(index) }
    }
}
