package import WorkflowStore

/// The activity and contents of an engine at one moment.
package struct EngineReport: Sendable {
    package let counts: EngineMetrics.Counts
    /// The numbers of instances by status and configuration.
    package let tally: [TallyRecord]
    /// The names of the machine versions in `counts` and `tally`.
    package let names: [MachineID: MachineName]
    /// The number of commands that wait for the writer.
    package let waiting: Int
    /// The waits of the oldest command in each group that the writer took together.
    package let waits: Histogram
    /// The remains of deleted instances.
    package let backlog: PurgeBacklog
    /// The time for which the write-ahead log may have contained erased data; `nil` if it contains none.
    package let erasedInLog: Duration?
    /// The store's use of space; `nil` if the store is not a file.
    package let usage: StoreUsage?
    /// The times of the last backup and verification, also before this engine began.
    package let upkeep: UpkeepTimes
}

extension Engine {
    /// Returns the engine's current report. Reads the counts of instances, and no instance.
    package func report(by caller: Caller) async throws(Rejection) -> EngineReport {
        let counts = metrics.counts
        let tally = try await wholeTally(by: caller)
        var names = Dictionary(tally.map { ($0.key.machineID, $0.machine) }, uniquingKeysWith: { first, _ in first })
        for id in Set(counts.events.keys.map(\.machine)) where names[id] == nil {
            let machine = try await loadedMachine(id).record
            if machine.namespace == caller.namespace { names[id] = machine.name }
        }
        let usage = try await read { () async throws(StoreError) in try await store.usage() }
        let queued = queue.load
        return EngineReport(
            counts: counts, tally: tally, names: names, waiting: queued.commands, waits: queued.waits,
            backlog: purgeBacklog, erasedInLog: purging.timeInLog, usage: usage, upkeep: upkeep.times)
    }

    /// Returns the complete numbers of instances by status and configuration.
    func wholeTally(by caller: Caller) async throws(Rejection) -> [TallyRecord] {
        var tally: [TallyRecord] = []
        repeat {
            let query = TallyQuery(limit: limits.talliedRows, after: tally.last?.key)
            let page = try await self.tally(query, by: caller)
            tally += page
            if page.count < query.limit { return tally }
        } while true
    }

    /// Returns the timers that should have fired by now; `nil` if none is late.
    package func lateTimers(by caller: Caller) async throws(Rejection) -> LateTimers? {
        let now = now
        func isLate(_ timer: ListedTimer) -> Bool { timer.timer.key.due < now }
        guard let first = try await timers(after: nil, limit: 1, by: caller).first, isLate(first) else { return nil }
        let next = try await timers(after: first.timer.key, limit: LateTimers.bound - 1, by: caller)
        return LateTimers(
            milliseconds: now.rawValue - first.timer.key.due.rawValue, count: 1 + next.prefix(while: isLate).count)
    }
}

/// Timers that should have fired already.
package struct LateTimers: Sendable, Equatable {
    /// The number at which counting ends.
    package static let bound = 1_000

    /// The milliseconds by which the first timer is late.
    package let milliseconds: Int64
    /// The number of late timers; `bound` stands for that number or more.
    package let count: Int
}
