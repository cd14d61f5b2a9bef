import GRDB
import GRDBSQLite
import WorkflowStore

/// The writing side of the SQLite store: the connection that does every write and every checkpoint.
final class SQLiteWriter: StoreWriter, SQLiteLookup {
    /// The operations that the writer still allows.
    enum Condition {
        case usable
        /// SQLite found damage; reading may work.
        case corrupt(StoreError)
        /// The content of the disk is unknown, or another process owns the store. The connection is closed.
        case stopped(StoreError)
        case closed
    }

    let file: StoreFile
    let connection: DatabaseQueue
    let readers: ReaderPool
    let view: any StoreView
    let limits: StoreLimits
    let writing: BatchWriting
    private let identity: StoreFile.Identity?
    private let lock: FileLock

    var condition = Condition.usable
    var log: WALMeter
    private let hook = WALHook()
    /// The backup in progress.
    var backup: SQLiteBackup?

    /// The frame at which a reader stops checkpoints, and the time since then.
    var stuck: (frames: Int, since: ContinuousClock.Instant)?
    /// The time at which the writer last looked for a reader that holds the log.
    var holdLooked = ContinuousClock.now
    /// True after pages were given back: the file shrinks at the next checkpoint.
    var mustCut = false
    /// False for a file without `auto_vacuum`, which another program made: it cannot give pages back.
    private let isShrinkable: Bool

    private(set) var holdsErased = false
    /// Decides when to empty the log of erased data. Each attempt beside a long reader delays all other readers.
    var emptying: LogEmptying
    private(set) var numbers: StoreNumbers
    private var marks: BatchWriting.Marks

    init(
        file: StoreFile, connection: DatabaseQueue, readers: ReaderPool, lock: FileLock, row: StoreRow,
        place: StorePlace?, limits: StoreLimits
    ) throws {
        self.file = file
        self.connection = connection
        self.readers = readers
        view = SQLiteView(readers)
        self.lock = lock
        self.limits = limits
        writing = BatchWriting(epoch: row.epoch, place: place, values: BoundValues())
        let (isShrinkable, backlog) = try connection.inDatabase { database in
            let isShrinkable = try ConnectionSettings.value(of: "auto_vacuum", on: database) == "2"
            var backlog = try AuditQueries.backlog(database, floor: row.keys.floor)
            if isShrinkable { backlog.freePages = try FilePages.read(database).surplus(limits) }
            return (isShrinkable, backlog)
        }
        self.isShrinkable = isShrinkable
        marks = BatchWriting.Marks(ledger: row.keys, backlog: backlog)
        identity = file.identity()?.identity
        log = WALMeter(limits: limits)
        emptying = LogEmptying(limits: limits)
        connection.inDatabase { [hook] database in hook.install(on: database) }
        numbers = row.numbers
        // A reader may have kept the log over the restart; the log may contain data that was erased before.
        holdsErased = StoreFile.size(of: file.wal) ?? 0 > 0
    }

    func commit(_ batches: [StoreBatch]) throws(StoreError) {
        try requireUsable()
        if batches.allSatisfy({ $0.isEmpty && $0.numbers == numbers }) { return }
        var last = numbers
        for batch in batches {
            try refuseGroundless(batch, on: last)
            try refuseUncovered(batch, on: last)
            last = batch.numbers
        }
        try refuseMovedFile()
        let order = batches.last { $0.sweep != nil }?.sweep
        // Callers learn of an erasure only when the log no longer contains the data.
        let erases = batches.contains { $0.erasure.records.contains { $0.walk == nil } }
        var marks = marks
        var (hasShrunk, isSwept) = (false, false)
        try transaction { database in
            marks = try self.writing.write(batches, marks, on: database)
            isSwept = self.marks.backlog.instances > 0 && marks.backlog.instances == 0
            if let order, self.isShrinkable, !marks.backlog.hasRows {
                let isNow = self.mayShrink && !erases && !isSwept
                hasShrunk = try self.shrink(isNow ? order : nil, &marks.backlog, database)
            }
        }
        if hasShrunk, marks.backlog.freePages == 0 { mustCut = true }
        self.marks = marks
        numbers = last
        if erases || isSwept { holdsErased = true }
    }

    /// Only the next start, which reads the log from the disk, finds the outcome.
    func resolve() -> CommitOutcome { .unknown }

    /// The lock keeps other processes out. The next commit detects a process that ignores the lock.
    func confirm() {}

