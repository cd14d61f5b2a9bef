import Statechart
import WorkflowCEL

/// Finds the events whose data a definition reads: in guards and actions of their transitions, and of the states that
/// these enter and leave. The result may include too many events, but not too few.
struct EventReads {
    private let machine: Machine

    init(_ machine: Machine) {
        self.machine = machine
    }

    /// Returns true if the definition reads the data of an event.
    func readsData(of event: String) -> Bool {
        var open = machine.transitions.filter { $0.descriptor.map { Self.matches($0, event) } ?? false }
        var seen: Set<TransitionIndex> = []
        while let transition = open.popLast() {
            guard seen.insert(transition.index).inserted else { continue }
            let entered = states(from: transition.targets, notAround: [transition.source])
            let left = states(
                from: transition.targets.isEmpty ? [] : [transition.source], notAround: transition.targets)
            if reads(transition.condition) || reads(transition.actions) || entered.contains(where: readsAtEntry)
                || left.contains(where: { reads($0.exit) })
            {
                return true
            }
            // An event is still available to the eventless transitions that follow.
            open += entered.flatMap { $0.eventless.map { machine[$0] } }
        }
        return false
    }

    private static func matches(_ descriptor: String, _ event: String) -> Bool {
        descriptor == "*" || descriptor == event
            || descriptor.hasSuffix(".*") && (event + ".").hasPrefix(descriptor.dropLast())
    }

    /// Returns the given states, all states below them, and the ancestors that they do not share with the others.
    private func states(from states: [StateIndex], notAround others: [StateIndex]) -> [State] {
        states.flatMap { state -> [State] in
            var top = state
            while let parent = machine[top].parent, parent != .root,
                !others.contains(where: { $0 == parent || machine[parent].isProperAncestor(of: $0) })
            {
                top = parent
            }
            return machine.states[top.offset...machine[top].lastDescendant.offset] + []
        }
    }

    private func readsAtEntry(_ state: State) -> Bool {
        reads(state.entry) || reads(state.initial?.actions ?? []) || state.output.map(reads) ?? false
            || state.timeouts.contains { reads($0.delay) } || state.invocations.contains { reads($0) }
            || state.eventless.contains { reads(machine[$0].condition) }
    }

    private func reads(_ actions: [Action]) -> Bool {
        actions.contains { action in
            switch action {
            case .assign(let assignments, _):
                assignments.contains { assignment in
                    reads(assignment.value)
                        || assignment.path.contains { if case .computed(let key) = $0 { reads(key) } else { false } }
                }
            case .raise(_, let data, _), .emit(_, let data, _): data.map(reads) ?? false
            case .send(let send): (send.data.map(reads) ?? false) || (send.delay.map(reads) ?? false)
            case .cancel: false
            case .log(let expression): reads(expression)
            case .choose(let branches, _): branches.contains { reads($0.condition) || reads($0.actions) }
            case .foreach(let loop): reads(loop.array) || reads(loop.actions)
            case .call(let call): call.action.expressions.contains { reads($0) }
            }
        }
    }

    private func reads(_ invocation: Invocation) -> Bool {
        invocation.action.expressions.contains { reads($0) } || invocation.timeout.map(reads) ?? false
    }

    private func reads(_ delay: Delay) -> Bool {
        if case .expression(let expression) = delay { reads(expression) } else { false }
    }

    private func reads(_ template: Template) -> Bool {
        switch template {
        case .literal: false
        case .expression(let expression): reads(expression)
        case .list(let elements): elements.contains { reads($0) }
        case .map(let members): members.contains { reads($0.value) }
        }
    }

    private func reads(_ expression: Expression?) -> Bool {
        guard let expression, expression.readsEvent else { return false }
        return expression.program.references.contains { reference in
            let place = reference.variable - Vocabulary.firstGuard
            if machine.guards.indices.contains(place) { return reads(machine.guards[place]) }
            return reference.variable == Vocabulary.event
                && (reference.fields.first.map { $0 == "data" } ?? true)
        }
    }
}
