import Statechart

/// The macrosteps of an instance, which stand for its history.
struct PastMacrosteps {
    private var list: [(macrostep: Macrostep, version: Int64, at: LogicalTime)] = []

    /// - Parameter version: The number of the instance's machine at that time.
    mutating func append(_ macrostep: Macrostep, version: Int64, at time: LogicalTime) {
        list.append((macrostep, version, time))
    }

    /// Returns the instance after a seq; `nil` if it has not reached the seq. Every invocation that is not live now
    /// gets a result, because the kind of its end makes no difference to the state.
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
