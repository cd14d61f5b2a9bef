import Crypto
import GRDB
import GRDBSQLite
import Migrations

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Makes a copied file a store of its own, and sure that it is one.
struct BackupCompletion {
    let file: StoreFile
    let name: BackupName
    let migrations: [Migration]
    let limits: StoreLimits

    /// Gives the file its last name when all is well; removes it when not.
    ///
    /// - Parameter mayGoOn: Told how much was done, about every millisecond; false ends it.
    func run(_ mayGoOn: (_ done: Int64, _ total: Int64) -> Bool) throws(StoreError) -> StoredBackup {
        let path = file.unfinishedBackup(name)
        do {
            let contents = try prepare(path, mayGoOn)
            try flush(path, mayGoOn)
            let (bytes, digest) = try read(path, mayGoOn)
            try StoreFile.flush(path, for: file.given)
            guard rename(path, file.backup(name)) == 0 else { throw StoreFile.failure(file.given, errno) }
            try StoreFile.flushDirectory(file.directory, for: file.given)
            return StoredBackup(name: name, bytes: bytes, digest: digest, contents: contents)
        } catch {
            for path in [path, path + "-wal", path + "-journal", file.backup(name)] { unlink(path) }
            throw StoreError(backingUp: file.given, error)
        }
    }

    /// Takes it out of WAL mode, in which it would need a log beside it, marks it as closed in order, and checks it.
    private func prepare(_ path: String, _ mayGoOn: (Int64, Int64) -> Bool) throws -> StoreContents {
        let copy = try StoreFile(path)
        let connection = try DatabaseQueue(path: path, configuration: Self.configuration())
        defer { try? connection.close() }
        return try withoutActuallyEscaping(mayGoOn) { mayGoOn in
            try connection.inDatabase { database in
                try database.execute(
                    sql: "PRAGMA journal_mode = DELETE; UPDATE store SET clean = 1 WHERE id = 1 AND clean = 0")
                let watch = ProgressWatch(total: StoreFile.size(of: path) ?? 0, mayGoOn)
                watch.install(on: database)
                defer { watch.remove(from: database) }
                // As a restore does. Only this one compares the indexes with the tables.
                guard try String.fetchOne(database, sql: "PRAGMA integrity_check(1)") == "ok",
                    try Row.fetchOne(database, sql: "PRAGMA foreign_key_check") == nil
                else { throw StoreError(.damaged, "SQLite finds the copy damaged; verify the database") }
                try SchemaSteps(file: copy, migrations: migrations).check(database)
                guard let row = try StoreRow.read(database) else {
                    throw StoreError(.damaged, "the copy has no row in 'store'; verify the database")
                }
                _ = try TailCheck(file: copy, row: row, limit: limits.tailRows).run(database)
                return try StoreContents.read(database, row)
            }
        }
    }

    /// Flushes it part by part. Commits are flushed to the same disk: beside a flush of 400 MB at once one took
    /// up to 136 ms, beside parts of 4 MiB up to 12 ms, and beside smaller parts with rests between them less.
    private func flush(_ path: String, _ mayGoOn: (Int64, Int64) -> Bool) throws {
        // Writable, although nothing is written: else msync does nothing (Linux, mm/mmap.c).
        let descriptor = try StoreFile.openPresent(path, O_RDWR, for: file.given)
        defer { close(descriptor) }
        let size = Int(StoreFile.size(of: path) ?? 0)
        guard size > 0, let map = mmap(nil, size, PROT_READ, MAP_SHARED, descriptor, 0), map != MAP_FAILED else {
            // The flush of the whole follows anyway.
            return
        }
        defer { munmap(map, size) }
        for start in stride(from: 0, to: size, by: limits.backupFlushBytes) {
            // It reaches what was written without the map, too (msync(2)).
            guard msync(map + start, min(limits.backupFlushBytes, size - start), MS_SYNC) == 0 else {
                throw StoreFile.failure(file.given, errno)
            }
            guard mayGoOn(Int64(start), Int64(size)) else { throw CancellationError() }
        }
    }

    private func read(_ path: String, _ mayGoOn: (Int64, Int64) -> Bool) throws -> (bytes: Int64, digest: Digest) {
        let reader = try FileReader(path, for: file.given)
        var hash = SHA256()
        var bytes: Int64 = 0
        while true {
            let part = try reader.read(atMost: 1 << 18)
            if part.isEmpty { break }
            hash.update(data: part)
            bytes += Int64(part.count)
            guard mayGoOn(reader.size, reader.size) else { throw CancellationError() }
        }
        return (bytes, Digest(bytes: Array(hash.finalize())))
    }

    private static func configuration() -> Configuration {
        var configuration = Configuration()
        configuration.prepareDatabase { database in
            try database.execute(
                sql: """
                    PRAGMA locking_mode = EXCLUSIVE;
                    PRAGMA synchronous = OFF;
                    PRAGMA trusted_schema = OFF;
                    PRAGMA cell_size_check = ON;
                    """)
        }
        return configuration
    }
}

extension StoreContents {
    /// Counts; reads the whole of two tables.
    static func read(_ database: Database, _ row: StoreRow) throws -> StoreContents {
        StoreContents(
            generation: row.generation,
            instances: try Int64.fetchOne(database, sql: "SELECT count(*) FROM instance") ?? 0,
            events: try Int64.fetchOne(database, sql: "SELECT count(*) FROM journal") ?? 0, last: row.last)
    }
}

/// Tells, while one long statement runs, that time passes, and can end it
/// (https://sqlite.org/c3ref/progress_handler.html).
final class ProgressWatch {
    /// Instructions of SQLite's machine between two looks: about a millisecond.
    private static let instructions: CInt = 20_000
    private let total: Int64
    private let mayGoOn: (Int64, Int64) -> Bool

    init(total: Int64, _ mayGoOn: @escaping (Int64, Int64) -> Bool) {
        self.total = total
        self.mayGoOn = mayGoOn
    }

    /// Watches the connection's statements until `remove`; this object must live as long.
    func install(on database: Database) {
        let context = Unmanaged.passUnretained(self).toOpaque()
        sqlite3_progress_handler(
            database.sqliteConnection, Self.instructions,
            { context in
                guard let context else { return 0 }
                let watch = Unmanaged<ProgressWatch>.fromOpaque(context).takeUnretainedValue()
                return watch.mayGoOn(0, watch.total) ? 0 : 1
            }, context)
    }

    func remove(from database: Database) {
        sqlite3_progress_handler(database.sqliteConnection, 0, nil, nil)
    }
}