    func probe() throws(StoreError) {
        try requireUsable()
        try refuseMovedFile()
        try transaction { database in
            // The row alone may fit on the disk when an event does not.
            if let free = self.file.freeBytes, free < self.limits.probeBytes {
                throw SQLiteFailure(code: SQLITE_FULL, message: "database or disk is full")
            }
            _ = try self.writing.write([StoreBatch(numbers: self.numbers)], self.marks, on: database)
        }
    }

    func acceptClock(_ now: Timestamp, by actor: Actor?) throws(StoreError) -> AcceptedClock {
        try requireUsable()
        try refuseMovedFile()
        let change = ChangeRecord(acceptingClock: now, by: actor, after: numbers)
        let keys = marks.ledger.accepting(ClockBegin(time: now, position: change.position))
        try transaction { database in try self.writing.acceptClock(keys, change, on: database) }
        marks.ledger = keys
        numbers.last = now
        numbers.nextPosition = change.position.next
        return try read { database in try StoreQueries.ahead(database, of: now) }
    }

    var partitions: [PartitionID] { [numbers.partition] }

    func numbers(in partition: PartitionID) -> StoreNumbers {
        // Proof: callers ask with one of `partitions`.
        precondition(partition == numbers.partition, "SQLite has one partition")
        return numbers
    }

    func forgottenKeys(in partition: PartitionID) -> Timestamp { marks.ledger.forgotten }

    func backlog(in partition: PartitionID) -> PurgeBacklog {
        var backlog = marks.backlog
        if !mayShrink { backlog.freePages = 0 }
        return backlog
    }

    /// False while the log contains erased data, and while a backup copies pages.
    private var mayShrink: Bool { !holdsErased && backup == nil }

    func timers(in partition: PartitionID, limit: Int) throws(StoreError) -> [TimerRecord] {
        guard partition == numbers.partition else { return [] }
        return try read { database in
            try TimerRecord.all(database, "ORDER BY due_ms, position, ordinal LIMIT ?", limit)
        }
    }

    /// The number of frames in the write-ahead log after the last commit.
    var logFrames: Int { hook.frames }

    /// Records that the log is empty: the next commit starts it over.
    ///
    /// - Parameter isEmpty: True if the log's file is empty too. Otherwise the file keeps its old bytes until they are
    ///   overwritten.
    func logStartedOver(isEmpty: Bool) {
        hook.frames = 0
        if isEmpty { holdsErased = false }
    }

    func releaseLock() {
        lock.release()
    }

    func read<T>(_ body: (Database) throws -> T) throws(StoreError) -> T {
        switch condition {
        case .usable, .corrupt: break
        case .stopped(let error): throw error
        case .closed: throw StoreError(.closed, "The store is closed")
        }
        do {
            return try connection.inDatabase(body)
        } catch {
            let error = StoreError(reading: file.given, error)
            // A value that is read wrongly would be written wrongly.
            if error.code == .corrupt, case .usable = condition { condition = .corrupt(error) }
            throw error
        }
    }

    /// Refuses to write to a file that was moved or deleted: after the next start nobody would find the data.
    private func refuseMovedFile() throws(StoreError) {
        guard file.identity()?.identity != identity else { return }
        let error = StoreError(
            .fenced, "Cannot write to '\(file.given)': the file was moved, replaced or deleted while it was in use")
        stop(error)
        throw error
    }

    /// Rejects a batch that was built on a batch that is not in the store.
    private func refuseGroundless(_ batch: StoreBatch, on numbers: StoreNumbers) throws(StoreError) {
        guard batch.base ?? numbers == numbers else {
            throw StoreError(.constraint, "Cannot write to '\(file.given)': the batch before this one is not there")
        }
    }

    /// Rejects a batch with rows past its own numbers. Such a number would be assigned twice, and the next start would
    /// refuse the file.
    private func refuseUncovered(_ batch: StoreBatch, on numbers: StoreNumbers) throws(StoreError) {
        let positions = numbers.nextPosition..<max(batch.numbers.nextPosition, numbers.nextPosition)
        let isCovered =
            batch.numbers.nextPosition >= numbers.nextPosition && batch.numbers.nextInstance >= numbers.nextInstance
            && batch.numbers.last >= numbers.last && batch.numbers.partition == numbers.partition
            && batch.journal.indices.allSatisfy { positions.contains(batch.journal[$0].position) }
            && batch.newInstances.indices.allSatisfy { batch.newInstances[$0].id < batch.numbers.nextInstance }
            && batch.machines.allSatisfy { $0.id < batch.numbers.nextMachine }
            && batch.purged.allSatisfy { positions.contains($0.position) }
            && batch.changes.allSatisfy { positions.contains($0.position) }
            && hasFreePositions(batch, in: positions)
        guard isCovered else {
            throw StoreError(.constraint, "Cannot write to '\(file.given)': the batch has rows past its own numbers")
        }
        guard batch.numbers.arePlausible else {
            throw StoreError(
                .constraint, "Cannot write to '\(file.given)': its numbers, or the clock's time, are past their end")
        }
    }

