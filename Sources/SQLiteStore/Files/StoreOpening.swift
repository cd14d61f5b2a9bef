import GRDB
import WorkflowMigrations
import WorkflowStore

/// Prepares a store for use: locks, checks, recovers, upgrades and takes over the file.
struct StoreOpening {
    let file: StoreFile
    let now: Timestamp
    let clock: StoreClock
    let limits: StoreLimits
    let migrations: [Migration]
    /// The latest time of a store; a store that was written to later is refused. `nil` accepts any time.
    let latest: Timestamp?
    /// True to start no effect until an operator releases them.
    let holds: Bool
    /// The way in which an older file is upgraded.
    let upgrade: UpgradeOptions
    /// Determines where the file is; `nil` to open the file at any place.
    let placeSource: PlaceSource?

    private var newest: Int64 { migrations.last?.version ?? 0 }

    func run() throws(StoreError) -> SQLiteFileStore {
        // The header is read before the lock is taken, so that a foreign file does not even get a lock file beside it.
        // If a lock file exists, a store of this process may have the file open. Reading the file here would then drop
        // its POSIX locks.
        if StoreFile.size(of: file.lock) == nil { _ = try FileHeader.accept(file, newest: newest) }
        let lock = try FileLock(file)
        let isThere = try FileHeader.accept(file, newest: newest) != nil
        if let interrupted = InterruptedRestore(file) { throw interrupted.error(file) }
        if isThere { try file.refuseSeveralNames() }
        try file.refuseForeignParts()
        lock.sign()
        file.removeBackups()
        file.removeUnfinishedRestore()
        file.removeUnfinishedCompaction()
        file.removeUnfinishedCopies()
        if !isThere { try FileCreation(file: file, migrations: migrations, now: now, clock: clock).run() }
        do {
            return try open(lock: lock, wasCreated: !isThere)
        } catch {
            lock.release()
            throw StoreError(opening: file, error)
        }
    }

    private func open(lock: FileLock, wasCreated: Bool) throws -> SQLiteFileStore {
        var recovered = StoreRecovery()
        recovered.wasCreated = wasCreated
        let logSize = StoreFile.size(of: file.wal)
        if let bytes = logSize, bytes > 0 {
            recovered.logBytesFound = bytes
            // The log is examined before SQLite ends it there and moves it into the file.
            recovered.logBreak = try LogWalk(file.wal, for: file.given)?.found
            try judgeThroughLog()
        }
        let isHeldLogInDatabase = wasCreated ? nil : try HeldLog(file: file).isInDatabase()
        do {
            return try connect(lock, &recovered, hadLog: logSize != nil, isHeldLogInDatabase)
        } catch {
            // A file that has only some of the log's pages looks damaged.
            let isDamage = (error as? StoreError)?.code == .damaged || SQLiteFailure(error).isCorrupt
            throw isHeldLogInDatabase == false && isDamage ? lostLog(hadLog: logSize != nil, isHeld: true) : error
        }
    }

    /// Opens the connections and takes the store over.
    private func connect(
        _ lock: FileLock, _ recovered: inout StoreRecovery, hadLog: Bool, _ isHeldLogInDatabase: Bool?
    ) throws -> SQLiteFileStore {
        let connection = try DatabaseQueue(
            path: file.path, configuration: ConnectionSettings.writer(limits).configuration("writer", file))
        let readers = try ReaderPool(file: file, limits: limits)
        do {
            let (row, place, lineage) = try connection.inDatabase { database in
                let (row, place) = try prepare(database, &recovered, hadLog: hadLog, isHeldLogInDatabase)
                return (row, place, try Lineage.read(database, generation: row.generation))
            }
            let writer = try SQLiteWriter(
                file: file, connection: connection, readers: readers, lock: lock, row: row, place: place,
                limits: limits)
            return SQLiteFileStore(
                writer: writer, readers: readers, row: row, lineage: lineage, recovered: recovered,
                opening: self)
        } catch {
            giveUp(connection, readers, error, hadLog: hadLog)
            throw error
        }
    }

