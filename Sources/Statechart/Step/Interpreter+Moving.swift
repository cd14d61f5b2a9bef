import WorkflowJSON

extension Interpreter {
    /// `exitStates`: stores history, then exits all active descendants of the domains, innermost first.
    mutating func exit(_ domains: [StateIndex]) {
        let leaving = domains.flatMap { configuration[activeDescendants(of: $0)] }.sorted()
        chargeWork(StepLimits.movingCost * leaving.count)
        for index in leaving {
            for history in machine[index].histories { remember(history, of: index) }
        }
        for index in leaving.reversed() {
            run(machine[index].exit, of: index)
            leave(machine[index])
            machine.append(index, to: &exited)
            trace?.microsteps.noteExit(index)
        }
    }

    /// Removes a state from the configuration, and cancels the items that it owns.
    mutating func leave(_ state: State) {
        if let plan = machine.plan {
            configuration = state.parent.map { plan.configurations[$0.offset] } ?? []
        } else {
            configuration.remove(at: configuration.firstOffset { $0 >= state.index })
        }
        // After a migration, the item that the instance failed on may be owned by a state that arms nothing.
        guard state.armsAnything || armed.contains(where: { $0.owner == .state(state.index) }) else { return }
        chargePass(statesToInvoke.count)
        statesToInvoke.removeAll { $0 == state.index }
        cancel { $0.owner == .state(state.index) }
    }

    private mutating func remember(_ history: StateIndex, of parent: StateIndex) {
        let isDeep = machine[history].kind == .deepHistory
        let active = configuration[activeDescendants(of: parent)]
        chargePass(memory.count + active.count)
        let states = active.filter { isDeep ? machine[$0].isLeaf : machine[$0].parent == parent }
        memory.removeAll { $0.history == history }
        let place = memory.firstIndex { $0.history > history } ?? memory.endIndex
        memory.insert(HistoryMemory(history: history, states: states), at: place)
    }

    /// `enterStates`: enters states outermost first, each with its entry actions, then handles final states.
    mutating func enter(_ entry: EntrySet) {
        chargeWork(StepLimits.movingCost * entry.states.count)
        for index in entry.states {
            let state = machine[index]
            let offset = configuration.firstOffset { $0 >= index }
            let isActive = offset < configuration.count && configuration[offset] == index
            if !isActive {
                configuration.insert(index, at: offset)
                if index != .root {
                    machine.append(index, to: &entered)
                    trace?.microsteps.noteEntry(index)
                }
                run(state.entry, of: index)
                arm(of: state)
            }
            if entry.defaultEntries.contains(index), let initial = state.initial { run(initial.actions, of: index) }
            if state.kind == .final, !isActive { reachedFinal(state) }
        }
    }

    mutating func reachedFinal(_ state: State) {
        guard let parent = state.parent, parent != .root else {
            isRunning = false
            return
        }
        let data = output(of: state)
        raise("done.state." + machine[parent].id, data: data)
        // A parallel state is done when all its regions are done, whichever ended last. Appendix D checks only the
        // grandparent. By that rule, nested parallel states are never done unless the innermost one ends last.
        var next = machine[parent].parent
        while let index = next, machine[index].kind == .parallel {
            chargeWork(machine[index].children.count / 2)
            guard isInFinalState(index) else { break }
            if index == .root { isRunning = false } else { raise("done.state." + machine[index].id, data: nil) }
            next = machine[index].parent
        }
    }

    private mutating func output(of state: State) -> JSONValue? {
        guard let template = state.output else { return nil }
        do throws(EvaluationFailure) {
            let value = try template.value(in: scope, &budget)
            if let bytes = value.keepableBytes {
                // A failure of `write` already refuses the macrostep.
                try? write(bytes, as: "output", of: state.index, line: state.line)
                return value
            }
            raise(
                ActionFailure(
                    state: state.index, line: state.line, expression: "output",
                    message: "the output would be \(StepLimits.tooLarge)"))
        } catch {
            raise(ActionFailure(error, in: state.index, prefix: "output "))
        }
        return nil
    }

