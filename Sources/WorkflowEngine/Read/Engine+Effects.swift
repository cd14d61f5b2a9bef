import Statechart
import WorkflowJSON
package import WorkflowStore

extension Engine {
    /// Returns a page of the unfinished effects of all instances that the caller sees.
    package func effects(_ query: EffectQuery, by caller: Caller) async throws(Rejection) -> EffectPage {
        try await read { () async throws(StoreError) in try await store.effects(query, in: caller.namespace) }
    }

    /// Returns a page of the queues in the order of their names, with the counts of waiting effects.
    package func queues(_ query: QueueQuery, by caller: Caller) async throws(Rejection) -> [QueueSummary] {
        log.asked("list the queues", by: caller)
        return try await summaries(query)
    }

    /// Returns a page of an instance's effects in the order in which they began, each with its failed attempts. The
    /// page ends early if the attempts are long.
    ///
    /// - Parameter withCalls: True to include effects for whose end the instance does not wait.
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
            // The first effect is returned whatever its size.
            if page.count == query.limit || (bytes > limits.listedAttemptBytes && !page.isEmpty) {
                return (page, page.last?.effect.id)
            }
            page.append((effect, attempts))
        }
        return (page, nil)
    }

    /// Returns a page of the stored attempts at an instance's effects, also at those that have ended; the newest
    /// effects first.
    ///
    /// - Parameter row: The position where the previous page ended; `nil` for the first page.
    package func attempts(
        of record: InstanceRecord, from row: Position?, limit: Int, by caller: Caller
    ) async throws(Rejection) -> AttemptPage {
        if let row, try await self.row(at: row, of: record, by: caller) == nil { return AttemptPage() }
        return try await read { () async throws(StoreError) in
            try await store.attempts(behindRowsFrom: row ?? record.head, limit: limit)
        }
    }

    /// Returns the turn of a ready effect; `nil` if the effect waits for its time, a worker or a place.
    package func turn(of effect: EffectRecord) -> EffectTurn? {
        guard effect.state == .ready else { return nil }
        if runners.contains(where: { $0.runs(effect.id) }) { return .running }
        return turn(in: effect.queue)
    }

    /// Returns the reason why no effect of a queue starts; `nil` if effects are not held and the queue is not paused.
    package func turn(in queue: String) -> EffectTurn? {
        if queueBoard.isHeld { return .held }
        return queueBoard.settings(of: queue).isPaused ? .paused : nil
    }

    /// Returns the number of attempts in a queue that the daemon itself is making.
    package func running(in queue: String) -> Int { runners.reduce(0) { $0 + $1.running(in: queue) } }
}

/// The turn of a ready effect.
package enum EffectTurn: Sendable {
    /// The daemon is making an attempt.
    case running
    /// The effect's queue is paused, so nothing in it starts.
    case paused
    /// Effects are held, so nothing starts at all.
    case held
}

extension EngineLimits {
    /// The most bytes of attempts on a page of an instance's effects, if the page has more than one effect.
    fileprivate var listedAttemptBytes: Int { 1 << 20 }
}
