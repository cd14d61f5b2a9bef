extension Machine {
    /// Tells for each event of the machine whether the instance would take it now. Nil when that depends on the event's
    /// data, and for the events after the budget of a macrostep is used up.
    package func acceptance(
        in snapshot: Snapshot, as identity: InstanceIdentity, at time: LogicalTime
    ) -> [(descriptor: String, isAccepted: Bool?)] {
        guard snapshot.status == .running else { return descriptors.map { ($0, false) } }
        // One for all, so that one budget bounds them together.
        var interpreter = Interpreter(
            machine: self, snapshot: snapshot, identity: identity, event: Event(name: "", at: time),
            mode: StepMode(isTracing: false))
        return descriptors.map { ($0, interpreter.isExhausted ? nil : interpreter.isTaken($0)) }
    }

    /// The descriptors of events that the instance takes now, or could take with the right data; sorted.
    package func accepted(in snapshot: Snapshot, as identity: InstanceIdentity, at time: LogicalTime) -> [String] {
        acceptance(in: snapshot, as: identity, at: time).filter { $0.isAccepted != false }.map(\.descriptor)
    }

    /// Whether an active state has a transition for what an instance has failed on, whatever its guard says. Nobody has
    /// to know how invocations end.
    package func takes(again kept: Pending, in snapshot: Snapshot, as identity: InstanceIdentity) -> Bool {
        let event = Event(name: kept.event, at: .zero)
        return kept.invocation != nil
            || !Interpreter(
                machine: self, snapshot: snapshot, identity: identity, event: event, mode: StepMode(isTracing: false)
            )
            .candidates(for: event).isEmpty
    }
}

extension Interpreter {
    /// Guards that do not read the event are asked; one that does, or that fails, leaves the answer open.
    fileprivate mutating func isTaken(_ descriptor: String) -> Bool? {
        let isFamily = descriptor.hasSuffix(".*")
        let name = isFamily ? String(descriptor.dropLast(2)) : descriptor
        event = Event(name: name, at: event.at)
        var isOpen = false
        var isSure = false
        // The budget counts each event for each active state.
        charge(configuration.count)
        for index in candidates(for: event) {
            let transition = machine[index]
            // A family is every name below it, not the name that it begins with.
            if isFamily, transition.descriptor == name { continue }
            guard let condition = transition.condition else {
                isSure = true
                continue
            }
            switch condition.readsEvent ? nil : verdict(of: condition, in: transition.source) {
            case .holds: isSure = true
            case .rejected: break
            case .failed: return nil
            case nil: isOpen = true
            }
        }
        return isSure ? true : isOpen ? nil : false
    }
}