    /// Returns true if each new effect has a position of the batch that no journal row has. The table of effects alone
    /// would accept the position of a journal row.
    private func hasFreePositions(_ batch: StoreBatch, in positions: Range<Position>) -> Bool {
        if batch.newEffects.isEmpty { return true }
        let taken = Set(batch.journal.lazy.map(\.position))
        return batch.newEffects.indices.allSatisfy { place in
            let id = batch.newEffects[place].id
            return positions.contains(id) && !taken.contains(id)
        }
    }
}

extension SQLiteWriter {
    /// Throws the reason if nothing may be written any more.
    func requireUsable() throws(StoreError) {
        switch condition {
        case .usable: return
        case .corrupt(let error), .stopped(let error): throw error
        case .closed: throw StoreError(.closed, "The store is closed")
        }
    }

    /// Runs one write transaction. An error before COMMIT has changed nothing. An error in COMMIT has an unknown
    /// outcome, unless the disk is full.
    func transaction(_ body: (Database) throws -> Void) throws(StoreError) {
        let failed: FailedTransaction?
        do {
            failed = try connection.inDatabase { database in try Self.attempt(body, on: database) }
        } catch {
            // The error was thrown before the transaction began.
            failed = FailedTransaction(stage: .beforeCommit, error: error)
        }
        if let failed { throw judge(failed) }
    }

    private struct FailedTransaction {
        enum Stage {
            case beforeCommit, commit
        }

        let stage: Stage
        let error: any Error
    }

    /// Runs the transaction; returns `nil` if it was committed. After a failure no transaction is open, unless SQLite
    /// cannot roll it back.
    private static func attempt(_ body: (Database) throws -> Void, on database: Database) throws -> FailedTransaction? {
        // A ROLLBACK that failed leaves its transaction open.
        rollback(database)
        var stage = FailedTransaction.Stage.beforeCommit
        do {
            try database.run("BEGIN IMMEDIATE")
            try body(database)
            var commit = try PreparedStatement(database, "COMMIT")
            stage = .commit
            try commit.run()
            return nil
        } catch {
            rollback(database)
            return FailedTransaction(stage: stage, error: error)
        }
    }

    /// Rolls back an open transaction. A failed statement may have rolled back already
    /// (https://sqlite.org/lang_transaction.html). If ROLLBACK fails, the transaction stays open, and the next attempt
    /// begins by rolling it back.
    private static func rollback(_ database: Database) {
        guard database.isInsideTransaction, var rollback = try? PreparedStatement(database, "ROLLBACK") else { return }
        try? rollback.run()
    }

    private func judge(_ failed: FailedTransaction) -> StoreError {
        if let error = failed.error as? StoreError {
            if error.code == .fenced { stop(error) }
            return error
        }
        let failure = SQLiteFailure(failed.error)
        let text = "Cannot write to '\(file.given)': \(failure)"
        if failure.isCorrupt {
            let error = StoreError(.corrupt, failure.isOurs ? text : text + "; restore a backup")
            condition = .corrupt(error)
            return error
        }
        switch failed.stage {
        case .beforeCommit:
            return StoreError(failure.isOfTheBatch ? .constraint : .unavailable, text)
        case .commit where failure.isFull:
            return StoreError(.unavailable, text)
        case .commit:
            return outcomeUnknown(failure)
        }
    }

    /// Stops the writer because the content of the disk is unknown. After a failed fsync the next fsync succeeds
    /// without having written anything (https://lwn.net/Articles/752063/).
    func outcomeUnknown(_ failure: SQLiteFailure) -> StoreError {
        let error = StoreError(
            .outcomeUnknown,
            "Writing to '\(file.given)' failed in a way that leaves open what is on the disk: \(failure); start again")
        stop(error)
        return error
    }

    /// Ends all writing for good.
    ///
    /// Closing the last connection would checkpoint (https://sqlite.org/wal.html#ckpt). So the writer's connection is
    /// closed while the readers' connections, which can only read, still hold the file.
    private func stop(_ error: StoreError) {
        // A connection that a backup copies from cannot be closed.
        abandonBackup()
        condition = .stopped(error)
        // The connection cannot be used again, even if closing it fails.
        try? connection.close()
    }
}
