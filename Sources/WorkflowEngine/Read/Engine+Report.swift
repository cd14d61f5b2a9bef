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
    /// Nil where the store is no file.
    package let usage: StoreUsage?
}

extension Engine {
    /// What it does and holds now. Reads the counts of instances, and no instance.
    package func report(by caller: Caller) async throws(Rejection) -> EngineReport {
        let counts = metrics.counts
        var tally: [TallyRecord] = []
        repeat {
            let query = TallyQuery(limit: limits.talliedRows, after: tally.last?.key)
            let page = try await self.tally(query, by: caller)
            tally += page
            if page.count < query.limit { break }
        } while true
        var names = Dictionary(tally.map { ($0.key.machineID, $0.machine) }, uniquingKeysWith: { first, _ in first })
        for id in Set(counts.events.keys.map(\.machine)) where names[id] == nil {
            let machine = try await loadedMachine(id).record
            if machine.namespace == caller.namespace { names[id] = machine.name }
        }
        let queued = queue.load
        return EngineReport(
            counts: counts, tally: tally, names: names, waiting: queued.commands, waits: queued.waits,
            backlog: purgeBacklog, usage: store.usage)
    }

    /// By how many milliseconds the timer that should have fired first is late; nil when none is.
    package func lateness(by caller: Caller) async throws(Rejection) -> Int64? {
        guard let next = try await timers(after: nil, limit: 1, by: caller).first else { return nil }
        let late = now.rawValue - next.timer.key.due.rawValue
        return late > 0 ? late : nil
    }
}
