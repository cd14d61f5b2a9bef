import Foundation
import Synchronization
import WorkflowStore

/// Holds the remains of deleted instances as of the last commits, for the lanes, which remove them, and for monitoring.
final class PurgeWatch: Sendable {
    private struct State {
        var backlogs: [PartitionID: PurgeBacklog] = [:]
        var inLogSince: ContinuousClock.Instant?
    }

    private let state = Mutex(State())

    /// The remains in all partitions. The floor and the first waiting row are the first partition's.
    var backlog: PurgeBacklog {
        state.withLock { state in
            let first = state.backlogs[.first] ?? PurgeBacklog(floor: Position(rawValue: 0))
            return state.backlogs.lazy.filter { $0.key != .first }.reduce(into: first) { $0.count($1.value) }
        }
    }

    /// Returns true if there is something to remove in a partition now.
    func isDue(in partition: PartitionID) -> Bool { state.withLock { $0.backlogs[partition]?.isDue ?? false } }

    /// True while the write-ahead log may contain erased data.
    var isInLog: Bool { timeInLog != nil }

    /// The time for which the write-ahead log may have contained erased data; `nil` if it contains none.
    var timeInLog: Duration? { state.withLock(\.inLogSince).map { ContinuousClock.now - $0 } }

    /// Sets both values at once, because a caller that waited for the rows goes on to wait for the log.
    func see(_ backlog: PurgeBacklog, in partition: PartitionID, isInLog: Bool) {
        state.withLock { state in
            state.backlogs[partition] = backlog
            Self.see(isInLog: isInLog, in: &state)
        }
    }

    func see(isInLog: Bool) { state.withLock { Self.see(isInLog: isInLog, in: &$0) } }

    private static func see(isInLog: Bool, in state: inout State) {
        state.inLogSince = isInLog ? state.inLogSince ?? .now : nil
    }

    /// Returns the reason why erased data is still in the files; `nil` when the data is gone.
    func pending(of kind: ErasureKind) -> String? {
        let backlog = backlog
        if kind == .deletion, backlog.instances > 0 {
            let rows = backlog.rows == 1 ? "1 row" : "\(backlog.rows) rows"
            return "\(rows) of deleted instances are left, and go in the background"
        }
        return isInLog
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
