import Synchronization
package import WorkflowStore

/// Tells those who wait that an instance, or any of them, has new history.
package final class CommitFeed: Sendable {
    private let feed: Feed<InstanceID>
    private let journal: Feed<Journal>
    /// Of the first partition, whose journal `journalChanges` tells of; 0 before the first row.
    private let last = Atomic<Int64>(0)

    /// The one thing of which there is news when any row is written.
    private enum Journal: Hashable, Sendable {
        case any
    }

    init(limits: EngineLimits) {
        feed = Feed(bound: limits.historyWaiters)
        journal = Feed(bound: limits.journalReaders)
    }

    /// A stream with an element after each commit that changed the instance; what is not read in time is merged into
    /// one. Subscribe, then read, then wait: nothing is missed. It ends when no commit comes any more. Nil when too
    /// many wait already.
    package func changes(of instance: InstanceID) -> AsyncStream<Void>? { bell(of: instance)?.rings }

    /// The same as a bell, which others may ring too.
    package func bell(of instance: InstanceID) -> Bell? { feed.bell(of: instance) }

    /// Rings after each commit that wrote a row, and when no commit comes any more. Nil when too many wait already.
    package func journalBell() -> Bell? { journal.bell(of: .any) }

    /// The position of the last row that was written since the engine began, of the first partition; nil when none
    /// was. Whoever was told of a commit finds its rows behind it.
    package var newest: Position? {
        let newest = last.load(ordering: .acquiring)
        return newest == 0 ? nil : Position(rawValue: newest)
    }

    /// Ends all streams, and those to come: there are no commits any more.
    func close() {
        feed.close()
        journal.close()
    }
}

extension CommitFeed: CommitObserver {
    package func committed(_ committed: Committed) {
        if let positions = committed.positions {
            last.store(positions.upperBound.rawValue, ordering: .releasing)
            journal.tell { [.any] }
        }
        feed.tell { committed.instances.map(\.id) }
    }
}
