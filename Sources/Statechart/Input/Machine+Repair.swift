import WorkflowJSON

// Inputs by which a person repairs an instance: one rule for each kind of row.

extension Machine {
    /// Drops the item that the instance failed on.
    func skip(
        _ event: Event, in snapshot: Snapshot, as identity: InstanceIdentity, _ mode: StepMode,
        spending spent: inout Int
    ) -> Outcome {
        guard snapshot.status == .failed, let place = snapshot.armed.firstIndex(where: \.isKept) else {
            return .refused(snapshot.refusal ?? .notAccepted)
        }
        var running = snapshot
        running.status = .running
        let interpreter = Interpreter(
            machine: self, snapshot: running, identity: identity, event: event, taking: place, mode: mode)
        return interpreter.runSettled(spending: &spent)
    }

    /// Suspends the instance: due items wait.
    func suspend(_ event: Event, in snapshot: Snapshot, _ mode: StepMode) -> Outcome {
        if let refusal = snapshot.refusal { return .refused(refusal) }
        var after = snapshot
        after.seq += 1
        after.status = .suspended
        return .accepted(Macrostep(snapshot: after, trace: trace(of: event, [], mode), cost: 1))
    }

    /// Ends a suspension.
    func resume(
        _ event: Event, in snapshot: Snapshot, as identity: InstanceIdentity, _ mode: StepMode,
        spending spent: inout Int
    ) -> Outcome {
        guard snapshot.status == .suspended else { return .refused(snapshot.refusal ?? .notAccepted) }
        var running = snapshot
        running.status = .running
        return settle(event, in: running, as: identity, mode, spending: &spent)
    }

    /// Ends the instance in its current configuration.
    ///
    /// - Parameter event: No exit action runs if the event's data are `{actions: false}`.
    func cancel(
        _ event: Event, in snapshot: Snapshot, as identity: InstanceIdentity, _ mode: StepMode,
        spending spent: inout Int
    ) -> Outcome {
        if snapshot.refusal == .finished { return .refused(.finished) }
        let interpreter = Interpreter(
            machine: self, snapshot: snapshot, identity: identity, event: event, mode: mode)
        return interpreter.runCancelling(
            withActions: event.data?.object?["actions"] != false, spending: &spent)
    }

    /// Changes the context. An instance that is not running settles when it continues.
    ///
    /// - Parameter event: An event with the data of a `ContextChange`.
    func set(
        _ event: Event, in snapshot: Snapshot, as identity: InstanceIdentity, _ mode: StepMode,
        spending spent: inout Int
    ) -> Outcome {
        if snapshot.refusal == .finished { return .refused(.finished) }
        var after = snapshot
        let deeds: [String]
        do throws(ContextMistake) {
            let change = try ContextChange(event.data)
            try change.apply(to: &after.context, of: self)
            deeds = mode.isTracing ? change.deeds : []
        } catch {
            return .refused(.invalidData(error.message))
        }
        if snapshot.status == .running {
            return settle(event, in: after, as: identity, mode, telling: deeds, spending: &spent)
        }
        after.seq += 1
        if let place = after.armed.firstIndex(where: \.isKept) { after.armed[place].isUnsettled = true }
        return .accepted(Macrostep(snapshot: after, trace: trace(of: event, deeds, mode), cost: 1))
    }

    /// Settles a running instance.
    func settle(
        _ event: Event, in running: Snapshot, as identity: InstanceIdentity, _ mode: StepMode,
        telling deeds: [String] = [], spending spent: inout Int
    ) -> Outcome {
        let interpreter = Interpreter(
            machine: self, snapshot: running, identity: identity, event: event, mode: mode)
        return interpreter.runSettled(telling: deeds, spending: &spent)
    }

    /// Returns the trace of a macrostep that takes no transition.
    func trace(of event: Event, _ deeds: [String], _ mode: StepMode) -> StepTrace? {
        guard mode.isTracing else { return nil }
        var microstep = Microstep(event: event.name, transitions: [])
        microstep.deeds = deeds.map { .init(state: .root, line: self[.root].line, text: $0) }
        return StepTrace(microsteps: [microstep])
    }
}
