import WorkflowJSON

/// The reset to an earlier state, which SCXML does not have.
extension NaiveInterpreter {
    /// A request for a reset.
    package struct Reset: Equatable, Sendable {
        /// The fate of invocations that were live then and are not live now.
        package enum Lost: String, Sendable { case again, answer }

        /// The number of the macrostep, counted from 1.
        package var seq: Int
        /// True if timers keep their due times; otherwise they keep the rest of their delays.
        package var keepsTimes: Bool
        /// The fate of the lost invocations; `nil` if there must be none.
        package var lost: Lost?

        package init(seq: Int, keepsTimes: Bool, lost: Lost?) {
            self.seq = seq
            self.keepsTimes = keepsTimes
            self.lost = lost
        }
    }

    /// The complete state of an instance after a macrostep.
    struct Past {
        let machine: ModelMachine
        let version: Int64
        let configuration: OrderedSet<ModelState>
        let historyValue: [ModelState: [ModelState]]
        let datamodel: ModelContext
        let pending: [NaivePending]
        let output: JSONValue?
        let running: Bool
        let isSuspended: Bool
        let isCancelled: Bool
        let isUnsettled: Bool
        let time: Int64
    }

    /// The number of macrosteps so far.
    package var seq: Int { pasts.count }

    /// Stores the instance's state after a macrostep.
    func remember() { pasts.append(present) }

    /// Adds changes after a macrostep to its stored state.
    func amendMemory() { pasts[pasts.count - 1] = present }

    private var present: Past {
        Past(
            machine: machine, version: version,
            configuration: configuration, historyValue: historyValue, datamodel: datamodel, pending: pending,
            output: output, running: running, isSuspended: isSuspended, isCancelled: isCancelled,
            isUnsettled: isUnsettled, time: time)
    }

    /// Resets the instance; `nil` if there is no such macrostep, or if invocations are lost and the request does not
    /// decide about them.
    package func reset(_ reset: Reset, at now: Int64) -> Observation? {
        guard pasts.indices.contains(reset.seq - 1) else { return nil }
        let then = pasts[reset.seq - 1]
        let lost = then.pending.filter { $0.isInvocation && living($0) == nil }
        guard lost.isEmpty || reset.lost != nil else { return nil }
        var kept: [NaivePending] = []
        for own in then.pending where own.isInvocation {
            guard let living = living(own) else { continue }
            kept.append(living.isKept ? own : living.owned(as: own))
            guard !living.isKept else { continue }
            let timeouts = pending.filter { !$0.isInvocation && $0.invocation == living.invocation }
            kept += timeouts.map { $0.owned(as: own) }
        }
        kept.sort { $0.number < $1.number }
        let shift = reset.keepsTimes ? 0 : now - then.time
        for own in then.pending where !own.isInvocation && own.invocation == nil {
            kept.append(own.again(number: nextNumber(), due: own.due + shift))
        }
        var asked: [(number: Int, text: String)] = []
        for own in lost { kept += begin(own, at: now, isAnswered: reset.lost == .answer, &asked) }
        let hadFailed = then.pending.contains(where: \.isKept)
        let isLeftUnsettled = then.isUnsettled && hadFailed && !kept.contains(where: \.isKept)
        become(then, with: kept, isSuspended: isSuspended || isLeftUnsettled)
        enteredAt = now
        return idleMacrostep(at: now, begun: asked)
    }

    /// Returns the present form of an invocation if it is live; an invocation that the instance failed on is not.
    private func living(_ own: NaivePending) -> NaivePending? {
        pending.first { $0.number == own.number && $0.isInvocation && (!$0.isKept || own.isKept) }
    }

    private func begin(
        _ own: NaivePending, at now: Int64, isAnswered: Bool, _ asked: inout [(number: Int, text: String)]
    ) -> [NaivePending] {
        var begun = own.again(number: nextNumber(), due: 0)
        begun.isKept = false
        // An invocation that is answered needs no time limit, and has none when it is begun anew later.
        if isAnswered { begun.timeout = nil }
        let due = isAnswered ? nil : own.timeout.map { now + $0 }
        var request = own.request ?? JSONObject()
        request["deadline"] = due.map(JSONValue.int)
        asked.append((begun.number, "\(own.invocation ?? "") \(JSONWriter.string(request))"))
        guard let due, let timeout = own.timeout else { return [begun] }
        return [begun, timeoutOfInvocation(own, number: nextNumber(), after: timeout, due: due)]
    }

    private func nextNumber() -> Int {
        lastNumber += 1
        return lastNumber
    }

    private func become(_ then: Past, with kept: [NaivePending], isSuspended wasSuspended: Bool) {
        become(then.machine, then.version)
        configuration = then.configuration
        historyValue = then.historyValue
        datamodel = then.datamodel
        output = then.output
        pending = kept
        running = then.running
        isCancelled = then.isCancelled
        isUnsettled = then.isUnsettled && (hasFailed || then.isSuspended)
        isSuspended = running && !hasFailed && (then.isSuspended || wasSuspended)
    }
}

extension NaivePending {
    /// Returns the same item with the owner of an earlier one, whose version may be another.
    fileprivate func owned(as past: NaivePending) -> NaivePending {
        var own = self
        own.owner = past.owner
        return own
    }

    fileprivate func again(number: Int, due: Int64) -> NaivePending {
        var again = NaivePending(
            number: number, event: event, data: data, due: due, owner: owner, isImmediate: isImmediate, skip: skip,
            invocation: invocation, isInvocation: isInvocation, isKept: isKept)
        again.request = request
        again.timeout = timeout
        return again
    }
}
