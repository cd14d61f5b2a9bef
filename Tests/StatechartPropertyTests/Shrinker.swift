import NaiveStatechart

/// Makes a machine and its stimuli smaller as long as they still show a difference.
struct Shrinker {
    private(set) var machine: ModelMachine
    private(set) var stimuli: [Stimulus]
    /// A function that returns the stimuli, from the first on, with which a machine shows the difference; `nil` if it
    /// does not, or is illegal.
    private let showing: (ModelMachine, [Stimulus]) -> [Stimulus]?
    /// The number of machines that may still be tried; one of ordinary size needs a few hundred.
    private var triesLeft = 4_000

    init(_ machine: ModelMachine, _ stimuli: [Stimulus], showing: @escaping (ModelMachine, [Stimulus]) -> [Stimulus]?) {
        self.machine = machine
        self.stimuli = stimuli
        self.showing = showing
    }

    /// Shrinks until no single change makes the machine smaller.
    mutating func shrink() {
        var isSmaller = true
        while isSmaller, triesLeft > 0 {
            isSmaller = shrinkStimuli()
            isSmaller = shrinkStates() || isSmaller
            isSmaller = shrinkContent() || isSmaller
        }
    }

    private mutating func shrinkStimuli() -> Bool {
        var isSmaller = false
        for place in stimuli.indices.reversed() {
            var fewer = stimuli
            fewer.remove(at: place)
            isSmaller = accept(machine, fewer) || isSmaller
        }
        for place in stimuli.indices {
            guard place < stimuli.count, case .migrate(let version, let plan) = stimuli[place] else { continue }
            for smaller in plan.smaller {
                var simpler = stimuli
                simpler[place] = .migrate(to: version, smaller)
                if accept(machine, simpler) {
                    isSmaller = true
                    break
                }
            }
        }
        return isSmaller
    }

    private mutating func shrinkStates() -> Bool {
        var isSmaller = false
        var number = 1
        while number < machine.states.count {
            let isAccepted = smaller(number).contains { accept($0, stimuli) }
            isSmaller = isSmaller || isAccepted
            if !isAccepted { number += 1 }
        }
        return isSmaller
    }

    /// Returns copies without a state, without its children, and with one of its children in its place.
    private func smaller(_ number: Int) -> [ModelMachine] {
        let state = machine.states[number]
        let lifted = state.children.map { machine.copy(lifting: [state: $0]) }
        return [machine.copy(without: [state])]
            + (state.children.isEmpty ? [] : [machine.copy(without: state.children)]) + lifted
    }

    private mutating func shrinkContent() -> Bool {
        var isSmaller = false
        for number in machine.states.indices {
            var edit = 0
            while let smaller = edited(number, edit) {
                let isAccepted = accept(smaller, stimuli)
                isSmaller = isSmaller || isAccepted
                if !isAccepted { edit += 1 }
            }
        }
        return isSmaller
    }

    /// Returns a copy without one part of one state; `nil` if it has no part of this number.
    private func edited(_ number: Int, _ edit: Int) -> ModelMachine? {
        let copy = machine.copy()
        let state = copy.states[number]
        var edits: [() -> Void] = []
        for place in state.transitions.indices { edits.append { state.transitions.remove(at: place) } }
        for place in state.entry.indices { edits.append { state.entry.remove(at: place) } }
        for place in state.exit.indices { edits.append { state.exit.remove(at: place) } }
        for place in state.timeouts.indices {
            edits.append {
                let timeout = state.timeouts.remove(at: place)
                state.transitions.removeAll { $0.trigger == .after(timeout.text) }
            }
        }
        for place in state.invocations.indices {
            edits.append {
                let invocation = state.invocations.remove(at: place)
                let ends = [invocation.done, invocation.failed].map(ModelTransition.Trigger.ended)
                state.transitions.removeAll { ends.contains($0.trigger) }
            }
            if state.invocations[place].timeout != nil { edits.append { state.invocations[place].timeout = nil } }
            if state.invocations[place].fails { edits.append { state.invocations[place].fails = false } }
        }
        for transition in state.transitions + [state.initial].compactMap({ $0 }) {
            for place in transition.actions.indices { edits.append { transition.actions.remove(at: place) } }
            if transition.reenters { edits.append { transition.reenters = false } }
            if transition.misfire != nil { edits.append { transition.misfire = nil } }
            if transition.condition != nil { edits.append { transition.condition = nil } }
            if transition.targets.count > 1 {
                for place in transition.targets.indices { edits.append { transition.targets.remove(at: place) } }
            }
        }
        if state.id != nil { edits.append { state.id = nil } }
        if state.isHistory, state.initial != nil { edits.append { state.initial = nil } }
        guard edit < edits.count else { return nil }
        edits[edit]()
        copy.index()
        return copy
    }

    /// Keeps a machine and events that still show the difference.
    private mutating func accept(_ machine: ModelMachine, _ stimuli: [Stimulus]) -> Bool {
        guard triesLeft > 0 else { return false }
        triesLeft -= 1
        guard let needed = showing(machine, stimuli) else { return false }
        self.machine = machine
        self.stimuli = needed
        return true
    }
}

extension ModelPlan {
    /// The plans that have one item less.
    fileprivate var smaller: [ModelPlan] {
        var plans: [ModelPlan] = []
        func add(_ change: (inout ModelPlan) -> Void) {
            var plan = self
            change(&plan)
            plans.append(plan)
        }
        for path in map.keys.sorted() { add { $0.map[path] = nil } }
        for key in assign.keys.sorted() { add { $0.assign[key] = nil } }
        for place in drop.indices { add { $0.drop.remove(at: place) } }
        if countsFromNow { add { $0.countsFromNow = false } }
        if cancelsInvocations { add { $0.cancelsInvocations = false } }
        return plans
    }
}
