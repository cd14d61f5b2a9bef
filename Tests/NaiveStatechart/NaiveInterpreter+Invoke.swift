import WorkflowJSON

/// SCXML's `invoke` (6.4). The interpreter does not know who does the work.
extension NaiveInterpreter {
    /// Begins the invocations: `for state in statesToInvoke.sort(entryOrder)`, and within a state in document order.
    func invokeStates() {
        for s in statesToInvoke.toList().sorted(by: entryOrder) {
            for invocation in s.invocations { invoke(invocation, in: s) }
        }
        statesToInvoke.clear()
    }

    /// Ends one of the running invocations, as if its work had ended; `nil` if none is running.
    ///
    /// - Parameter choice: A number that chooses one of them, in the order in which they began.
    package func endInvocation(_ choice: Int, isDone: Bool, at now: Int64) -> OwnObservation? {
        let live = pending.filter(\.isInvocation)
        guard running, !hasFailed, !isSuspended, !live.isEmpty else { return nil }
        let own = live[choice % live.count]
        let name = (isDone ? "done.invoke." : "error.invoke.") + (own.invocation ?? "")
        return OwnObservation(event: name, observation: take(own, as: Event(name: name, at: now)))
    }

    /// Returns the running invocation that an event ends.
    func invocation(endedBy event: String) -> NaivePending? {
        pending.first { own in
            own.isInvocation && ["done.invoke.", "error.invoke."].contains { event == $0 + (own.invocation ?? "") }
        }
    }

    func invoke(_ invocation: ModelInvocation, in s: ModelState) {
        if invocation.fails { return raise("error.execution") }
        lastNumber += 1
        var own = NaivePending(
            number: lastNumber, event: "", data: nil, due: 0, owner: .state(s), isImmediate: false, skip: nil,
            invocation: invocation.id, isInvocation: true)
        // The input sees the event of the macrostep, whatever was taken since.
        var asked: JSONObject = ["input": .string(macrostepEvent.name)]
        let due = invocation.timeout.map { event.at + $0 }
        asked["deadline"] = due.map(JSONValue.int)
        own.request = asked
        own.timeout = invocation.timeout
        pending.append(own)
        begun.append((lastNumber, "\(invocation.id) \(JSONWriter.string(asked))"))
        guard let due, let timeout = invocation.timeout else { return }
        lastNumber += 1
        pending.append(timeoutOfInvocation(own, number: lastNumber, after: timeout, due: due))
    }

    /// Returns the timer that ends an invocation without a result in time.
    func timeoutOfInvocation(_ own: NaivePending, number: Int, after timeout: Int64, due: Int64) -> NaivePending {
        NaivePending(
            number: number, event: "error.invoke." + (own.invocation ?? ""),
            data: ["type": "timeout", "message": .string("there was no result within \(timeout) ms")], due: due,
            owner: own.owner, isImmediate: false, skip: nil, invocation: own.invocation)
    }
}
