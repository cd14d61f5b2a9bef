import GRDB
import GRDBSQLite

/// A way to move the write-ahead log into the file (https://sqlite.org/c3ref/wal_checkpoint_v2.html).
enum WALCheckpoint {
    /// Moves the frames that no reader still needs; does not wait.
    case passive
    /// Moves everything, and lets the next writer start the log over. Needs a log that nobody reads.
    case restart
    /// Like `restart`, and makes the log's file empty.
    case truncate

    /// The result of a checkpoint.
    enum Outcome: Equatable {
        /// The file has all frames of the log, this many.
        case complete(frames: Int)
        /// A reader needs the frames after this number, or the log itself.
        case held(frames: Int)
        /// The disk is full.
        case noRoom
    }

    private var mode: CInt {
        switch self {
        case .passive: SQLITE_CHECKPOINT_PASSIVE
        case .restart: SQLITE_CHECKPOINT_RESTART
        case .truncate: SQLITE_CHECKPOINT_TRUNCATE
        }
    }

    /// Runs the checkpoint. Call this method only on the writer's connection.
    ///
    /// - Throws: Every error but a full disk and a lock that somebody else holds. After such an error it is unknown
    ///   what was flushed.
    func run(on database: Database) throws(SQLiteFailure) -> Outcome {
        var frames: CInt = 0
        var moved: CInt = 0
        let connection = database.sqliteConnection
        let code = sqlite3_wal_checkpoint_v2(connection, "main", mode, &frames, &moved)
        if code == SQLITE_OK, frames == moved { return .complete(frames: Int(moved)) }
        if code == SQLITE_OK { return .held(frames: Int(moved)) }
        let failure = SQLiteFailure(code: code, on: connection)
        if failure.isBusy { return .held(frames: Int(moved)) }
        guard failure.isFull else { throw failure }
        return .noRoom
    }

    /// Runs the checkpoint and ignores its outcome.
    func runTolerant(on database: Database) throws(SQLiteFailure) {
        _ = try run(on: database)
    }
}
