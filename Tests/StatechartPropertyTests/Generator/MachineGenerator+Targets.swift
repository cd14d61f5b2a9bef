import NaiveStatechart

extension MachineGenerator {
    /// Returns the initial transition of a compound state: to a child, to a deeper state, or to several states at once.
    mutating func initial(of state: ModelState) -> ModelTransition {
        let initial = ModelTransition(of: state, on: .initial)
        let below = Array(state.subtree.dropFirst())
        if random.chance(25), let several = several(in: below) {
            initial.targets = several
        } else if random.chance(30) {
            initial.targets = targets(random.pick(1, of: below))
        } else {
            initial.targets = targets(random.pick(1, of: random.chance(15) ? state.children : state.childStates))
        }
        if random.chance(20) { initial.actions = actions() }
        return initial
    }

    /// Returns the default of a history state, without actions; `nil` if it uses the initial transition of its parent.
    mutating func fallback(of history: ModelState) -> ModelTransition? {
        guard let parent = history.parent else { return nil }
        // If the parent begins with this very history state, the history state has no initial state to borrow.
        let needsOwn = parent.initial?.targets.contains { $0.state == history } ?? false
        guard needsOwn || random.chance(60) else { return nil }
        let below = parent.subtree.dropFirst().filter { !$0.isHistory }
        let fallback = ModelTransition(of: history, on: .initial)
        let inRegions = below.filter { $0.parent?.parent?.kind == .parallel && $0.parent?.parent != parent }
        if random.chance(30), let several = several(in: [parent] + below) {
            fallback.targets = several
        } else if random.chance(30), !inRegions.isEmpty {
            fallback.targets = targets(random.pick(1, of: inRegions))
        } else {
            fallback.targets = targets(random.pick(1, of: random.chance(50) ? below : parent.childStates))
        }
        return fallback
    }

    /// Returns the targets of a transition: none, one or several.
    mutating func targets(of source: ModelState) -> [ModelTarget] {
        let roll = random.below(100)
        if roll < 10 { return [] }
        if roll < 25, let several = several(in: states) { return several }
        let below = Array(source.subtree.dropFirst())
        let candidates: [ModelState]
        switch roll {
        case 25..<35: candidates = [source]
        case 35..<55: candidates = below.isEmpty ? states : below
        case 55..<65: candidates = states.filter(\.isHistory)
        case 65..<75: candidates = histories(above: source)
        case 75..<80: candidates = source.parent?.children ?? states
        case 80..<82: candidates = [states[0]]
        case 82..<(isFinishing ? 95 : 86): candidates = states.filter { $0.kind == .final }
        default: candidates = Array(states.dropFirst())
        }
        return targets(random.pick(1, of: candidates.isEmpty ? states : candidates))
    }

    /// Returns the history states of a state's ancestors. If some have defaults near the state, returns only those:
    /// their states may be far below them, and so may the domain.
    private func histories(above state: ModelState) -> [ModelState] {
        let above = states.filter { $0.isHistory && $0.parent.map(state.isDescendant) ?? false }
        let near = above.filter { history in
            guard let parent = state.parent, let targets = history.initial?.targets else { return false }
            return parent != history.parent && targets.allSatisfy { $0.state.isDescendant(of: parent) }
        }
        return near.isEmpty ? above : near
    }

    /// Adds a transition within a region of a parallel state to a history state above that state, whose default is in
    /// the same region. Then the domain is far below the history state, which chance alone makes very rarely.
    mutating func plantMemory(in machine: ModelMachine) {
        func isWide(_ state: ModelState) -> Bool { state.kind == .compound && state.childStates.count > 1 }
        let regions = states.filter { isWide($0) && $0.parent?.kind == .parallel && $0.parent?.parent != nil }
        guard let region = random.pick(regions), let parent = region.parent?.parent else { return }
        let ends = random.pick(2, of: region.childStates)
        guard ends[0].kind != .final else { return }
        let history = ModelState(key: "h", kind: random.chance(50) ? .shallowHistory : .deepHistory)
        parent.add(history)
        history.initial = ModelTransition(of: history, on: .initial, to: targets([ends[1]]))
        let event = ModelTransition.Trigger.event(random.pick(Self.events) ?? "a")
        ends[0].transitions.append(ModelTransition(of: ends[0], on: event, to: targets([history])))
        machine.index()
    }

    /// Lets every region end by some event, in a parallel state whose regions include parallel states. By chance alone,
    /// hardly any such state is ever done.
    mutating func plantEnds(in machine: ModelMachine) {
        let nested = states.filter { state in
            state.kind == .parallel && state.parent != nil && state.childStates.contains { $0.kind == .parallel }
        }
        guard let outer = random.pick(nested) else { return }
        var open = [outer]
        while let state = open.popLast() {
            if state.kind == .parallel { open += state.childStates }
            guard state.kind == .compound, let end = state.children.first(where: { $0.kind == .final }) else {
                continue
            }
            for child in state.childStates where child.kind != .final {
                let event = ModelTransition.Trigger.event(random.pick(Self.events) ?? "a")
                child.transitions.append(ModelTransition(of: child, on: event, to: targets([end])))
            }
        }
        let done = ModelTransition(of: outer, on: .done)
        done.actions = actions()
        outer.transitions.append(done)
        machine.index()
    }

    /// Returns two or more states, each in a region of its own of parallel states; `nil` if there are none.
    ///
    /// - Parameter scope: The parallel states whose regions may be chosen, and history states too if it has any.
    mutating func several(in scope: [ModelState]) -> [ModelTarget]? {
        let allowsHistory = scope.contains(where: \.isHistory)
        let parallels = scope.filter { $0.kind == .parallel && $0.childStates.count > 1 }
        guard let parallel = random.pick(parallels) else { return nil }
        let spread = spread(over: parallel, allowsHistory: allowsHistory)
        return targets(random.pick(spread.count, of: spread))
    }

    private mutating func spread(over parallel: ModelState, allowsHistory: Bool) -> [ModelState] {
        let count = 2 + random.below(parallel.childStates.count - 1)
        return random.pick(count, of: parallel.childStates).flatMap { region -> [ModelState] in
            let inside = region.subtree.filter { allowsHistory || !$0.isHistory }
            let deeper = inside.filter { $0.kind == .parallel && $0.childStates.count > 1 }
            if random.chance(40), let next = random.pick(deeper) {
                return spread(over: next, allowsHistory: allowsHistory)
            }
            return random.pick(1, of: inside)
        }
    }

    private mutating func targets(_ states: [ModelState]) -> [ModelTarget] {
        states.map { ModelTarget(state: $0, spelling: random.below(8)) }
    }

    /// Returns any state, as the argument of `In`.
    mutating func place() -> ModelTarget {
        ModelTarget(state: states[random.below(states.count)], spelling: 0)
    }
}
