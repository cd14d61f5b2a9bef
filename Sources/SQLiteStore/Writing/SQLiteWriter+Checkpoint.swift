import GRDB
import GRDBSQLite
import WorkflowStore

extension SQLiteWriter {
    func maintain() throws(StoreError) {
        try requireUsable()
        if holdsErased, emptying.isDue {
            try startOver(.truncate)
            return emptying.ended(hasFailed: holdsErased)
        }
        if mustCut || isHoldDue { return try startOver(.truncate) }
        switch log.due(frames: logFrames) {
        case .nothing: return
        case .passive: try passive()
        case .restart: try startOver(.restart)
        case .truncate: try startOver(.truncate)
        }
    }

    func close() throws(StoreError) {
        abandonBackup()
        switch condition {
        case .closed: throw StoreError(.closed, "The store is closed already")
        case .usable: try closeInOrder()
        case .corrupt(let error), .stopped(let error): try closeAsItIs(error)
        }
    }

    private func passive() throws(StoreError) {
        _ = try checkpoint(.passive)
        log.passiveRan()
    }

    /// Stops reads for a moment, so that the log can start over.
    private func startOver(_ kind: WALCheckpoint) throws(StoreError) {
        mustCut = false
        // Most of the log moves first, while the readers still read.
        _ = try checkpoint(.passive)
        log.restartRan()
        guard readers.gate.shut() else { return hold(isForeign: false) }
        defer { readers.gate.open() }
        switch try checkpoint(kind) {
        case .complete:
            readers.hold = nil
            logStartedOver(isEmpty: kind == .truncate)
        case .held: hold(isForeign: true)
        case .noRoom: break
        }
    }

    var logHold: LogHold? { readers.hold }

    /// True if the writer should look again for the reader that holds the log. So the log also shrinks while nothing is
    /// written.
    private var isHoldDue: Bool { readers.hold != nil && holdLooked + limits.logPause <= .now }

    /// Records that the log could not start over.
    private func hold(isForeign: Bool) {
        holdLooked = .now
        let since = isForeign ? stuck?.since : readers.gate.oldest
        readers.hold = LogHold(since: since ?? holdLooked, isForeign: isForeign)
    }

    private func checkpoint(_ kind: WALCheckpoint) throws(StoreError) -> WALCheckpoint.Outcome {
        do {
            let outcome = try connection.inDatabase { database in try kind.run(on: database) }
            note(outcome)
            return outcome
        } catch {
            throw outcomeUnknown(SQLiteFailure(error))
        }
    }

    /// Remembers since when checkpoints end at the same frame: the reader of that frame is at least as old.
    private func note(_ outcome: WALCheckpoint.Outcome) {
        switch outcome {
        case .held(let frames): if stuck?.frames != frames { stuck = (frames, .now) }
        // No reader needs a frame of the log, but a reader may still read after the last frame.
        case .complete(let frames): if stuck?.frames != frames { stuck = nil }
        case .noRoom: break
        }
    }

    /// Marks the file clean, moves the whole log into it, and closes the readers before the writer. The last connection
    /// removes the log, and a read-only connection cannot remove it.
    private func closeInOrder() throws(StoreError) {
        // Readers that stay too long only leave a log behind.
        _ = readers.gate.end()
        var failure: StoreError?
        do {
            try transaction { database in try self.writing.markClean(database) }
            _ = try checkpoint(.truncate)
        } catch {
            failure = error
        }
        // Without the mark the log must stay, even if the file has all of it: a missing log would look like a loss.
        if failure == nil { try closeConnections() } else { try closeAsItIs(failure) }
    }

    private func closeConnections() throws(StoreError) {
        condition = .closed
        defer { releaseLock() }
        do {
            try readers.close()
            try connection.close()
        } catch {
            throw StoreError(.unavailable, "Cannot close '\(file.given)': \(SQLiteFailure(error))")
        }
        HeldLog(file: file).letGo()
    }

    /// Closes without writing or checkpointing: closes the writer while the readers still hold the file.
    private func closeAsItIs(_ error: StoreError?) throws(StoreError) {
        condition = .closed
        defer { releaseLock() }
        try readers.close(after: connection)
        if let error { throw error }
    }
}

extension ReaderPool {
    /// Ends all reads, and closes the writing connection while the readers' connections still hold the file. So closing
    /// neither writes nor checkpoints.
    func close(after writing: DatabaseQueue) throws(StoreError) {
        _ = gate.end()
        do {
            try writing.close()
            try close()
        } catch {
            throw StoreError(.unavailable, "Cannot close '\(path)': \(SQLiteFailure(error))")
        }
    }
}

extension BatchWriting {
    /// Records that the daemon stopped in order.
    func markClean(_ database: Database) throws {
        var update = try PreparedStatement(database, "UPDATE store SET clean = 1 WHERE id = 1 AND epoch = ?", epoch)
        try update.run()
        guard update.changes == 1 else {
            throw StoreError(.fenced, "Cannot close in order: another process has taken the store over")
        }
    }
}

/// Decides when the write-ahead log is due for a checkpoint.
struct WALMeter {
    /// The checkpoint that is due.
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

    /// Returns the checkpoint that is due for a log of so many frames.
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

    /// Records that a passive checkpoint ran. Even a complete one does not shorten the log before the next writer finds
    /// it without readers. A reader can also hold the log back, so a checkpoint after every batch would only cost.
    mutating func passiveRan() {
        passiveAt = last + limits.passiveStepFrames
    }

    /// Records an attempt to start the log over. If the attempt failed, the next one follows after some more frames.
    mutating func restartRan() {
        passiveAt = last + limits.passiveStepFrames
        restartAt = last + limits.passiveStepFrames
    }
}

/// Decides when to empty the write-ahead log of erased data: at once, then after growing pauses while a reader prevents
/// it.
struct LogEmptying {
    private let limits: StoreLimits
    private var pause: Duration
    private var next = ContinuousClock.now

    init(limits: StoreLimits) {
        self.limits = limits
        pause = limits.emptyingPause
    }

    var isDue: Bool { ContinuousClock.now >= next }

    /// Records the end of an attempt.
    mutating func ended(hasFailed: Bool) {
        guard hasFailed else {
            pause = limits.emptyingPause
            return
        }
        next = .now + pause
        pause = min(pause * 2, limits.longestEmptyingPause)
    }
}

/// Receives the length of the log from SQLite after each commit (https://sqlite.org/c3ref/wal_hook.html).
final class WALHook {
    /// The number of frames in the log. SQLite sets it inside COMMIT, on the writer's own thread.
    var frames = 0

    /// Installs the hook. This object must outlive the connection's last commit. Install the hook after `PRAGMA
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
