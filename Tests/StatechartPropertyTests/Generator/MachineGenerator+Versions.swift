import NaiveStatechart
import Statechart
import WorkflowJSON

/// Another version of a machine.
struct NextVersion {
    let machine: ModelMachine
    /// The states of this version by those of the previous version that they were made from. Removed states have none.
    let images: [ModelState: ModelState]
    let read: Machine
}

extension MachineGenerator {
    /// Returns the initial data of a machine. Versions differ in the keys `k1`, `k2` and so on, which no action uses.
    mutating func context() -> ModelContext {
        var context = ModelContext()
        for key in random.pick(random.pick([0, 0, 1, 3]) ?? 0, of: Self.keys) { context[key] = initialValue() }
        return context
    }

    static let keys = ["k1", "k2", "k3", "k4"]

    private mutating func initialValue() -> JSONValue {
        random.pick([.int(1), .int(2), .int(3), .double(1.5), .string("a"), .bool(true), .null, [1], ["m": 1]]) ?? .null
    }

    /// Returns another version of a machine; `nil` if the changes leave no legal one.
    ///
    /// - Precondition: The machine is the last that was made.
    mutating func legalVersion(after machine: ModelMachine) -> NextVersion? {
        let (next, images) = changed(machine)
        // Copies without some states may break any rule of the language.
        guard let read = try? StepAdapter.read(next) else { return nil }
        return NextVersion(machine: next, images: images, read: read)
    }

    private mutating func changed(_ machine: ModelMachine) -> (next: ModelMachine, images: [ModelState: ModelState]) {
        added = 0
        var images: [ModelState: ModelState] = [:]
        let (ends, isAlone) = (random.chance(8) ? random.pick(branches(of: machine)) : nil, random.chance(15))
        let gone = ends?.children ?? (isAlone ? othersThanOne(machine.root) : someState(of: machine))
        let next = machine.copy(without: gone, telling: &images)
        if let end = ends.flatMap({ images[$0] }) { finish(end) }
        for key in random.pick(random.pick([0, 0, 1, 2]) ?? 0, of: Self.keys) {
            next.context[key] = random.chance(30) ? nil : initialValue()
        }
        next.isFirst = false
        if random.chance(15) { next.isStrict.toggle() }
        for _ in 0..<1 + random.below(5) {
            states = next.states
            change(next)
            next.index()
        }
        return (next, images)
    }

    /// Returns the states that may become final if they lose their children.
    private func branches(of machine: ModelMachine) -> [ModelState] {
        machine.states.filter { $0.kind == .compound && $0.parent?.kind == .compound && !isRecorder($0) }
    }

    /// Returns all regions of a parallel root except one that can end.
    private mutating func othersThanOne(_ root: ModelState) -> [ModelState] {
        let ends = root.childStates.filter { $0.children.contains { $0.kind == .final } }
        guard root.kind == .parallel, let one = random.pick(ends) else { return [] }
        return root.children.filter { $0 != one }
    }

    private mutating func someState(of machine: ModelMachine) -> [ModelState] {
        guard random.chance(40) else { return [] }
        return random.pick(1, of: machine.states.dropFirst().filter { !isRecorder($0) })
    }

    private func finish(_ state: ModelState) {
        state.kind = .final
        (state.timeouts, state.invocations, state.transitions) = ([], [], [])
    }

    /// Makes one change.
    private mutating func change(_ machine: ModelMachine) {
        let all = machine.states.filter { !isRecorder($0) && !$0.isHistory }
        guard let state = random.pick(all) else { return }
        let timed = all.filter { !$0.timeouts.isEmpty }
        let invoking = all.filter { !$0.invocations.isEmpty }
        switch random.below(20) {
        case 0...2: rename(state)
        case 3: if let state = random.pick(timed + invoking) { leaveAtOnce(state) }
        case 4: swapNames(state)
        case 5...6: wrap(state)
        case 7...8: grow(state)
        case 9: changeKind(state)
        case 10: changeMemory(all)
        case 11: state.id = state.parent == nil ? nil : state.id == nil ? "j\(nextNumber())" : nil
        case 12...14:
            if random.chance(40), let timed = random.pick(timed) { removeTimeouts(of: timed) }
            if state.kind != .final { addTimeouts(to: state) }
        case 15: if let from = random.pick(invoking) { moveInvocations(from, to: state) }
        case 16: if let state = random.pick(invoking) { leaveAtOnce(state) }
        case 17 where state.kind != .final: addInvocations(to: state)
        default:
            state.entry = actions()
            guard state.kind != .final else { return }
            state.transitions.append(transition(of: state, on: .event(random.pick(Self.events) ?? "a")))
        }
    }

    private mutating func nextNumber() -> Int {
        added += 1
        return added
    }

