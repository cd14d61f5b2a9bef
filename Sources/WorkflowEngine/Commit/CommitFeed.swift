package import WorkflowStore

/// Tells those who wait that an instance has new history.
package final class CommitFeed: Sendable {
    private let feed: Feed<InstanceID>

    init(limits: EngineLimits) {
        feed = Feed(bound: limits.historyWaiters)
    }

    /// A stream with an element after each commit that changed the instance; what is not read in time is merged into
    /// one. Subscribe, then read, then wait: nothing is missed. It ends when no commit comes any more. Nil when too
    /// many wait already.
    package func changes(of instance: InstanceID) -> AsyncStream<Void>? { feed.changes(of: instance) }

    /// Ends all streams, and those to come: there are no commits any more.
    func close() { feed.close() }
}

extension CommitFeed: CommitObserver {
    package func committed(_ committed: Committed) {
        feed.tell { committed.instances.map(\.id) }
    }
}
