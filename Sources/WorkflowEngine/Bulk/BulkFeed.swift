import Synchronization
import WorkflowStore

/// The instances of a bulk run that were read and whose turns are not on disk, in their order.
///
/// The reader adds instances at the end. The writer takes those behind the run's mark as the batch has it, so a
/// discarded batch removes no instances from the feed.
final class BulkFeed: Sendable {
    private struct State {
        var targets: [BulkTarget] = []
        /// The bytes of the preparations.
        var bytes = 0
        var isComplete = false
    }

    private let state = Mutex(State())

    var count: Int { state.withLock(\.targets.count) }
    var bytes: Int { state.withLock(\.bytes) }

    /// - Parameter isComplete: True if no instances come after these.
    func add(_ targets: [BulkTarget], isComplete: Bool) {
        state.withLock { state in
            // An instance of a run has only one turn, although a damaged index may lead to it again.
            let targets = targets.drop { target in state.targets.last.map { target.mark <= $0.mark } ?? false }
            state.targets += targets
            state.bytes += targets.reduce(0) { $0 + $1.size }
            state.isComplete = isComplete
        }
    }

    /// Returns the first instances behind a mark. `isEnd` is true if the run ends with them.
    func next(after mark: BulkMark, atMost count: Int) -> (targets: ArraySlice<BulkTarget>, isEnd: Bool) {
        state.withLock { state in
            let first = state.targets.firstIndex { mark < $0.mark } ?? state.targets.endIndex
            let next = state.targets[first...].prefix(count)
            return (next, state.isComplete && next.endIndex == state.targets.endIndex)
        }
    }

    /// Removes and returns the instances whose turns are on disk.
    func drop(through mark: BulkMark) -> ArraySlice<BulkTarget> {
        state.withLock { state in
            let done = state.targets.prefix { $0.mark <= mark }
            state.targets.removeFirst(done.count)
            state.bytes -= done.reduce(0) { $0 + $1.size }
            return done
        }
    }
}
