import Synchronization
import WorkflowStore

/// Counts of what the writer committed since the daemon began.
package final class BatchStatistics: Sendable {
    /// The counts at one moment.
    package struct Counts: Sendable, Equatable {
        /// Transactions; several batches may share one.
        package var commits = 0
        package var batches = 0
        package var events = 0
        package var largestBatch = 0
        /// Batches behind which the next was applied before they were committed, whether that succeeded or not.
        package var overlapped = 0
    }

    private let state = Mutex(Counts())

    /// The counts now.
    package var counts: Counts { state.withLock { $0 } }

    func batchOverlapped() { state.withLock { $0.overlapped += 1 } }
}

extension BatchStatistics: CommitObserver {
    package func committed(_ committed: Committed) {
        let written = committed.batches.lazy.map(\.batch).filter { !$0.isEmpty }
        if written.isEmpty { return }
        state.withLock { counts in
            counts.commits += 1
            for rows in written.lazy.map(\.journal.count) {
                counts.batches += 1
                counts.events += rows
                counts.largestBatch = max(counts.largestBatch, rows)
            }
        }
    }
}
