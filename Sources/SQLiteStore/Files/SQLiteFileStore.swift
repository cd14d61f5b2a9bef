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

    /// The findings and actions of opening the store.
    package let recovered: StoreRecovery

    /// The highest time of a write before the store was opened.
    package let last: Timestamp

    /// The writing side, until `writer()` takes it.
    private let untaken: Mutex<SQLiteWriter?>
    /// The writing side's connection, with a queue of its own.
    private let connection: DatabaseQueue

    /// The reading connections.
    package let readers: ReaderPool
    /// The limits that the store was opened with.
    package let limits: StoreLimits
    let file: StoreFile
    /// The path of the database, with links resolved. Files beside the database have names that begin with it.
    package var path: String { file.path }
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

    package func writer(of _: [PartitionID]) throws(StoreError) -> sending any StoreWriter {
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

    /// Closes the connections that a stopped writer has left open, and writes nothing. The writer releases its lock.
    package func closeAsItIs() throws(StoreError) { try readers.close(after: connection) }

    /// Returns the value of a pragma on the writer's own connection.
    package func pragma(_ name: String) throws -> String? {
        try connection.inDatabase { database in
            try ConnectionSettings.value(of: name, on: database)
        }
    }
}

extension SQLiteFileStore {
    /// Opens or creates the store at a path.
    ///
    /// When this function returns, the write-ahead log of the last process is in the file, and the schema is ours and
    /// the newest. The last rows are verified, and this process is the only one to write. A file of another program, of
    /// a newer schema, or of another clock is refused untouched.
    ///
    /// - Parameters:
    ///   - makingFolder: True to create a missing directory, for a path that nobody typed.
    ///   - latest: A store that was written to at a later time is refused untouched; `nil` accepts any time.
    ///   - holds: True to start no effect until an operator releases them; false leaves an existing hold as it is.
    ///   - place: Determines where the file is. If the place has changed, effects are held too. `nil` accepts any
    ///     place, for a caller who cannot release effects.
    ///   - upgrade: The way in which an older file is upgraded; by default a copy of it is kept.
    package static func open(
        at path: String, makingFolder: Bool = false, clock now: Timestamp, on clock: StoreClock = .real,
        notAfter latest: Timestamp? = nil, holds: Bool = false, place: PlaceSource? = nil,
        upgrade: UpgradeOptions = UpgradeOptions(), limits: StoreLimits = StoreLimits()
    ) throws(StoreError) -> SQLiteFileStore {
        try open(
            at: path, makingFolder: makingFolder, clock: now, on: clock, notAfter: latest,
            holds: holds, place: place, upgrade: upgrade, limits: limits, migrations: Migrations.all)
    }

    /// Throws `locked` if another process has the store at a path open. Changes nothing.
    package static func refuseHeld(at path: String) throws(StoreError) {
        // A missing file is held by nobody.
        guard let file = try? StoreFile(existing: path), StoreFile.size(of: file.lock) != nil else { return }
        try FileLock(reading: file).release()
    }

    /// Opens or creates a store with other migrations of the schema, for tests.
    package static func open(
        at path: String, makingFolder: Bool = false, clock now: Timestamp, on clock: StoreClock = .real,
        notAfter latest: Timestamp? = nil, holds: Bool = false, place: PlaceSource? = nil,
        upgrade: UpgradeOptions = UpgradeOptions(), limits: StoreLimits, migrations: [Migration]
    ) throws(StoreError) -> SQLiteFileStore {
        SQLiteMemory.stopCounting()
        let file = try StoreFile(path, makingFolder: makingFolder)
        return try StoreOpening(
            file: file, now: now, clock: clock, limits: limits, migrations: migrations, latest: latest,
            holds: holds, upgrade: upgrade, placeSource: place
        ).run()
    }
}
