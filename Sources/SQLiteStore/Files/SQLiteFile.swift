import GRDB
import WorkflowMigrations
package import WorkflowStore

/// The file of a store, opened only to read: beside the daemon that has it open, or a copy.
///
/// What a process that was killed left in the write-ahead log is read too. Nothing is changed; but as SQLite needs an
/// index for the log (https://sqlite.org/wal.html#read_only_databases), the folder must be one to write in.
package final class SQLiteFile: SQLiteReading {
    package let identity: StoreIdentity
    /// The reading connections.
    package let readers: ReaderPool
    /// The bounds that it was opened with.
    package let limits: StoreLimits
    /// Whether the file says that it was not closed in order, and there was no write-ahead log beside it: what was
    /// committed last may be missing. It is so for a copy of a file that a daemon had open.
    package let isLogMissing: Bool
    /// The log goes on behind the place where SQLite ends it; nil, too, while a daemon writes to it.
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
        isLogMissing = !row.isClean && leftovers.hadNoLog && !leftovers.isLogInFile
    }

    /// Opens a file that is there; refuses one of another program or of a newer schema, and one whose schema is not to
    /// the letter what we make.
    ///
    /// - Parameter clock: One of another clock is refused, too; nil for that of any.
    package static func open(
        at path: String, on clock: StoreClock? = nil, limits: StoreLimits = StoreLimits()
    ) throws(StoreError) -> SQLiteFile {
        try open(try StoreFile(existing: path), on: clock, limits)
    }

    /// `open(at:on:limits:)` for a file whose place is resolved.
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

    /// Looks for a break in the log. What a daemon has written by half looks like one.
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

    /// Ends reading and closes the file.
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

/// What SQLite puts beside a file in WAL mode that is opened to read, and leaves there.
private struct Leftovers: Sendable {
    let file: StoreFile
    private let paths: [String]
    /// Whether there was no write-ahead log.
    var hadNoLog: Bool { paths.contains(file.wal) }

    /// Whether another program moved the log into the file.
    let isLogInFile: Bool

    /// To be called before the file is opened.
    init(_ file: StoreFile) {
        self.file = file
        paths = [file.wal, file.index].filter { StoreFile.size(of: $0) == nil }
        // When the second name cannot be read, nobody knows.
        isLogInFile = paths.contains(file.wal) && (try? HeldLog(file: file).isInFile()) == true
    }

    /// Removes what was not there before, unless a daemon uses it now.
    func remove() {
        guard !paths.isEmpty else { return }
        guard StoreFile.size(of: file.lock) != nil else { return StoreFile.remove(paths) }
        // Held while they are removed, so that no daemon begins to use them meanwhile; one that has begun keeps them.
        guard let lock = try? FileLock(reading: file) else { return }
        // A log with something in it was written by somebody.
        if StoreFile.size(of: file.wal) ?? 0 == 0 { StoreFile.remove(paths) }
        lock.release()
    }
}
