import WorkflowJSON

/// What an instance was, again: nothing of it is in SCXML.
extension NaiveInterpreter {
    /// What is said of what is to come when an instance becomes what it was.
    package struct Reset: Equatable, Sendable {
        /// What becomes of invocations that lived then and do not now.
        package enum Lost: String, Sendable { case again, answer }

        /// Of the macrostep, counted from 1.
        package var seq: Int
        /// Whether timers have their times of then, and not what was left of them.
        package var keepsTimes: Bool
        /// Nil when there must be none.
        package var lost: Lost?

        package init(seq: Int, keepsTimes: Bool, lost: Lost?) {
            self.seq = seq
            self.keepsTimes = keepsTimes
            self.lost = lost
        }
    }

    /// All that an instance is after a macrostep.
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

    /// How many macrosteps there were.
    package var seq: Int { pasts.count }

    /// Notes what the instance is after a macrostep.
    func remember() { pasts.append(present) }

    /// What is said of the instance behind a macrostep belongs to it.
    func amendMemory() { pasts[pasts.count - 1] = present }

    private var present: Past {
        Past(
            machine: machine, version: version,
            configuration: configuration, historyValue: historyValue, datamodel: datamodel, pending: pending,
            output: output, running: running, isSuspended: isSuspended, isCancelled: isCancelled,
            isUnsettled: isUnsettled, time: time)
    }

    /// Makes the instance what it was; nil when it never was, or when nobody has said what becomes of invocations.
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

    /// The invocation as it is, when it lives; one that the instance has failed on since does not.
    private func living(_ own: NaivePending) -> NaivePending? {
        pending.first { $0.number == own.number && $0.isInvocation && (!$0.isKept || own.isKept) }
    }

    private func begin(
        _ own: NaivePending, at now: Int64, isAnswered: Bool, _ asked: inout [(number: Int, text: String)]
    ) -> [NaivePending] {
        var begun = own.again(number: nextNumber(), due: 0)
        begun.isKept = false
        // What is answered needs no time limit, and has none when it is begun anew later.
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
    /// The same, as it was when its version was that of another.
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
