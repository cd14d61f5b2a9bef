import Statechart

/// The macrosteps of an instance, for what its history says of it.
struct PastMacrosteps {
    private var list: [(macrostep: Macrostep, version: Int64, at: LogicalTime)] = []

    /// - Parameter version: The number of the machine that the instance had then.
    mutating func append(_ macrostep: Macrostep, version: Int64, at time: LogicalTime) {
        list.append((macrostep, version, time))
    }

    /// The instance after a seq; nil when it has not come that far. Every invocation that does not live now is said to
    /// have had a result: which it was makes no difference to the state.
    func past(_ seq: Int, now: Snapshot) -> PastSnapshot? {
        guard list.indices.contains(seq - 1) else { return nil }
        let (macrostep, version, at) = list[seq - 1]
        var invocations: [Pending.ID: PastInvocation] = [:]
        for pending in macrostep.snapshot.armed where pending.kind == .invocation {
            let (begin, _, begunAt) = list[Int(pending.id.seq) - 1]
            let event = Event(name: "done.invoke." + (pending.invocation ?? ""), at: at)
            invocations[pending.id] = PastInvocation(
                pending.id, begunBy: begin, at: begunAt, answer: PastInvocation.Answer(event))
        }
        return PastSnapshot(
            version: version, snapshot: macrostep.snapshot, at: at, failure: nil, invocations: invocations)
    }
}