    private func isInFinalState(_ index: StateIndex) -> Bool {
        let state = machine[index]
        return switch state.kind {
        case .compound: state.children.contains { machine[$0].kind == .final && configuration.containsSorted($0) }
        case .parallel: state.children.allSatisfy({ isInFinalState($0) })
        default: false
        }
    }

    /// `exitInterpreter`: exit actions run, but the configuration stays for display.
    mutating func runExitActionsOfFinishedMachine() {
        let shown = configuration
        for index in shown.reversed() {
            run(machine[index].exit, of: index)
            leave(machine[index])
            if machine[index].kind == .final, machine[index].parent == .root { output = output(of: machine[index]) }
        }
        configuration = shown
    }
}

extension [Microstep] {
    mutating func noteExit(_ index: StateIndex) {
        if !isEmpty { self[count - 1].exited.append(index) }
    }

    mutating func noteEntry(_ index: StateIndex) {
        if !isEmpty { self[count - 1].entered.append(index) }
    }
}

/// `computeEntrySet`: the states that a microstep enters.
struct EntrySet {
    private let machine: Machine
    /// The domain of the transition that is being added. States above the domain were not exited, so they are not
    /// entered.
    private var domain = StateIndex.root
    /// The states in document order, which is the order of entry.
    private(set) var states: [StateIndex] = []
    /// The states entered through their initial transition, whose actions run after the entry actions.
    private(set) var defaultEntries: Set<StateIndex> = []
    /// The parallel states with all regions in the set.
    private var wholeParallels: Set<StateIndex> = []

    init(machine: Machine) {
        self.machine = machine
    }

    /// Adds the states that a transition enters.
    ///
    /// - Parameter effective: The targets, with history states replaced by the states that they stand for.
    mutating func add(
        _ targets: [StateIndex], effective: [StateIndex], domain: StateIndex, memory: [HistoryMemory]
    ) {
        self.domain = domain
        for target in targets { addDescendants(of: target, memory: memory) }
        for target in effective { addAncestors(of: target, below: domain, memory: memory) }
        // All regions of a parallel domain were exited, so all are entered again.
        if machine[domain].kind == .parallel { addMissingRegions(of: machine[domain], memory: memory) }
    }

    /// `addDescendantStatesToEnter`. A state that is already active is in the set only for its initial transition, and
    /// is not entered again. Such a state is the source of a transition to itself without `reenter`.
    mutating func addDescendants(of index: StateIndex, memory: [HistoryMemory]) {
        let state = machine[index]
        if state.isHistory {
            let targets = memory.targets(of: state)
            for target in targets { addDescendants(of: target, memory: memory) }
            for target in targets { addAncestors(of: target, below: state.parent, memory: memory) }
            return
        }
        guard isWithinDomain(index) else { return }
        insert(index)
        if state.kind == .parallel { addMissingRegions(of: state, memory: memory) }
        guard state.kind == .compound, let initial = state.initial else { return }
        defaultEntries.insert(index)
        for target in initial.targets { addDescendants(of: target, memory: memory) }
        for target in initial.targets { addAncestors(of: target, below: index, memory: memory) }
    }

    /// `addAncestorStatesToEnter`.
    private mutating func addAncestors(of index: StateIndex, below top: StateIndex?, memory: [HistoryMemory]) {
        var next = index == top ? nil : machine[index].parent
        while let ancestor = next, ancestor != top, isWithinDomain(ancestor) {
            insert(ancestor)
            if machine[ancestor].kind == .parallel { addMissingRegions(of: machine[ancestor], memory: memory) }
            next = machine[ancestor].parent
        }
    }

    private mutating func addMissingRegions(of parallel: State, memory: [HistoryMemory]) {
        guard wholeParallels.insert(parallel.index).inserted else { return }
        for child in parallel.children {
            let first = states.firstOffset { $0 >= child }
            let isEntered = first < states.count && states[first] <= machine[child].lastDescendant
            if !isEntered { addDescendants(of: child, memory: memory) }
        }
    }

    private func isWithinDomain(_ index: StateIndex) -> Bool {
        domain <= index && index <= machine[domain].lastDescendant
    }

    private mutating func insert(_ index: StateIndex) {
        let offset = states.firstOffset { $0 >= index }
        if offset == states.count || states[offset] != index { states.insert(index, at: offset) }
    }
}
