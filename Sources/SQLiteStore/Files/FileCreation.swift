import GRDB
import WorkflowMigrations
import WorkflowStore

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Creates a new store. Whatever happens in between, the file is either whole or missing.
///
/// The file is built under another name in rollback-journal mode, where one file holds everything, then flushed and
/// renamed. The switch to a write-ahead log comes before the rename. The switch leaves a rollback journal whose removal
/// reaches the disk only later. If the journal came back beside a log, the file could not be read.
struct FileCreation {
    let file: StoreFile
    let migrations: [Migration]
    let now: Timestamp
    let clock: StoreClock

    /// Creates the file. The caller must hold the lock, and the file must not exist.
    func run() throws(StoreError) {
        try refuseLeftovers()
        do {
            try removeUnfinished()
            try StoreFile.createEmpty(file.creating, for: file.given)
            try build()
            try StoreFile.flush(file.creating, for: file.given)
            guard rename(file.creating, file.path) == 0 else { throw failure(errno) }
            try StoreFile.flushDirectory(file.directory, for: file.given)
        } catch {
            throw (error as? StoreError)
                ?? StoreError("Cannot create '\(file.given)'", SQLiteFailure(error), on: file)
        }
    }

    /// Refuses a log without its file: somebody has moved or lost the file, and SQLite would apply the log to the new
    /// one.
    private func refuseLeftovers() throws(StoreError) {
        for leftover in [file.wal, file.rollbackJournal] where StoreFile.size(of: leftover) ?? 0 > 0 {
            throw StoreError(
                .cannotOpen,
                "Cannot create '\(file.given)': '\(leftover)' is there without its database; restore the database, or "
                    + "move that file away")
        }
    }

    private func removeUnfinished() throws {
        for path in ["", "-journal", "-wal", "-shm"].map({ file.creating + $0 })
        where unlink(path) != 0 && errno != ENOENT {
            throw failure(errno)
        }
    }

    private func build() throws {
        var configuration = Configuration()
        configuration.prepareDatabase { database in
            try database.execute(
                sql: """
                    PRAGMA journal_mode = DELETE;
                    PRAGMA synchronous = FULL;
                    PRAGMA trusted_schema = OFF;
                    PRAGMA auto_vacuum = INCREMENTAL;
                    """)
        }
        let connection = try DatabaseQueue(path: file.creating, configuration: configuration)
        try connection.inTransaction(.immediate) { database in
            for migration in migrations { try database.execute(sql: migration.sql) }
            try insertStoreRow(database)
            try database.execute(sql: "PRAGMA application_id = \(FileHeader.applicationID)")
            try database.execute(sql: "PRAGMA user_version = \(migrations.last?.version ?? 0)")
            return .commit
        }
        try connection.inDatabase { database in
            // The pragma returns the mode that it reached. The log stays empty, and closing removes it.
            let mode = try String.fetchOne(database, sql: "PRAGMA journal_mode = WAL") ?? "nothing"
            guard mode == "wal" else {
                throw StoreError(
                    .cannotOpen,
                    "Cannot create '\(file.given)': PRAGMA journal_mode did not take: wanted wal, found \(mode)")
            }
        }
        try connection.close()
    }

    private func insertStoreRow(_ database: Database) throws {
        var random = SystemRandomNumberGenerator()
        var insert = try PreparedStatement(
            database,
            """
            INSERT INTO store (id, uuid, generation, epoch, next_position, next_instance, next_machine, last_ms,
                clock_ms, clock_position, clock, clean, held, dedupe_floor, dedupe_ms, dedupe_count, purge_floor)
            VALUES (1, ?, 1, 0, 1, 1, 1, ?2, ?2, 1, ?, 1, 0, 1, 0, 0, 1)
            """)
        insert.bind(UniqueID(at: now, random: &random))
        // A virtual clock begins with the real time.
        insert.bind(clock == .virtual ? now.rawValue : 0, clock)
        try insert.run()
    }

    private func failure(_ code: CInt) -> StoreError {
        StoreError("Cannot create '\(file.given)': ", code)
    }
}
