import GRDB
import WorkflowMigrations
package import WorkflowStore

/// The file of a store, opened only to read: a copy, or the file that a daemon has open.
///
/// Reading includes the write-ahead log that a killed process left. Nothing is changed. SQLite needs an index for the
/// log (https://sqlite.org/wal.html#read_only_databases), so the folder must be writable.
package final class SQLiteFile: SQLiteReading {
    package let identity: StoreIdentity
    /// The reading connections.
    package let readers: ReaderPool
    /// The limits that the file was opened with.
    package let limits: StoreLimits
    /// True if the last commits may be missing: the file was not closed in order, and its write-ahead log is missing or
    /// another one. A copy of a file that a daemon had open is such a file.
    package let isLogMissing: Bool
    /// The break in the log; `nil` if there is none, or while a daemon writes to the log.
    package let logBreak: LogBreak?
    private let leftovers: Leftovers

    private init(
        row: StoreRow, readers: ReaderPool, limits: StoreLimits, leftovers: Leftovers, logBreak: LogBreak?
    ) {
        self.logBreak = logBreak
        identity = StoreIdentity(uuid: row.uuid, generation: row.generation)
        self.readers = readers
        self.limits = limits
        self.leftovers = leftovers
        isLogMissing = !row.isClean && !leftovers.hadLog
    }

    /// Opens an existing file. Refuses a file of another program or of a newer schema, and a file whose schema differs
    /// from ours in any letter.
    ///
    /// - Parameter clock: A file of another clock is refused too; `nil` accepts any clock.
    package static func open(
        at path: String, on clock: StoreClock? = nil, limits: StoreLimits = StoreLimits()
    ) throws(StoreError) -> SQLiteFile {
        try open(try StoreFile(existing: path), on: clock, limits)
    }

    /// Opens a file as `open(at:on:limits:)` does; its path is already resolved.
    static func open(
        _ file: StoreFile, on clock: StoreClock? = nil, _ limits: StoreLimits
    ) throws(StoreError) -> SQLiteFile {
        let path = file.given
        let migrations = Migrations.all
        guard try FileHeader.accept(file, of: .anybody, newest: migrations.last?.version ?? 0) != nil else {
            throw StoreError(.cannotOpen, "Cannot open '\(path)': there is no such file")
        }
        try file.refuseForeignParts(of: .anybody)
        let leftovers = Leftovers(file)
        do {
            var limits = limits
            limits.readers = 1
            let readers = try ReaderPool(file: file, limits: limits)
            let row = try readers.inspect { database in
                try SchemaSteps(file: file, migrations: migrations).check(database)
                return try StoreRow.read(database)
            }
            guard let row else {
                throw StoreError(.damaged, "Cannot open '\(path)': its row in 'store' is missing")
            }
            if let clock { try row.require(clock, of: file) }
            return SQLiteFile(
                row: row, readers: readers, limits: limits, leftovers: leftovers,
                logBreak: try brokenLog(of: file))
        } catch {
            leftovers.remove()
            throw StoreError(opening: file, error)
        }
    }

    /// Looks for a break in the log. A half-written frame of a running daemon looks like a break, so the lock is taken.
    private static func brokenLog(of file: StoreFile) throws(StoreError) -> LogBreak? {
        guard StoreFile.size(of: file.wal) ?? 0 > 0 else { return nil }
        var lock: FileLock?
        if StoreFile.size(of: file.lock) != nil {
            do {
                lock = try FileLock(reading: file)
            } catch {
                if error.code == .locked { return nil }
                throw error
            }
        }
        defer { lock?.release() }
        return try LogWalk(file.wal, for: file.given)?.found
    }

    /// Ends all reads and closes the file.
    package func close() throws(StoreError) {
        _ = readers.gate.end()
        do {
            try readers.close()
        } catch {
            throw StoreError(reading: leftovers.file.given, error)
        }
        leftovers.remove()
    }
}

/// The files that SQLite creates beside a file in WAL mode that is opened to read, and does not remove.
private struct Leftovers: Sendable {
    let file: StoreFile
    private let paths: [String]
    /// True if the log was there, or its content: another program may have moved the log into the file.
    let hadLog: Bool

    /// Notes which files are missing. Create this value before the file is opened.
    init(_ file: StoreFile) {
        self.file = file
        paths = [file.wal, file.index].filter { StoreFile.size(of: $0) == nil }
        // If the second name cannot be read, the answer is unknown and counts as if there were none.
        hadLog = (try? HeldLog(file: file).isInDatabase()) ?? !paths.contains(file.wal)
    }

    /// Removes the files that did not exist before, unless a daemon uses them now.
    func remove() {
        guard !paths.isEmpty else { return }
        guard StoreFile.size(of: file.lock) != nil else { return StoreFile.remove(paths) }
        // The lock is held during the removal, so that no daemon begins to use the files. A daemon that has begun keeps
        // them.
        guard let lock = try? FileLock(reading: file) else { return }
        // A log with content was written by another process.
        if StoreFile.size(of: file.wal) ?? 0 == 0 { StoreFile.remove(paths) }
        lock.release()
    }
}
