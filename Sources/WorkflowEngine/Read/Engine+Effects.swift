import Statechart
import WorkflowJSON
package import WorkflowStore

extension Engine {
    /// A page of the effects that have not ended, of all instances that the caller sees.
    package func effects(_ query: EffectQuery, by caller: Caller) async throws(Rejection) -> EffectPage {
        try await read { () async throws(StoreError) in try await store.effects(query, in: caller.namespace) }
    }

    /// A page of the queues, in the order of their names, with what waits in them.
    package func queues(_ query: QueueQuery, by caller: Caller) async throws(Rejection) -> [QueueSummary] {
        log.asked("list the queues", by: caller)
        return try await summaries(query)
    }

    /// A page of an instance's effects, in the order in which they were begun, each with its attempts that failed. It
    /// ends early when these are long.
    ///
    /// - Parameter withCalls: Also those for whose end the instance does not wait.
    package func effects(
        of name: InstanceName, _ query: EffectQuery, withCalls: Bool = true, by caller: Caller
    ) async throws(Rejection) -> (effects: [(effect: EffectRecord, attempts: [AttemptRecord])], next: Position?) {
        let record = try await instance(named: name, by: caller).record
        let state = try InstanceState(record: record, loaded: try await loadedMachine(record.machineID))
        let called =
            withCalls && state.machine.hasEffects
            ? try await read { () async throws(StoreError) in try await store.calls(behind: record.head) } : []
        var ids = (state.effects + called).filter { $0 > query.after ?? Position(rawValue: 0) }.sorted()[...]
        var page: [(effect: EffectRecord, attempts: [AttemptRecord])] = []
        var bytes = 0
        while let id = ids.popFirst() {
            let (found, attempts) = try await read { () async throws(StoreError) in
                (try await store.effects([id]), try await store.attempts(of: id, instance: record.id))
            }
            guard let effect = found.first, query.takes(queue: effect.queue, state: effect.state.rawValue)
            else { continue }
            bytes += (effect.progress?.utf8.count ?? 0) + attempts.reduce(0) { $0 + 128 + ($1.error?.utf8.count ?? 0) }
            // One is given whatever its size.
            if page.count == query.limit || (bytes > limits.listedAttemptBytes && !page.isEmpty) {
                return (page, page.last?.effect.id)
            }
            page.append((effect, attempts))
        }
        return (page, nil)
    }

    /// A page of the attempts that are kept of an instance's effects, also of those that have ended; the newest effects
    /// first.
    ///
    /// - Parameter row: Where the page before ended; nil for the first page.
    package func attempts(
        of record: InstanceRecord, from row: Position?, limit: Int, by caller: Caller
    ) async throws(Rejection) -> AttemptPage {
        if let row, try await self.row(at: row, of: record, by: caller) == nil { return AttemptPage() }
        return try await read { () async throws(StoreError) in
            try await store.attempts(behindRowsFrom: row ?? record.head, limit: limit)
        }
    }

    /// What becomes of an effect that is ready; nil for one that waits for its time, a worker or a place.
    package func turn(of effect: EffectRecord) -> EffectTurn? {
        guard effect.state == .ready else { return nil }
        if runners.contains(where: { $0.runs(effect.id) }) { return .running }
        return turn(in: effect.queue)
    }

    /// Why nothing of a queue starts; nil when nobody has said so.
    package func turn(in queue: String) -> EffectTurn? {
        if queueBoard.isHeld { return .held }
        return queueBoard.settings(of: queue).isPaused ? .paused : nil
    }

    /// How many attempts in a queue the daemon makes itself now.
    package func running(in queue: String) -> Int { runners.reduce(0) { $0 + $1.running(in: queue) } }
}

/// What becomes of an effect that is ready.
package enum EffectTurn: Sendable {
    /// The daemon makes an attempt.
    case running
    /// Nothing of its queue starts.
    case paused
    /// Nothing at all starts.
    case held
}

extension EngineLimits {
    /// Bytes of attempts on a page of an instance's effects, as far as that has more than one.
    fileprivate var listedAttemptBytes: Int { 1 << 20 }
}
