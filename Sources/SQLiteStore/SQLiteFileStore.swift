import GRDB
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

    /// The writer is not thread-safe, and need not be: the protocol gives it to one thread, and this class itself only
    /// hands it out. Its connection is behind a queue of its own.
    nonisolated(unsafe) private let sqliteWriter: SQLiteWriter

    /// The reading connections.
    package let readers: ReaderPool
    /// The bounds that it was opened with.
    package let limits: StoreLimits
    let file: StoreFile
    let migrations: [Migration]

    package var writer: any StoreWriter { sqliteWriter }

    init(
        writer: SQLiteWriter, readers: ReaderPool, row: StoreRow, lineage: Lineage, recovered: StoreRecovery,
        opening: StoreOpening
    ) {
        sqliteWriter = writer
        self.readers = readers
        limits = opening.limits
        file = opening.file
        migrations = opening.migrations
        identity = StoreIdentity(uuid: row.uuid, generation: row.generation)
        self.lineage = lineage
        self.recovered = recovered
    }

    /// What a pragma answers on the writer's own connection.
    package func pragma(_ name: String) throws -> String? {
        try sqliteWriter.connection.inDatabase { database in
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
    package static func open(
        at path: String, makingFolder: Bool = false, clock now: Timestamp, on clock: StoreClock = .real,
        notAfter latest: Timestamp? = nil, limits: StoreLimits = StoreLimits()
    ) throws(StoreError) -> SQLiteFileStore {
        try open(
            at: path, makingFolder: makingFolder, clock: now, on: clock, notAfter: latest, limits: limits,
            migrations: Migrations.all)
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
        notAfter latest: Timestamp? = nil, limits: StoreLimits, migrations: [Migration]
    ) throws(StoreError) -> SQLiteFileStore {
        SQLiteMemory.stopCounting()
        let file = try StoreFile(path, makingFolder: makingFolder)
        return try StoreOpening(
            file: file, now: now, clock: clock, limits: limits, migrations: migrations, latest: latest
        ).run()
    }
}
