import WorkflowJSON

/// SCXML's `send` and `cancel` (6.2, 6.3), and `after`, which the language has in place of a `send` in `onentry` and a
/// `cancel` in `onexit`.
extension NaiveInterpreter {
    /// The most timers and sent events that an instance may have at a time.
    static let mostPending = 10_000

    /// The next item that comes by itself: events that were sent without delay in their order, then the timer that is
    /// due first. Of two that are due at the same time, the one that was armed first.
    var next: NaivePending? {
        var next = pending.first(where: \.isImmediate)
        if next != nil { return next }
        for candidate in pending where !candidate.isInvocation && next.map({ candidate.due < $0.due }) ?? true {
            next = candidate
        }
        return next
    }

    /// Takes the next item that comes by itself, if it is due; `nil` if none is.
    package func takeOwn(at now: Int64) -> OwnObservation? {
        guard running, !hasFailed, !isSuspended, let next, next.isImmediate || next.due <= now else { return nil }
        return OwnObservation(event: next.event, observation: take(next, at: max(next.due, time), firedAt: now))
    }

    /// Takes a pending item.
    ///
    /// - Parameters:
    ///   - at: The item's logical time.
    ///   - firedAt: The clock's time, which decides whether it is too late.
    func take(_ own: NaivePending, at: Int64, firedAt: Int64) -> Observation {
        // An event that was sent without a wait is never late.
        if let skip = own.skip, !own.isImmediate, firedAt - own.due > skip {
            pending.removeAll { $0.number == own.number }
            return idleMacrostep(at: at)
        }
        let event = Event(name: own.event, data: own.data, at: at)
        late = own.isImmediate ? 0 : max(0, firedAt - own.due)
        defer { late = 0 }
        return take(own, as: event)
    }

    /// Takes a pending item as an event.
    func take(_ own: NaivePending, as event: Event) -> Observation {
        let observation = macrostep(of: event) { () throws(Observation.Refusal) in try begin(own, as: event) }
        if case .refused = observation { keep(own, as: event) }
        return observation
    }

    /// Carries out the first part of a pending item's macrostep.
    func begin(_ own: NaivePending, as event: Event) throws(Observation.Refusal) {
        // The end of an invocation ends its timeout, and the other way round.
        pending.removeAll { $0.number == own.number || $0.invocation != nil && $0.invocation == own.invocation }
        passedOver = []
        let enabledTransitions = selectTransitions(event.name, isInternal: event.name.hasPrefix("error."))
        if !enabledTransitions.isEmpty {
            try microstep(enabledTransitions.toList())
        } else if !passedOver.isEmpty {
            isSkipping = true
            // Its delay begins anew when the clock says that it has come, and not when it was due.
            guard let s = passedOver.first(where: { $0.misfire?.rearms ?? false })?.source else { return }
            for timeout in s.timeouts where s.event(of: timeout) == own.event {
                arm(timeout, of: s, due: max(own.due + late, event.at) + timeout.milliseconds)
            }
        } else if event.name.hasPrefix("error.invoke.") {
            // Difference: nobody waits for an answer, but a failure of work that nobody takes is one.
            throw .expressionFailed
        }
    }

    /// Keeps the item that the instance failed on. For an invocation and for its timeout, the invocation is kept, as
    /// that event.
    func keep(_ own: NaivePending, as event: Event) {
        defer { failedMacrostep(at: event.at) }
        if let id = own.invocation { pending.removeAll { $0.invocation == id && !$0.isInvocation } }
        guard
            let place = pending.firstIndex(where: {
                $0.number == own.number || $0.isInvocation && $0.invocation == own.invocation
            })
        else { return }
        let waiting = pending[place]
        var kept = NaivePending(
            number: waiting.number, event: event.name, data: event.data,
            due: waiting.isInvocation ? event.at : waiting.due, owner: waiting.owner, isImmediate: waiting.isImmediate,
            skip: waiting.skip, invocation: waiting.invocation, isInvocation: waiting.isInvocation, isKept: true)
        kept.request = waiting.request
        kept.timeout = waiting.timeout
        pending[place] = kept
    }

    func armTimers(of s: ModelState) {
        for timeout in s.timeouts {
            do {
                try arm(
                    s.event(of: timeout), nil, after: timeout.milliseconds, owner: .state(s), isImmediate: false,
                    skip: timeout.skip)
            } catch {
                raise("error.execution")
            }
        }
    }

    func cancelTimers(of s: ModelState) {
        pending.removeAll { $0.owner == .state(s) }
    }

    func send(
        _ event: String, _ data: JSONValue?, after delay: Int64, id: String?, skip: Int64?
    ) throws(ContentError) {
        // Difference: without delay it comes before every other event; with one it outlives the state it was sent from.
        try arm(event, data, after: delay, owner: .send(id: id), isImmediate: delay == 0, skip: skip)
    }

    func cancel(_ id: String) {
        pending.removeAll { $0.owner == .send(id: id) }
    }

    /// Arms a timer of a state that is already active.
    func arm(_ timeout: ModelTimeout, of s: ModelState, due: Int64) {
        lastNumber += 1
        pending.append(
            NaivePending(
                number: lastNumber, event: s.event(of: timeout), data: nil, due: due, owner: .state(s),
                isImmediate: false, skip: timeout.skip))
    }

    private func arm(
        _ name: String, _ data: JSONValue?, after delay: Int64, owner: NaivePending.Owner, isImmediate: Bool,
        skip: Int64?
    ) throws(ContentError) {
        guard pending.count < Self.mostPending else { throw ContentError() }
        lastNumber += 1
        pending.append(
            NaivePending(
                number: lastNumber, event: name, data: data, due: event.at + delay, owner: owner,
                isImmediate: isImmediate, skip: skip))
    }
}
