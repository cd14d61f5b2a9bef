import WorkflowStore

/// Tells those who wait for tasks that a queue has something new.
final class QueueWatch: Sendable {
    private let feed: Feed<String>

    init(limits: EngineLimits) {
        feed = Feed(bound: limits.taskWaiters)
    }

    /// A stream with an element after each commit that made something of the queue ready, now or later, or let more of
    /// it start. Subscribe, then ask, then wait: nothing is missed. Nil when too many wait already.
    func changes(of queue: String) -> AsyncStream<Void>? { feed.changes(of: queue) }

    /// Queues have room for more leases.
    func tell(_ queues: [String]) {
        if !queues.isEmpty { feed.tell { queues } }
    }

    /// Tells all: the clock was moved, and anything may be due.
    func tellAll() { feed.tellAll() }

    /// Ends all streams, and those to come.
    func close() { feed.close() }
}

extension QueueWatch: CommitObserver {
    func committed(_ committed: Committed) {
        if committed.batches.contains(where: { $0.batch.isHeld != nil }) { return feed.tellAll() }
        feed.tell { Set(committed.queues) }
    }
}

extension Committed {
    /// The queues of what it has made ready, now or later, and those that were set.
    fileprivate var queues: some Sequence<String> {
        batches.lazy.flatMap { sealed in
            let effects = sealed.batch.newEffects + sealed.batch.changedEffects
            return effects.lazy.filter { $0.state == .ready }.map(\.queue) + sealed.batch.changedQueues.map(\.name)
        }
    }
}

extension AsyncStream<Void> {
    /// Waits for the next element, at most until a time. The stream is of no use afterwards.
    func next(until: ContinuousClock.Instant) async {
        await withTaskGroup(of: Void.self) { group in
            group.addTask { for await _ in self { return } }
            group.addTask { try? await Task.sleep(until: until, clock: .continuous) }
            await group.next()
            group.cancelAll()
        }
    }
}
