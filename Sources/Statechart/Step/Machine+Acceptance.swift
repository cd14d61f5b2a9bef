extension Machine {
    /// Returns, for each event of the machine, whether the instance would take the event now. The value is `nil` if the
    /// answer depends on the event's data, and for the events that follow once a macrostep's budget is used up.
    package func acceptance(
        in snapshot: Snapshot, as identity: InstanceIdentity, at time: LogicalTime
    ) -> [(descriptor: String, isAccepted: Bool?)] {
        guard snapshot.status == .running else { return descriptors.map { ($0, false) } }
        // One interpreter for all events, so that one budget bounds them together.
        var interpreter = Interpreter(
            machine: self, snapshot: snapshot, identity: identity, event: Event(name: "", at: time),
            mode: StepMode(isTracing: false))
        return descriptors.map { ($0, interpreter.isExhausted ? nil : interpreter.isTaken($0)) }
    }

    /// Returns whether the instance would take an event now; `nil` if the answer depends on the event's data.
    package func accepts(
        _ event: String, in snapshot: Snapshot, as identity: InstanceIdentity, at time: LogicalTime
    ) -> Bool? {
        guard snapshot.status == .running else { return false }
        var interpreter = Interpreter(
            machine: self, snapshot: snapshot, identity: identity, event: Event(name: event, at: time),
            mode: StepMode(isTracing: false))
        return interpreter.isTaken(isFamily: false)
    }

    /// Returns the descriptors of events that the instance takes now, or could take with suitable data; sorted.
    package func accepted(in snapshot: Snapshot, as identity: InstanceIdentity, at time: LogicalTime) -> [String] {
        acceptance(in: snapshot, as: identity, at: time).filter { $0.isAccepted != false }.map(\.descriptor)
    }

    /// Returns true if an active state has a transition, with any guard, for the item that an instance failed on. The
    /// end of an invocation is always accepted, because a machine need not handle the event.
    package func takes(again kept: Pending, in snapshot: Snapshot, as identity: InstanceIdentity) -> Bool {
        let event = Event(name: kept.event, at: .zero)
        return kept.invocation != nil
            || !Interpreter(
                machine: self, snapshot: snapshot, identity: identity, event: event, mode: StepMode(isTracing: false)
            )
            .candidates(for: .event(event)).isEmpty
    }
}

extension Interpreter {
    fileprivate mutating func isTaken(_ descriptor: String) -> Bool? {
        let isFamily = descriptor.hasSuffix(".*")
        event = Event(name: isFamily ? String(descriptor.dropLast(2)) : descriptor, at: event.at)
        return isTaken(isFamily: isFamily)
    }

    /// Evaluates the guards that do not read the event. Returns `nil` if a guard fails, or if the answer depends on the
    /// event.
    ///
    /// - Parameter isFamily: True for the names below the name of `event`.
    fileprivate mutating func isTaken(isFamily: Bool) -> Bool? {
        var isOpen = false
        var isSure = false
        // The budget is charged for each event and active state.
        charge(configuration.count)
        for index in candidates(for: .event(event)) {
            let transition = machine[index]
            // A family matches the names below its prefix, not the prefix itself.
            if isFamily, transition.descriptor == event.name { continue }
            // Without parallel states, nothing behind a transition that is taken is tried.
            if isSure, machine.plan != nil { break }
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
