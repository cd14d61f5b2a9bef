import Synchronization

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

    /// - Parameter batches: The rows of each batch of a transaction.
    func committed(_ batches: some Collection<Int>) {
        if batches.isEmpty { return }
        state.withLock { counts in
            counts.commits += 1
            for rows in batches {
                counts.batches += 1
                counts.events += rows
                counts.largestBatch = max(counts.largestBatch, rows)
            }
        }
    }

    func batchOverlapped() { state.withLock { $0.overlapped += 1 } }
}
