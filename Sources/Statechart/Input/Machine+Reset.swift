import WorkflowJSON

extension Machine {
    /// Replaces the instance with the state in the data. No action runs: a reset undoes the state, not past effects.
    ///
    /// - Parameters:
    ///   - event: An event with the data of a `Reset`.
    ///   - now: The instance before the reset, of any machine version. Only its seq and pending items are read, except
    ///     for a clock correction.
    func reset(
        _ event: Event, in now: Snapshot, as identity: InstanceIdentity, _ mode: StepMode
    ) -> Outcome {
        do throws(ResetMistake) {
            let reset = try Reset(event.data, seq: now.seq + 1, of: self)
            guard reset.version == identity.version else { throw ResetMistake("it is of another version") }
            guard reset.data(of: self) == event.data else { throw ResetMistake("it is not written as it would be") }
            guard (reset.clock != nil) == (event.name == Reset.clockEvent) else {
                throw ResetMistake("it does not say for what it is")
            }
            try reset.check(from: now, of: self)
            return .accepted(
                Macrostep(
                    snapshot: reset.snapshot,
                    trace: trace(of: event, ["reset to seq \(reset.seq)"], mode),
                    requests: reset.requests(from: now), cost: 1))
        } catch {
            return .refused(.invalidData(error.message))
        }
    }
}

extension Reset {
    /// Throws if no instance can have this snapshot, or if the reset cannot lead to it.
    fileprivate func check(from now: Snapshot, of machine: Machine) throws(ResetMistake) {
        if let clock { return try check(clock, from: now, of: machine) }
        guard seq > 0, seq <= now.seq else { throw ResetMistake("it goes back to no seq of before") }
        guard machine.isConfiguration(snapshot.configuration) else {
            throw ResetMistake("its states are no configuration")
        }
        let isOver = snapshot.status == .done || snapshot.status == .cancelled
        guard snapshot.armed.isEmpty || !isOver else { throw ResetMistake("something is armed behind the end") }
        guard snapshot.armed.count(where: \.isKept) == (snapshot.status == .failed ? 1 : 0) else {
            throw ResetMistake("it does not say what the instance has failed on")
        }
        let old = snapshot.armed.prefix { $0.id.seq < snapshot.seq }
        let new = snapshot.armed.dropFirst(old.count)
        guard zip(old, old.dropFirst()).allSatisfy({ $0.id < $1.id }), old.allSatisfy(now.goesOn) else {
            throw ResetMistake("something would go on that is not armed")
        }
        guard zip(1..., new).allSatisfy({ $1.id == Pending.ID(seq: snapshot.seq, number: $0) }) else {
            throw ResetMistake("what is armed is not numbered in its order")
        }
        guard begun.map(\.number) == new.filter({ $0.kind == .invocation }).map(\.id.number) else {
            throw ResetMistake("it does not say what invocations ask")
        }
    }

    /// Throws if the reset changes more than due times.
    private func check(_ clock: Int64, from now: Snapshot, of machine: Machine) throws(ResetMistake) {
        var lowered = now
        lowered.armed = zip(now.armed, snapshot.armed).map { $1.due == $0.due ? $0 : $0.lowered(by: clock) }
        // One snapshot was read from its text, the other perhaps not, so the texts are compared.
        let isSame = snapshot.status == now.status && machine.text(of: snapshot) == machine.text(of: lowered)
        guard isSame, snapshot.armed.count == now.armed.count, seq == now.seq, timers == .left, invocations == nil,
            begun.isEmpty
        else {
            throw ResetMistake("it changes more than when something is due")
        }
    }

    /// Returns the requests to cancel ended items and to arm new items.
    fileprivate func requests(from now: Snapshot) -> [Macrostep.Request] {
        let kept = Set(snapshot.armed.map(\.id))
        let ended = now.armed.filter { !kept.contains($0.id) }.map { Macrostep.Request.cancel($0.id) }
        let requests = Dictionary(uniqueKeysWithValues: begun.map { ($0.number, $0.request) })
        return ended
            + snapshot.armed.filter { $0.id.seq == snapshot.seq }.map { pending in
                if pending.kind == .invocation, let request = requests[pending.id.number] {
                    return .invoke(pending, request)
                }
                return .arm(pending)
            }
    }
}

extension Snapshot {
    /// Returns true if an invocation or its timeout continues unchanged.
    fileprivate func goesOn(_ pending: Pending) -> Bool {
        guard pending.invocation != nil, pending.kind != .sent,
            let living = armed.first(where: { $0.id == pending.id })
        else { return false }
        // The item that the instance has failed on may have failed differently since.
        guard living.kind == pending.kind, living.isKept == pending.isKept else { return false }
        if living.isKept { return true }
        return living.due == pending.due && living.event == pending.event && living.data == pending.data
    }
}
