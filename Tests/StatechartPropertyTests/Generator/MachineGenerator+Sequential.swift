import NaiveStatechart

extension MachineGenerator {
    /// Returns a machine with one active leaf at a time. Half of these machines have no guards, actions and timers, and
    /// the others have some.
    mutating func sequentialMachine() -> ModelMachine {
        let drawn = machine()
        let machine = drawn.copy(without: drawn.states.filter(\.isHistory))
        let share = random.pick([0, 0, 10, 30]) ?? 0
        for state in machine.states {
            if !random.chance(share) { state.entry = [] }
            if !random.chance(share) { state.exit = [] }
            if !random.chance(share) { state.timeouts = [] }
            state.invocations = []
            if state.kind == .parallel { state.kind = .compound }
            if state.kind == .compound, let first = state.childStates.first {
                let initial = state.initial ?? ModelTransition(of: state, on: .initial)
                initial.targets = Array((initial.targets + [ModelTarget(state: first, spelling: 0)]).prefix(1))
                if !random.chance(share) { initial.actions = [] }
                state.initial = initial
            }
            state.transitions = state.transitions.filter { transition in
                transition.targets = Array(transition.targets.prefix(1))
                if !random.chance(share) { transition.actions = [] }
                switch transition.trigger {
                case .ended: return false
                case .after(let delay): return state.timeouts.contains { $0.text == delay }
                case .always: return random.chance(share)
                case .event, .done, .initial:
                    if !random.chance(share) { transition.condition = nil }
                    return true
                }
            }
        }
        machine.index()
        return machine
    }
}
