import GRDB
import GRDBSQLite
import WorkflowStore

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Turns a copied file into a store of its own, and verifies it.
struct BackupCompletion {
    let file: StoreFile
    let name: BackupName
    let limits: StoreLimits

    /// Gives the file its final name if all checks pass; removes the file otherwise.
    ///
    /// - Parameter mayGoOn: Receives the progress about every millisecond; false ends the completion.
    func run(
        _ verify: FileVerification, _ mayGoOn: (_ done: Int64, _ total: Int64) -> Bool
    ) async throws(StoreError) -> StoredBackup {
        let path = file.unfinishedBackup(name)
        do {
            try Self.finish(path)
            let contents = try await check(path, verify, mayGoOn)
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

    /// Takes the file out of WAL mode, in which it would need a log beside it, and marks it as closed in order.
    static func finish(_ path: String) throws {
        let connection = try DatabaseQueue(path: path, configuration: ConnectionSettings.ofCopy())
        defer { try? connection.close() }
        try connection.inDatabase { database in
            try database.execute(
                sql: "PRAGMA journal_mode = DELETE; UPDATE store SET clean = 1 WHERE id = 1 AND clean = 0")
        }
    }

    private func check(
        _ path: String, _ verify: FileVerification, _ mayGoOn: (Int64, Int64) -> Bool
    ) async throws -> StoreContents {
        do {
            return try await FullCheck(file: try StoreFile(existing: path, as: file.given), limits: limits)
                .run(verify, mayGoOn)
        } catch let error as StoreError where error.code == .damaged {
            throw StoreError(.damaged, "the copy is damaged: \(error.message); verify the database")
        }
    }

    /// Flushes the file part by part, because commits are flushed to the same disk. Beside a flush of 400 MB at once a
    /// commit took up to 136 ms, and beside parts of 4 MiB up to 12 ms. Smaller parts with rests between them cost
    /// less.
    private func flush(_ path: String, _ mayGoOn: (Int64, Int64) -> Bool) throws {
        // The descriptor is writable although nothing is written: otherwise msync does nothing (Linux, mm/mmap.c).
        let descriptor = try StoreFile.openPresent(path, O_RDWR, for: file.given)
        defer { close(descriptor) }
        let size = Int(StoreFile.size(of: path) ?? 0)
        guard size > 0, let map = mmap(nil, size, PROT_READ, MAP_SHARED, descriptor, 0), map != MAP_FAILED else {
            // A flush of the whole file follows anyway.
            return
        }
        defer { munmap(map, size) }
        for start in stride(from: 0, to: size, by: limits.backupFlushBytes) {
            // msync also flushes data that was written without the map (msync(2)).
            guard msync(map + start, min(limits.backupFlushBytes, size - start), MS_SYNC) == 0 else {
                throw StoreFile.failure(file.given, errno)
            }
            guard mayGoOn(Int64(start), Int64(size)) else { throw CancellationError() }
        }
    }

    private func read(_ path: String, _ mayGoOn: (Int64, Int64) -> Bool) throws -> (bytes: Int64, digest: Digest) {
        let reader = try FileReader(path, for: file.given)
        var digest = RunningDigest()
        var bytes: Int64 = 0
        while true {
            let part = try reader.read(atMost: 1 << 18)
            if part.isEmpty { break }
            digest.append(part)
            bytes += Int64(part.count)
            guard mayGoOn(reader.size, reader.size) else { throw CancellationError() }
        }
        return (bytes, digest.value)
    }
}

extension StoreContents {
    /// Returns the counts of a file; reads two tables completely.
    static func read(_ database: Database, _ row: StoreRow) throws -> StoreContents {
        StoreContents(
            generation: row.generation,
            instances: try Int64.fetchOne(database, sql: "SELECT count(*) FROM instance") ?? 0,
            events: try Int64.fetchOne(database, sql: "SELECT count(*) FROM journal") ?? 0, last: row.last)
    }
}

/// Reports progress while one long statement runs, and can end the statement
/// (https://sqlite.org/c3ref/progress_handler.html).
final class ProgressWatch {
    /// The instructions of SQLite's virtual machine between two reports: about a millisecond.
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
