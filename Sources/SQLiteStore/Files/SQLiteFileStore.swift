import GRDB
import Synchronization
package import WorkflowMigrations
package import WorkflowStore

/// A store in one SQLite file.
///
/// One connection does every write and every checkpoint: SQLite 3.7.0 to 3.51.2 can corrupt a write-ahead log that two
/// connections start over at once (https://sqlite.org/wal.html#walresetbug). A few read-only connections do the
/// reading, in slices far below a second, so that the log never waits long for them.
package final class SQLiteFileStore: WorkflowStore, SQLiteReading {
    package let identity: StoreIdentity
    package let lineage: Lineage

    /// What opening found and did.
    package let recovered: StoreRecovery

    /// The highest time at which it had been written to when it was opened.
    package let last: Timestamp

    /// The writing side, until somebody takes it.
    private let untaken: Mutex<SQLiteWriter?>
    /// The writing side's connection, behind a queue of its own.
    private let connection: DatabaseQueue

    /// The reading connections.
    package let readers: ReaderPool
    /// The bounds that it was opened with.
    package let limits: StoreLimits
    let file: StoreFile
    let migrations: [Migration]

    init(
        writer: sending SQLiteWriter, readers: ReaderPool, row: StoreRow, lineage: Lineage, recovered: StoreRecovery,
        opening: StoreOpening
    ) {
        connection = writer.connection
        untaken = Mutex(writer)
        last = row.last
        self.readers = readers
        limits = opening.limits
        file = opening.file
        migrations = opening.migrations
        identity = StoreIdentity(uuid: row.uuid, generation: row.generation)
        self.lineage = lineage
        self.recovered = recovered
    }

    package var holdReason: String? { recovered.holdReason }

    package func writer() throws(StoreError) -> sending any StoreWriter {
        let taken = untaken.withLock { untaken -> SQLiteWriter? in
            let taken = untaken
            untaken = nil
            return taken
        }
        guard let taken else {
            throw StoreError(.locked, "Cannot write to '\(file.given)': its writing side is taken already")
        }
        return taken
    }

    /// Closes what a writer that had to stop has left open, and writes nothing. Its lock goes with the writer.
    package func closeAsItIs() throws(StoreError) { try readers.close(after: connection) }

    /// What a pragma answers on the writer's own connection.
    package func pragma(_ name: String) throws -> String? {
        try connection.inDatabase { database in
            try ConnectionSettings.value(of: name, on: database)
        }
    }
}

extension SQLiteFileStore {
    /// Opens or creates the store at a path.
    ///
    /// When it returns, what the last process left in the write-ahead log is in the file, the schema is ours and the
    /// newest, the last rows are what was written, and this process is the only one to write. A file of another program
    /// or of a newer schema is refused untouched, and so is one whose times are of another clock.
    ///
    /// - Parameters:
    ///   - makingFolder: Whether a directory that is missing is created: for a path that nobody typed.
    ///   - latest: Refuses, untouched, a store that was written to at a later time; nil takes any.
    ///   - holds: Whether no effect starts until somebody releases them; otherwise that stays as it is.
    ///   - place: Tells where the file is: at another place than before effects are held, too. Nil where nobody could
    ///     release them: then the file may be anywhere.
    package static func open(
        at path: String, makingFolder: Bool = false, clock now: Timestamp, on clock: StoreClock = .real,
        notAfter latest: Timestamp? = nil, holds: Bool = false, place: PlaceSource? = nil,
        limits: StoreLimits = StoreLimits()
    ) throws(StoreError) -> SQLiteFileStore {
        try open(
            at: path, makingFolder: makingFolder, clock: now, on: clock, notAfter: latest,
            holds: holds, place: place, limits: limits, migrations: Migrations.all)
    }

    /// Throws `locked` when another process has the store of a path open. Changes nothing.
    package static func refuseHeld(at path: String) throws(StoreError) {
        // What is not there is held by nobody.
        guard let file = try? StoreFile(existing: path), StoreFile.size(of: file.lock) != nil else { return }
        try FileLock(reading: file).release()
    }

    /// `open(at:clock:limits:)` with other steps of the schema, for tests.
    package static func open(
        at path: String, makingFolder: Bool = false, clock now: Timestamp, on clock: StoreClock = .real,
        notAfter latest: Timestamp? = nil, holds: Bool = false, place: PlaceSource? = nil, limits: StoreLimits,
        migrations: [Migration]
    ) throws(StoreError) -> SQLiteFileStore {
        SQLiteMemory.stopCounting()
        let file = try StoreFile(path, makingFolder: makingFolder)
        return try StoreOpening(
            file: file, now: now, clock: clock, limits: limits, migrations: migrations, latest: latest,
            holds: holds, placeSource: place
        ).run()
    }
}