    /// Closes the connections. If there was a log, the writer's connection closes first: as the last one it would
    /// checkpoint and remove the log. After a failed fsync that could lose the data that only the log has. If there was
    /// no log and the error is a `StoreError`, the writer's connection closes last, and no log stays.
    private func giveUp(_ connection: DatabaseQueue, _ readers: ReaderPool, _ error: any Error, hadLog: Bool) {
        // The reason why opening failed matters, not a failure of closing.
        if error is StoreError, !hadLog { try? readers.close() }
        try? connection.close()
        try? readers.close()
    }

    /// Judges the header's numbers as the log has them: a newer wfd may have raised them without a later checkpoint.
    private func judgeThroughLog() throws {
        let hadIndex = StoreFile.size(of: file.index) != nil
        var configuration = Configuration()
        configuration.readonly = true
        let connection = try DatabaseQueue(path: file.path, configuration: configuration)
        let header = try connection.inDatabase { database in
            FileHeader(
                applicationID: try Int64.fetchOne(database, sql: "PRAGMA application_id") ?? 0,
                userVersion: try Int64.fetchOne(database, sql: "PRAGMA user_version") ?? 0)
        }
        try connection.close()
        do {
            try header.judge(file, newest: newest)
        } catch {
            // SQLite creates an index for the log even to read it.
            if !hadIndex { file.removeIndex() }
            throw error
        }
    }

    /// Recovers the log, upgrades and checks the schema, checks the last rows, and takes the store over.
    ///
    /// - Parameter isHeldLogInDatabase: The answer of `HeldLog.isInDatabase()`.
    private func prepare(
        _ database: Database, _ recovered: inout StoreRecovery, hadLog: Bool, _ isHeldLogInDatabase: Bool?
    ) throws -> (StoreRow, StorePlace?) {
        let schema = SchemaSteps(file: file, migrations: migrations)
        recovered.openedVersion = try schema.version(of: database)
        try schema.check(database)
        try refuseClock(database)
        if let row = try StoreRow.read(database), !row.isClean, !recovered.wasCreated {
            guard isHeldLogInDatabase ?? hadLog else {
                throw lostLog(hadLog: hadLog, isHeld: isHeldLogInDatabase != nil)
            }
            recovered.logWasMoved = !hadLog
        }
        if recovered.logBreak?.isProof == true, let bytes = recovered.logBytesFound {
            recovered.logBreak?.copy = keepLog(bytes)
        }
        // Rewrites pages that a failed fsync may have left only in the page cache.
        try WALCheckpoint.truncate.runTolerant(on: database)
        if try SchemaUpgrade(file: file, schema: schema, options: upgrade, limits: limits).run(database) {
            // After the checkpoint the header itself shows the new version to an older wfd.
            try WALCheckpoint.truncate.runTolerant(on: database)
            try schema.check(database)
        }
        recovered.copiesBeforeUpgrades = file.copiesBeforeUpgrades
        recovered.schemaVersion = try schema.version(of: database)
        guard let row = try StoreRow.read(database) else {
            throw StoreError(.damaged, "Cannot open '\(file.given)': its row in 'store' is missing; restore a backup")
        }
        recovered.wasClean = row.isClean
        recovered.rowsChecked = try TailCheck(file: file, row: row, limit: limits.tailRows).run(database)
        // The file still says that it was closed in order, and a start that fails here leaves it so.
        try HeldLog(file: file).hold()
        return try takeOver(database, row, &recovered)
    }

