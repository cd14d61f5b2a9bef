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
    package var oldestDue: Timestamp? { ready > 0 ? summary.oldestDue : summary.nextDue }

    /// By how many milliseconds the first that is due waits too long already; nil when nothing is due, and while some
    /// run: the first may be one of these.
    package func lateness(at now: Timestamp) -> Int64? {
        guard ready > 0, running == 0, let due = summary.oldestDue else { return nil }
        return max(0, now.rawValue - due.rawValue)
    }

    /// True: as far as can be seen, something in it goes on only when somebody does something.
    package func stands(at now: Timestamp) -> Bool {
        summary.failed > 0 || summary.held > 0 || lateness(at: now).map { $0 > Self.patience } ?? false
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
        let query = QueueQuery(limit: limits.reportedQueues, now: now, bound: bound)
        let queues = try await read { () async throws(StoreError) in try await store.queues(query) }
        return reports(of: queues, countedTo: bound, by: caller)
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
    /// instances. Reads every machine that was not read before, where nothing else knows the name.
    package func knowledge(of queue: String, by caller: Caller) async throws(Rejection) -> QueueKnowledge {
        if queueBoard.record(of: queue) != nil { return .known }
        // From the names that stand right before it on.
        let query = QueueQuery(after: String(queue.dropLast()), limit: limits.reportedQueues, now: now, bound: 1)
        let near = try await read { () async throws(StoreError) in try await store.queues(query) }.map(\.name)
        if near.contains(queue) { return .known }
        var others = Set(try await queueReports(countingTo: 1, by: caller).map(\.summary.name))
        for name in try await machineNames(by: caller) {
            let key = MachineKey(name, in: caller.namespace)
            if catalog.queues(of: key) == nil { try await readQueues(of: key) }
            others.formUnion(catalog.queues(of: key) ?? [])
        }
        if others.contains(queue) { return .known }
        // Older versions, as far as somebody still runs on them.
        for id in Set(try await wholeTally(by: caller).map(\.key.machineID)) {
            others.formUnion(try await loadedMachine(id).machine.effects.compactMap(\.queue))
        }
        return others.contains(queue) ? .known : .unknown(others: others.sorted())
    }

    private func readQueues(of machine: MachineKey) async throws(Rejection) {
        let record = try await read { () async throws(StoreError) in
            try await store.machine(machine, version: nil)
        }
        if let record { catalog.add(try await loadedMachine(record.id)) }
    }
}

extension EngineLimits {
    /// Queues that are looked at for one report: each takes a few reads.
    fileprivate var reportedQueues: Int { 250 }
    /// Machines whose definitions are compiled for one report.
    fileprivate var catalogedMachines: Int { 25 }
}
