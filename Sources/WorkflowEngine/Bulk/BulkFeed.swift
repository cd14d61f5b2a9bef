import Statechart
import Synchronization
import WorkflowStore

/// One of the instances of a run.
struct BulkTarget: Sendable {
    let instance: InstanceName
    /// Nil where nobody looked.
    let id: InstanceID?
    /// Where the run stands when it had its turn.
    let mark: BulkMark
    var preparation = BulkPreparation.none
    /// Nil when it is where it was when the run began.
    var crossing: BulkCrossing?

    /// Roughly the bytes of what was prepared.
    var size: Int { preparation.size + 32 * (crossing?.stays.count ?? 0) }
}

/// The instances of a run that were read and have not had their turn on disk, in their order.
///
/// Who reads adds to the end; the writer takes those behind the mark of the run as a batch has it. So a batch that is
/// thrown away takes nothing with it.
final class BulkFeed: Sendable {
    private struct State {
        var targets: [BulkTarget] = []
        /// Of what was prepared for them.
        var bytes = 0
        var isComplete = false
    }

    private let state = Mutex(State())

    var count: Int { state.withLock(\.targets.count) }
    var bytes: Int { state.withLock(\.bytes) }

    /// - Parameter isComplete: Whether nothing is left behind them.
    func add(_ targets: [BulkTarget], isComplete: Bool) {
        state.withLock { state in
            // An instance of a run has its turn once, though a damaged index may lead to it again.
            let targets = targets.drop { target in state.targets.last.map { target.mark <= $0.mark } ?? false }
            state.targets += targets
            state.bytes += targets.reduce(0) { $0 + $1.size }
            state.isComplete = isComplete
        }
    }

    /// The first ones behind a mark, and whether the run ends with them.
    func next(after mark: BulkMark, atMost count: Int) -> (targets: ArraySlice<BulkTarget>, isEnd: Bool) {
        state.withLock { state in
            let first = state.targets.firstIndex { mark < $0.mark } ?? state.targets.endIndex
            let next = state.targets[first...].prefix(count)
            return (next, state.isComplete && next.endIndex == state.targets.endIndex)
        }
    }

    /// Lets go of those whose turn is on disk; gives them.
    func drop(through mark: BulkMark) -> ArraySlice<BulkTarget> {
        state.withLock { state in
            let done = state.targets.prefix { $0.mark <= mark }
            state.targets.removeFirst(done.count)
            state.bytes -= done.reduce(0) { $0 + $1.size }
            return done
        }
    }
}