    /// Gives a state a new name, or one that begins like that of a neighbour, as if it were below that state.
    private mutating func rename(_ state: ModelState) {
        guard let parent = state.parent else { return }
        let others = parent.children.filter { $0 != state && !$0.key.contains(".") }
        guard random.chance(25), let other = random.pick(others) else { return state.key = "x\(nextNumber())" }
        state.key = "\(other.key).x\(nextNumber())"
    }

    private mutating func swapNames(_ state: ModelState) {
        guard let other = random.pick(state.parent?.childStates.filter { $0 != state } ?? []) else { return }
        (state.key, other.key) = (other.key, state.key)
    }

    /// Wraps a state in another one, alone or with a region beside it.
    private mutating func wrap(_ state: ModelState) {
        guard let parent = state.parent, state.kind != .final, let place = parent.children.firstIndex(of: state) else {
            return
        }
        let outer = ModelState(key: "x\(nextNumber())", kind: random.chance(60) ? .compound : .parallel)
        outer.parent = parent
        parent.children[place] = outer
        outer.add(state)
        if outer.kind == .parallel {
            outer.add(region())
        } else {
            outer.initial = ModelTransition(of: outer, on: .initial, to: [ModelTarget(state: state, spelling: 0)])
        }
    }

    /// Returns a region that ends by an event or by itself, or one that is a leaf.
    private mutating func region() -> ModelState {
        let region = ModelState(key: "x\(nextNumber())", kind: .atomic)
        if random.chance(60) { begin(region) }
        return region
    }

    /// Adds a child to a state, possibly its first.
    private mutating func grow(_ state: ModelState) {
        switch state.kind {
        case .atomic: begin(state)
        case .compound:
            let child = ModelState(key: "x\(nextNumber())", kind: random.chance(20) ? .final : .atomic)
            state.add(child)
            if random.chance(30) { state.initial?.targets = [ModelTarget(state: child, spelling: 0)] }
        case .parallel: state.add(region())
        case .final, .shallowHistory, .deepHistory: break
        }
    }

    private mutating func begin(_ state: ModelState) {
        state.kind = .compound
        let first = ModelState(key: "x\(nextNumber())", kind: random.chance(10) ? .final : .atomic)
        state.add(first)
        let initial = ModelTransition(of: state, on: .initial, to: [ModelTarget(state: first, spelling: 0)])
        if random.chance(30) { initial.actions = actions() }
        state.initial = initial
        if first.kind == .atomic, random.chance(40) { first.entry = actions() }
        if first.kind == .atomic, hasTimers, random.chance(40) { addTimeouts(to: first) }
        if first.kind == .atomic, hasInvocations, random.chance(40) { addInvocations(to: first) }
    }

    private mutating func changeKind(_ state: ModelState) {
        guard let parent = state.parent, parent.kind == .compound, state.children.isEmpty else { return }
        let wasFinal = state.kind == .final
        finish(state)
        if random.chance(20) {
            state.kind = .shallowHistory
            (state.entry, state.exit, state.id) = ([], [], nil)
        } else if wasFinal {
            state.kind = .atomic
        }
    }

    /// Changes the kind of history states, or adds one.
    private mutating func changeMemory(_ all: [ModelState]) {
        if let history = random.pick(states.filter(\.isHistory)), random.chance(60) {
            history.kind = history.kind == .deepHistory ? .shallowHistory : .deepHistory
            return
        }
        let parents = all.filter { $0.kind == .compound || $0.kind == .parallel }
        random.pick(parents)?.add(
            ModelState(key: "x\(nextNumber())", kind: random.chance(50) ? .shallowHistory : .deepHistory))
    }

    private mutating func removeTimeouts(of state: ModelState) {
        let timeout = state.timeouts.remove(at: random.below(state.timeouts.count))
        state.transitions.removeAll { $0.trigger == .after(timeout.text) }
    }

    /// Removes everything from a state that comes by itself, and adds a transition that leaves the state without it.
    private mutating func leaveAtOnce(_ state: ModelState) {
        let later = state.parent?.childStates.filter { $0.number > state.number } ?? []
        guard state.parent?.kind == .compound, let target = random.pick(later) else { return }
        (state.timeouts, state.invocations) = ([], [])
        state.transitions.removeAll { transition in
            switch transition.trigger {
            case .after, .ended, .always: true
            case .event, .done, .initial: false
            }
        }
        let place = ModelTarget(state: target, spelling: random.below(8))
        state.transitions.append(ModelTransition(of: state, on: .always, to: [place]))
    }

    /// Moves the invocations of a state to another, or removes them.
    private mutating func moveInvocations(_ state: ModelState, to other: ModelState) {
        let moved = state.invocations
        state.invocations = []
        state.transitions.removeAll { if case .ended = $0.trigger { true } else { false } }
        guard random.chance(60), other.kind != .final else { return }
        other.invocations += moved
        for invocation in moved {
            other.transitions.append(transition(of: other, on: .ended(invocation.done)))
        }
    }
}
