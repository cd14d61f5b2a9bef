import Synchronization
package import WorkflowStore

/// Notifies waiting callers that an instance, or any instance, has new history.
package final class CommitFeed: Sendable {
    private let feed: Feed<InstanceID>
    private let journal: Feed<Journal>
    /// The positions of the last rows, in the order of partitions.
    private let last: [LastPosition]
    private let recorded = Atomic<Int64>(0)

    /// The position of the last row in a partition; 0 before the first row.
    private final class LastPosition: Sendable {
        let value = Atomic<Int64>(0)
    }

    /// The only key of the journal's feed, which reports every written row.
    private enum Journal: Hashable, Sendable {
        case any
    }

    init(limits: EngineLimits, partitions: Int) {
        last = (0..<partitions).map { _ in LastPosition() }
        feed = Feed(bound: limits.historyWaiters)
        journal = Feed(bound: limits.journalReaders)
    }

    /// Returns a stream with an element after each commit that changed the instance; `nil` if too many callers wait
    /// already. Elements that are not read in time merge into one. Subscribe, then read, then wait: no change is
    /// missed. The stream ends when no more commits come.
    package func changes(of instance: InstanceID) -> AsyncStream<Void>? { bell(of: instance)?.rings }

    /// Returns the stream of `changes(of:)` as a bell, which others may ring too; `nil` if too many callers wait
    /// already.
    package func bell(of instance: InstanceID) -> Bell? { feed.bell(of: instance) }

    /// Returns a bell that rings after each commit that wrote a row or recorded a change, and when no more commits
    /// come; `nil` if too many callers wait already.
    package func journalBell() -> Bell? { journal.bell(of: .any) }

    /// Returns the position in a partition of the last row written since the engine began; `nil` if none was written.
    /// A caller that was notified of a commit finds the commit's rows at or before this position.
    package func newest(in partition: PartitionID) -> Position? {
        let newest = last(in: partition)?.value.load(ordering: .acquiring) ?? 0
        return newest == 0 ? nil : Position(rawValue: newest)
    }

    /// The number of commits since the engine began that recorded what no instance's history has: a change of a machine
    /// or a queue, a deletion. The journal's bell rings for these too.
    package var recordedChanges: Int64 { recorded.load(ordering: .acquiring) }

    private func last(in partition: PartitionID) -> LastPosition? {
        let place = Int(clamping: partition.rawValue)
        return last.indices.contains(place) ? last[place] : nil
    }

    /// Ends all streams, also those opened later: no more commits come.
    func close() {
        feed.close()
        journal.close()
    }
}

extension CommitFeed: CommitObserver {
    package func committed(_ committed: Committed) {
        if let positions = committed.positions {
            last(in: positions.upperBound.partition)?.value
                .store(positions.upperBound.rawValue, ordering: .releasing)
        }
        let hasRecorded = committed.batches.contains { !$0.batch.changes.isEmpty || !$0.batch.purged.isEmpty }
        if hasRecorded { recorded.add(1, ordering: .releasing) }
        if hasRecorded || committed.positions != nil { journal.tell { [.any] } }
        feed.tell { committed.instances.map(\.id) }
    }
}
