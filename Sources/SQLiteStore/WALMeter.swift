import GRDB
import GRDBSQLite

/// Decides when the write-ahead log is due for a checkpoint.
struct WALMeter {
    /// What to do now.
    enum Due: Equatable {
        case nothing, passive, restart, truncate
    }

    private let limits: StoreLimits
    private var last = 0
    private var passiveAt: Int
    private var restartAt: Int

    init(limits: StoreLimits) {
        self.limits = limits
        passiveAt = limits.passiveFrames
        restartAt = limits.restartFrames
    }

    /// Says what is due when the log has so many frames.
    mutating func due(frames: Int) -> Due {
        if frames < last {
            // The log has started over.
            passiveAt = limits.passiveFrames
            restartAt = limits.restartFrames
        }
        last = frames
        if frames >= restartAt { return frames >= limits.truncateFrames ? .truncate : .restart }
        return frames >= passiveAt ? .passive : .nothing
    }

    /// A passive checkpoint ran. Even a complete one leaves the log as long as it is until the next writer finds it
    /// without readers, and a reader can hold it back: trying after every batch would only cost.
    mutating func passiveRan() {
        passiveAt = last + limits.passiveStepFrames
    }

    /// The log was to start over. When that did not work, it is tried again after some more frames.
    mutating func restartRan() {
        passiveAt = last + limits.passiveStepFrames
        restartAt = last + limits.passiveStepFrames
    }
}

/// Hears from SQLite how long the log is after each commit (https://sqlite.org/c3ref/wal_hook.html).
final class WALHook {
    /// Written by SQLite inside COMMIT, on the writer's own thread.
    var frames = 0

    /// Installs the hook; this object must outlive the connection's last commit. To be done after `PRAGMA
    /// wal_autocheckpoint`, which uses the same hook.
    func install(on database: Database) {
        let context = Unmanaged.passUnretained(self).toOpaque()
        _ = sqlite3_wal_hook(
            database.sqliteConnection,
            { context, _, _, frames in
                guard let context else { return SQLITE_OK }
                Unmanaged<WALHook>.fromOpaque(context).takeUnretainedValue().frames = Int(frames)
                return SQLITE_OK
            }, context)
    }
}
