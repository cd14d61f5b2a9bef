import Foundation
import Synchronization
import WorkflowStore

/// Holds the remains of deleted instances as of the last commit, for the lane, which removes them, and for monitoring.
final class PurgeWatch: Sendable {
    private struct State {
        var backlog = PurgeBacklog(floor: Position(rawValue: 0))
        var inLogSince: ContinuousClock.Instant?
    }

    private let state = Mutex(State())

    var backlog: PurgeBacklog { state.withLock(\.backlog) }

    /// True while the write-ahead log may contain erased data.
    var isInLog: Bool { timeInLog != nil }

    /// The time for which the write-ahead log may have contained erased data; `nil` if it contains none.
    var timeInLog: Duration? { state.withLock(\.inLogSince).map { ContinuousClock.now - $0 } }

    /// Sets both values at once, because a caller that waited for the rows goes on to wait for the log.
    func see(_ backlog: PurgeBacklog, isInLog: Bool) {
        state.withLock { state in
            state.backlog = backlog
            Self.see(isInLog: isInLog, in: &state)
        }
    }

    func see(isInLog: Bool) { state.withLock { Self.see(isInLog: isInLog, in: &$0) } }

    private static func see(isInLog: Bool, in state: inout State) {
        state.inLogSince = isInLog ? state.inLogSince ?? .now : nil
    }

    /// Returns the reason why erased data is still in the files; `nil` when the data is gone.
    func pending(of kind: ErasureKind) -> String? {
        let state = state.withLock { $0 }
        if kind == .deletion, state.backlog.instances > 0 {
            let rows = state.backlog.rows == 1 ? "1 row" : "\(state.backlog.rows) rows"
            return "\(rows) of deleted instances are left, and go in the background"
        }
        return state.inLogSince != nil
            ? "another program reads the database, whose log holds what was erased until that program has ended" : nil
    }
}

/// The ways in which erased data leaves the files.
enum ErasureKind {
    /// A redaction: its rows are empty already, and the log may still contain their data.
    case redaction
    /// A deletion: the rows of all deleted instances are removed first, and then the log is emptied.
    case deletion
}