    /// Returns the error of a log that is missing, or that is another one than the held log. A killed daemon leaves a
    /// log, even an empty one, and the file says that it was not closed in order.
    private func lostLog(hadLog: Bool, isHeld: Bool) -> StoreError {
        let lost = hadLog ? "is not the one that wfd wrote" : "is missing"
        let back =
            isHeld
            ? "unless another program has written to the database since, rename '\(file.heldLog)', which is that "
                + "log, to it"
            : "put it back"
        let without = [
            isHeld ? "moving '\(file.heldLog)' away" : nil, hadLog ? nil : "making an empty file '\(file.wal)'",
        ]
        return StoreError(
            .damaged,
            "Cannot open '\(file.given)': it was not closed in order, and its write-ahead log '\(file.wal)' \(lost), "
                + "so the last commits are missing; \(back), restore a backup, or go on without them by "
                + without.compactMap(\.self).joined(separator: " and "))
    }

    /// Refuses a store of another clock, or of a later time, before anything is written. The machine's clock was wrong
    /// at that time or is wrong now, and timers would fire at unintended times.
    private func refuseClock(_ database: Database) throws {
        guard let row = try StoreRow.read(database) else { return }
        try row.require(clock, of: file)
        guard let latest, row.last > latest else { return }
        throw StoreError(
            .clockBehind,
            "Cannot open '\(file.given)': its last event is of \(row.last.text), but this machine's clock says "
                + "\(now.text); set the clock, or accept it with 'wfd clock accept'")
    }

    /// Copies a damaged log, of which SQLite leaves nothing; returns `nil` if the copy fails.
    private func keepLog(_ bytes: Int64) -> String? {
        let copy = "\(file.path).damaged-wal-\(now.fileName)"
        do {
            try file.requireSpace(for: bytes, limits: limits)
            try StoreFile.createEmpty(copy, for: file.given)
            try FileReader(file.wal, for: file.given).copy(to: copy, limits: limits)
            try StoreFile.flush(copy, for: file.given)
            return copy
        } catch {
            // The report then says that there is no copy.
            return nil
        }
    }

    /// Raises the epoch, so that a process that still believes it owns the store cannot write.
    ///
    /// If the file has moved, it keeps its old recorded place until a release of effects writes the new one. The hold
    /// at the new place is not stored. Nothing starts there, so a start back at the old place need not hold anything.
    private func takeOver(
        _ database: Database, _ row: StoreRow, _ recovered: inout StoreRecovery
    ) throws -> (StoreRow, StorePlace?) {
        var taken: StoreRow?
        var place = placeSource?.place(of: file.path)
        try database.inTransaction(.immediate) {
            if let found = place {
                let before = try PlaceQueries.read(database) ?? StorePlace()
                recovered.placeChange = PlaceChange(from: before, to: found)
                if recovered.placeChange == nil {
                    let whole = found.completed(by: before)
                    try PlaceQueries.write(whole, database)
                    place = whole
                }
            }
            try database.execute(
                sql: "UPDATE store SET epoch = epoch + 1, clean = 0\(holds ? ", held = 1" : "") WHERE id = 1")
            taken = try StoreRow.read(database)
            return .commit
        }
        guard let taken, taken.epoch == row.epoch + 1 else {
            throw StoreError(.fenced, "Cannot open '\(file.given)': another process took it over at the same moment")
        }
        recovered.holdReason = try holdReason(row, recovered.placeChange, database)
        // After the checkpoint the file itself says that it is in use, even if its log is lost.
        try WALCheckpoint.truncate.runTolerant(on: database)
        return (taken, place)
    }

    /// Returns the reason why effects are held from now on, and since when; `nil` if effects start.
    ///
    /// - Parameter row: The row as it was before this start.
    private func holdReason(_ row: StoreRow, _ change: PlaceChange?, _ database: Database) throws -> String? {
        if let change { return "\(change); held since this start, \(now.text)" }
        guard row.isHeld else { return holds ? "held since this start with '--hold', \(now.text)" : nil }
        // The file does not say whether a restore or `--hold` caused the hold.
        let restored = try Lineage.read(database, generation: row.generation).restorations
        guard let restoration = restored.last(where: { $0.generation == row.generation }) else {
            return "held since an earlier start with '--hold'"
        }
        return "held since 'wfd restore', \(restoration.restored.text), or since a start with '--hold' after it"
    }
}
