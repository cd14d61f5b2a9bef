import Synchronization
import WorkflowStore

/// Counts of the transactions that the writer has committed since the daemon started.
package final class BatchStatistics: Sendable {
    /// The counts at one moment.
    package struct Counts: Sendable, Equatable {
        /// The number of transactions; several batches may share one.
        package var commits = 0
        package var batches = 0
        package var events = 0
        package var largestBatch = 0
        /// The number of batches whose commit overlapped with applying the next batch, whether the commit succeeded or
        /// not.
        package var overlapped = 0
    }

    private struct State {
        var counts = Counts()
        /// The moving average of the duration of a transaction; recent transactions weigh more.
        var pace = Duration.zero
    }

    private let state = Mutex(State())

    /// The current counts.
    package var counts: Counts { state.withLock { $0.counts } }

    /// The recent average duration of a transaction.
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
