import WorkflowStore

/// Notifies callers that wait for tasks of new tasks in a queue.
final class QueueWatch: Sendable {
    private let feed: Feed<String>

    init(limits: EngineLimits) {
        feed = Feed(bound: limits.taskWaiters)
    }

    /// Returns a stream with an element after each commit that made an effect of the queue ready, now or later, or let
    /// more effects start. Subscribe, then ask, then wait: nothing is missed. Returns `nil` if too many callers wait
    /// already.
    func changes(of queue: String) -> AsyncStream<Void>? { feed.changes(of: queue) }

    /// Reports that queues have room for more leases.
    func tell(_ queues: [String]) {
        if !queues.isEmpty { feed.tell { queues } }
    }

    /// Notifies all callers that the clock was moved and anything may be due.
    func tellAll() { feed.tellAll() }

    /// Ends all streams, also those opened later.
    func close() { feed.close() }
}

extension QueueWatch: CommitObserver {
    func committed(_ committed: Committed) {
        if committed.batches.contains(where: { $0.batch.isHeld != nil }) { return feed.tellAll() }
        feed.tell { Set(committed.queues) }
    }
}

extension Committed {
    /// The queues of the effects that the commit made ready, now or later, and the queues that were set.
    fileprivate var queues: some Sequence<String> {
        batches.lazy.flatMap { sealed in
            let effects = sealed.batch.newEffects + sealed.batch.changedEffects
            return effects.lazy.filter { $0.state == .ready }.map(\.queue) + sealed.batch.changedQueues.map(\.name)
        }
    }
}

extension AsyncStream<Void> {
    /// Waits for the next element, at most until a time. The stream cannot be used afterwards.
    func next(until: ContinuousClock.Instant) async {
        await withTaskGroup(of: Void.self) { group in
            group.addTask { for await _ in self { return } }
            group.addTask { try? await Task.sleep(until: until, clock: .continuous) }
            await group.next()
            group.cancelAll()
        }
    }
}
