import Drawing
import Statechart

extension XStateDifferences {
    private mutating func note(_ message: String, at line: Int) {
        found.append(ImportDifference(line: line, message: message))
    }

    private func hasInitialActions(_ state: StateIndex) -> Bool {
        !machine[state].isHistory && !(machine[state].initial?.actions.isEmpty ?? true)
    }

    /// Finds a transition of a compound state to itself, if its `initial` has actions.
    mutating func findBeginningAgain(_ transition: Transition) {
        let source = transition.source
        guard !transition.reenters, transition.targets.contains(source), hasInitialActions(source) else { return }
        note(
            "the actions of the 'initial' of '\(machine.key(of: source))' run at this transition to itself; in XState "
                + "they do not", at: transition.line)
    }

    /// Finds a region that is entered again.
    mutating func findReentering(_ transition: Transition) {
        let source = machine[transition.source]
        guard transition.reenters, let parent = source.parent, parent != .root, machine[parent].kind == .parallel,
            !transition.targets.isEmpty,
            transition.targets.allSatisfy({ $0 == source.index || source.isProperAncestor(of: $0) })
        else { return }
        note(
            "this transition leaves '\(machine.key(of: parent))' with all its regions and enters it again, and timers "
                + "begin anew; XState leaves the region alone", at: transition.line)
    }

    /// Finds history that leads back to the source of a transition.
    mutating func findHistoryOfItself(_ transition: Transition) {
        let source = machine[transition.source]
        guard !transition.reenters, !transition.targets.contains(source.index) else { return }
        let name = machine.key(of: source.index)
        let histories = transition.targets.map { machine[$0] }.filter(\.isHistory)
        if histories.contains(where: { machine.mayStand($0, for: source) }) {
            note(
                "where history leads back to '\(name)' itself, the state is left and entered; XState stays in it",
                at: transition.line)
        }
    }

    /// Finds history that leads below a state that stays active.
    mutating func findHistoryBelow(_ transition: Transition) {
        guard let difference = ImportDifference.historyBelow(transition, in: machine, "XState") else { return }
        found.append(difference)
    }

    /// Finds compound states whose `initial` has actions and that are entered in one of two ways. Either history leads
    /// to them, or they are a region that is entered because another region was the target.
    mutating func findInitialActions() {
        let all = machine.transitions.flatMap(\.targets) + machine.states.flatMap { $0.initial?.targets ?? [] }
        var reached: Set<StateIndex> = []
        for history in Set(all).sorted() where machine[history].isHistory {
            reached.formUnion(machine[history].initial?.targets ?? [])
            guard machine[history].kind == .shallowHistory, let parent = machine[history].parent else { continue }
            reached.formUnion(machine[parent].children)
        }
        for state in reached.sorted() where hasInitialActions(state) {
            note(
                "where history leads to '\(machine.key(of: state))', the actions of its 'initial' run; in XState they "
                    + "do not", at: machine[state].line)
        }
        var beside: Set<StateIndex> = []
        for transition in machine.transitions { findRegions(beside: transition, &beside) }
        for region in beside.sorted() {
            note(
                "where a transition leads into another region, the actions of the 'initial' of "
                    + "'\(machine.key(of: region))' run; in XState they do not", at: machine[region].line)
        }
    }

    private mutating func findRegions(beside transition: Transition, _ found: inout Set<StateIndex>) {
        for target in transition.targets {
            for ancestor in ancestors(of: target) where machine[ancestor].kind == .parallel {
                // Transitions that leave the parallel state for another region have their own note.
                guard !machine[ancestor].isProperAncestor(of: transition.source) else { continue }
                for region in machine[ancestor].children where hasInitialActions(region) {
                    guard comparisons > 0 else { return }
                    comparisons -= 1
                    let isTarget = transition.targets.contains {
                        $0 == region || machine[region].isProperAncestor(of: $0)
                    }
                    if !isTarget { found.insert(region) }
                }
            }
        }
    }

    /// Finds a `cancel` of an id that several delayed events share.
    mutating func findCancelled() {
        let actions = machine.actions.flatMap(\.withInner)
        var sends: [String: Int] = [:]
        for case .send(let send) in actions where send.delay != nil {
            if let id = send.id { sends[id, default: 0] += 1 }
        }
        var told: Set<Int> = []
        for case .cancel(let id, let line) in actions where sends[id, default: 0] > 1 && told.insert(line).inserted {
            note("this cancels all delayed events with the id '\(id)'; XState cancels the last of them", at: line)
        }
    }
}

extension Machine {
    /// The actions, without nested actions.
    fileprivate var actions: [Action] {
        states.flatMap { $0.entry + $0.exit + ($0.initial?.actions ?? []) } + transitions.flatMap(\.actions)
    }
}

extension Action {
    /// The action with its nested actions.
    fileprivate var withInner: [Action] {
        switch self {
        case .choose(let branches, _): [self] + branches.flatMap { $0.actions.flatMap(\.withInner) }
        case .foreach(let loop): [self] + loop.actions.flatMap(\.withInner)
        case .assign, .raise, .send, .emit, .cancel, .log, .call: [self]
        }
    }
}
