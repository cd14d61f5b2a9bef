package import WorkflowStore

/// What an engine does and holds at one moment.
package struct EngineReport: Sendable {
    package let counts: EngineMetrics.Counts
    /// How many instances are in which status and configuration.
    package let tally: [TallyRecord]
    /// Of the machine versions that `counts` and `tally` name.
    package let names: [MachineID: MachineName]
    /// Commands that wait for the writer.
    package let waiting: Int
    /// How long the oldest of the commands that were taken together had waited.
    package let waits: Histogram
    /// What is left of what was deleted.
    package let backlog: PurgeBacklog
    /// How long the write-ahead log may have contained erased data; nil when it does not.
    package let erasedInLog: Duration?
    /// Nil where the store is no file.
    package let usage: StoreUsage?
    /// When somebody last took care of the store, also before this engine began.
    package let upkeep: UpkeepTimes
}

extension Engine {
    /// What it does and holds now. Reads the counts of instances, and no instance.
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

    /// How many instances are in which status and configuration, all of it.
    func wholeTally(by caller: Caller) async throws(Rejection) -> [TallyRecord] {
        var tally: [TallyRecord] = []
        repeat {
            let query = TallyQuery(limit: limits.talliedRows, after: tally.last?.key)
            let page = try await self.tally(query, by: caller)
            tally += page
            if page.count < query.limit { return tally }
        } while true
    }

    /// The timers that should have fired by now; nil when none is late.
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
    /// Counting ends here.
    package static let bound = 1_000

    /// By how many the first of them is late.
    package let milliseconds: Int64
    /// How many there are; `bound` stands for that many or more.
    package let count: Int
}
