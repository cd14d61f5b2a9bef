import Statechart
package import WorkflowStore

/// A queue for those who watch: how much waits in it, and who moves it.
package struct QueueReport: Sendable {
    package let summary: QueueSummary
    /// Attempts that the daemon makes now.
    package let running: Int
    /// Workers that have asked for its tasks within the last minute; nil of a queue that the daemon serves itself.
    package let workers: Int?
    /// Counting has ended here.
    private let bound: Int

    /// Milliseconds after which something that is due and does not begin makes a queue one that stands.
    private static let patience: Int64 = 60_000

    init(_ summary: QueueSummary, running: Int, workers: Int?, bound: Int) {
        self.summary = summary
        self.running = running
        self.workers = workers
        self.bound = bound
    }

    /// Effects that are due and have not begun.
    package var ready: Int {
        // An attempt that runs is ready in the store: after a kill it is made again. A count that ended early stays.
        summary.ready < bound ? max(0, summary.ready - running) : summary.ready
    }

    /// When the first that has not begun is due; nil without any.
    package var oldestDue: Timestamp? { summary.oldestDue }

    /// The milliseconds for which the first effect that is due has not begun; nil when none is due.
    package func lateness(at now: Timestamp) -> Int64? {
        guard ready > 0, let due = oldestDue, due <= now else { return nil }
        return now.rawValue - due.rawValue
    }

    /// True: as far as can be seen, something in it goes on only when somebody does something.
    package func stands(at now: Timestamp) -> Bool {
        let isLate = lateness(at: now).map { $0 > Self.patience } ?? false
        // While some effects run, the others are only waiting for their turn.
        return summary.failed > 0 || summary.held > 0 || (isLate && running == 0)
    }
}

extension Engine {
    /// Adds to queues who moves them.
    ///
    /// - Parameter bound: Where counting has ended.
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

    /// The queues that have an effect or settings, in the order of their names; of very many the first ones.
    ///
    /// - Parameter bound: Where counting ends.
    package func queueReports(countingTo bound: Int, by caller: Caller) async throws(Rejection) -> [QueueReport] {
        let queues = try await summaries(QueueQuery(limit: limits.reportedQueues, now: now, bound: bound))
        return reports(of: queues, countedTo: bound, by: caller)
    }

    /// The queues, each with the time at which its first effect is due that does not run.
    func summaries(_ query: QueueQuery) async throws(Rejection) -> [QueueSummary] {
        var query = query
        query.running = Set(runners.flatMap(\.runningEffects))
        return try await read { [query] () async throws(StoreError) in try await store.queues(query) }
    }

    /// Queues that the latest versions of machines name. Only a few versions are read for it that were not read before:
    /// asked again and again, it comes to know all of them.
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

    /// The answer to the question whether a queue is known.
    package enum QueueKnowledge: Sendable, Equatable {
        /// A definition names it, an effect is in it, or something is set for it.
        case known
        /// Nothing does; names of others, for a suggestion.
        case unknown(others: [String])
    }

    /// Looks whether anything knows a queue: an effect, a setting, the latest version of a machine, or one with
    /// instances. Where nothing else knows the name it reads the text of every machine, and compiles the few that may
    /// name it. The names for a suggestion are those that are known without.
    package func knowledge(of queue: String, by caller: Caller) async throws(Rejection) -> QueueKnowledge {
        if queueBoard.record(of: queue) != nil { return .known }
        // From the names that stand right before it on.
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
        // Older versions, as far as somebody still runs on them.
        for id in Set(try await wholeTally(by: caller).map(\.key.machineID)) {
            let record = try await read { () async throws(StoreError) in try await store.machine(id) }
            if let record, try await self.names(record, queue) { return .known }
        }
        return .unknown(others: others.sorted())
    }

    /// True when a version names a queue. The version is compiled only when its text may contain the name.
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
    /// True when the text contains the name of a queue, or escapes that could spell it.
    fileprivate func mayName(_ queue: String) -> Bool {
        var name = queue.drop { $0 != ":" }.dropFirst()
        // The queue of a host ends with a port, which most texts leave out.
        if queue.hasPrefix("http:"), let port = name.lastIndex(of: ":") { name = name[..<port] }
        return source.utf8.contains(UInt8(ascii: "\\")) || source.lowercased().contains(name.lowercased())
    }
}

extension EngineLimits {
    /// Queues that are looked at for one report: each takes a few reads.
    fileprivate var reportedQueues: Int { 250 }
    /// Machines whose definitions are compiled for one report.
    fileprivate var catalogedMachines: Int { 25 }
}
