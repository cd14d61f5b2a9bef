import Statechart
package import WorkflowStore

/// A queue for monitoring: the effects that wait in it, and who carries them out.
package struct QueueReport: Sendable {
    package let summary: QueueSummary
    /// The number of attempts that the daemon is making.
    package let running: Int
    /// The number of workers that asked for tasks within the last minute; `nil` for a queue that the daemon serves
    /// itself.
    package let workers: Int?
    /// The number at which counting ended.
    private let bound: Int

    /// The milliseconds after which a due effect that has not begun counts as late.
    private static let patience: Int64 = 60_000

    init(_ summary: QueueSummary, running: Int, workers: Int?, bound: Int) {
        self.summary = summary
        self.running = running
        self.workers = workers
        self.bound = bound
    }

    /// The number of effects that are due and have not begun.
    package var ready: Int {
        // The store counts a running attempt as ready, because it is made again after a kill. A count that ended early
        // stays.
        summary.ready < bound ? max(0, summary.ready - running) : summary.ready
    }

    /// The due time of the first effect that has not begun; `nil` if there is none.
    package var oldestDue: Timestamp? { summary.oldestDue }

    /// Returns the milliseconds for which the first due effect has not begun; `nil` if none is due.
    package func lateness(at now: Timestamp) -> Int64? {
        guard ready > 0, let due = oldestDue, due <= now else { return nil }
        return now.rawValue - due.rawValue
    }

    /// Returns true if some effect in the queue apparently goes on only when somebody acts.
    package func stands(at now: Timestamp) -> Bool {
        let isLate = lateness(at: now).map { $0 > Self.patience } ?? false
        // While some effects run, the others are only waiting for their turn.
        return summary.failed > 0 || summary.held > 0 || (isLate && running == 0)
    }
}

extension Engine {
    /// Adds running attempts and workers to the summaries of queues.
    ///
    /// - Parameter bound: The number at which counting ended.
    package func reports(
        of queues: [QueueSummary], countedTo bound: Int, by caller: Caller
    ) -> [QueueReport] {
        let counts = workers.counts(at: now)
        return queues.map { queue in
            let isTasks = queue.name.hasPrefix(EffectRequest.tasks)
            return QueueReport(
                queue, running: running(in: queue.name), workers: isTasks ? counts[queue.name] ?? 0 : nil, bound: bound)
        }
    }

    /// Returns the queues that have an effect or settings, in the order of their names; only the first ones if there
    /// are many.
    ///
    /// - Parameter bound: The number at which counting ends.
    package func queueReports(countingTo bound: Int, by caller: Caller) async throws(Rejection) -> [QueueReport] {
        let queues = try await summaries(QueueQuery(limit: limits.reportedQueues, now: now, bound: bound))
        return reports(of: queues, countedTo: bound, by: caller)
    }

    /// Returns the queues, each with the due time of its first effect that is not running.
    func summaries(_ query: QueueQuery) async throws(Rejection) -> [QueueSummary] {
        var query = query
        query.running = Set(runners.flatMap(\.runningEffects))
        return try await read { [query] () async throws(StoreError) in try await store.queues(query) }
    }

    /// Returns the queues that the latest versions of machines name. One call reads only a few versions that were not
    /// read before, so repeated calls find all queues.
    package func queues(
        namedBy machines: some Sequence<MachineName>, by caller: Caller
    ) async throws(Rejection) -> Set<String> {
        var queues: Set<String> = []
        var unread = limits.catalogedMachines
        for name in machines {
            let key = MachineKey(name, in: caller.namespace)
            if catalog.queues(of: key) == nil, unread > 0 {
                unread -= 1
                try await readQueues(of: key)
            }
            queues.formUnion(catalog.queues(of: key) ?? [])
        }
        return queues
    }

    /// The result of looking up a queue.
    package enum QueueKnowledge: Sendable, Equatable {
        /// A definition names the queue, or the queue has an effect or a setting.
        case known
        /// Nothing knows the queue. Has the names of other queues, for a suggestion.
        case unknown(others: [String])
    }

    /// Looks up whether anything knows a queue: an effect, a setting, the latest version of a machine, or a version
    /// with instances. If nothing else knows the name, the text of every machine is read, and the few that may name the
    /// queue are compiled. Suggested names are those that are known without this search.
    package func knowledge(of queue: String, by caller: Caller) async throws(Rejection) -> QueueKnowledge {
        if queueBoard.record(of: queue) != nil { return .known }
        // The query starts shortly before the name.
        let query = QueueQuery(after: String(queue.dropLast()), limit: limits.reportedQueues, now: now, bound: 1)
        let near = try await read { () async throws(StoreError) in try await store.queues(query) }.map(\.name)
        if near.contains(queue) { return .known }
        var others = Set(try await queueReports(countingTo: 1, by: caller).map(\.summary.name))
        let names = try await machineNames(by: caller)
        others.formUnion(try await queues(namedBy: names, by: caller))
        if others.contains(queue) { return .known }
        for name in names {
            let key = MachineKey(name, in: caller.namespace)
            guard catalog.queues(of: key) == nil else { continue }
            let latest = try await read { () async throws(StoreError) in try await store.machine(key, version: nil) }
            if let latest, try await self.names(latest, queue) { return .known }
        }
        // Older versions count while they have instances.
        for id in Set(try await wholeTally(by: caller).map(\.key.machineID)) {
            let record = try await read { () async throws(StoreError) in try await store.machine(id) }
            if let record, try await self.names(record, queue) { return .known }
        }
        return .unknown(others: others.sorted())
    }

    /// Returns true if a version names a queue. The version is compiled only if its text may contain the name.
    private func names(_ record: MachineRecord, _ queue: String) async throws(Rejection) -> Bool {
        guard record.mayName(queue) else { return false }
        return try await loadedMachine(record.id).machine.effects.contains { $0.queue == queue }
    }

    private func readQueues(of machine: MachineKey) async throws(Rejection) {
        let record = try await read { () async throws(StoreError) in
            try await store.machine(machine, version: nil)
        }
        if let record { catalog.add(try await loadedMachine(record.id)) }
    }
}

extension MachineRecord {
    /// Returns true if the text contains the name of a queue, or escapes that could spell it.
    fileprivate func mayName(_ queue: String) -> Bool {
        var name = queue.drop { $0 != ":" }.dropFirst()
        // The queue of a host ends with a port, which most texts leave out.
        if queue.hasPrefix("http:"), let port = name.lastIndex(of: ":") { name = name[..<port] }
        return source.utf8.contains(UInt8(ascii: "\\")) || source.lowercased().contains(name.lowercased())
    }
}

extension EngineLimits {
    /// The most queues in one report: each takes a few reads.
    fileprivate var reportedQueues: Int { 250 }
    /// The most machines whose definitions are compiled for one report.
    fileprivate var catalogedMachines: Int { 25 }
}
