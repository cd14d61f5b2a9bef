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
        return try await read { () async throws(StoreError) in try await store.queues(query) }
    }

    /// A page of an instance's effects, in the order in which they were begun, each with its attempts that failed. It
    /// ends early when these are long.
    package func effects(
        of name: InstanceName, _ query: EffectQuery, by caller: Caller
    ) async throws(Rejection) -> (effects: [(effect: EffectRecord, attempts: [AttemptRecord])], next: Position?) {
        let record = try await instance(named: name, by: caller).record
        let state = try InstanceState(record: record, loaded: try await loadedMachine(record.machineID))
        let ids = state.effects.filter { $0 > query.after ?? Position(rawValue: 0) }
        let effects = try await read { () async throws(StoreError) in try await store.effects(ids) }.filter {
            (query.queue ?? $0.queue) == $0.queue && (query.state ?? $0.state) == $0.state
        }
        var page: [(effect: EffectRecord, attempts: [AttemptRecord])] = []
        var bytes = 0
        for effect in effects {
            let attempts = try await read { () async throws(StoreError) in
                try await store.attempts(of: effect.id, instance: record.id)
            }
            bytes += attempts.reduce(0) { $0 + 128 + ($1.error?.utf8.count ?? 0) }
            // One is given whatever its size.
            if page.count == query.limit || (bytes > limits.listedAttemptBytes && !page.isEmpty) {
                return (page, page.last?.effect.id)
            }
            page.append((effect, attempts))
        }
        return (page, nil)
    }
}

extension EngineLimits {
    /// Bytes of attempts on a page of an instance's effects, as far as that has more than one.
    fileprivate var listedAttemptBytes: Int { 1 << 20 }
}
