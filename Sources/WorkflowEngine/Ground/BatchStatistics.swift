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

    private struct State {
        var counts = Counts()
        /// How long a transaction takes, of the last ones more than of those before.
        var pace = Duration.zero
    }

    private let state = Mutex(State())

    /// The counts now.
    package var counts: Counts { state.withLock { $0.counts } }

    /// How long a transaction takes lately.
    var pace: Duration { state.withLock { $0.pace } }

    func batchOverlapped() { state.withLock { $0.counts.overlapped += 1 } }

    /// Counts the batches of one transaction.
    func count(_ batches: [StoreBatch], took: Duration) {
        let written = batches.filter { !$0.isEmpty }
        if written.isEmpty { return }
        state.withLock { state in
            state.pace += (took - state.pace) / 8
            state.counts.commits += 1
            for rows in written.lazy.map(\.journal.count) {
                state.counts.batches += 1
                state.counts.events += rows
                state.counts.largestBatch = max(state.counts.largestBatch, rows)
            }
        }
    }
}
