import GRDB
import GRDBSQLite
import WorkflowStore

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// A copy of the store in progress, page by page, on the writer's connection.
///
/// The copy uses SQLite's online backup (https://sqlite.org/backup.html). Writes of the source connection go into the
/// copy at once, so the backup never starts again. It holds no lock between steps, and keeps no read transaction open
/// that would pin the write-ahead log. The copy is the state of the store at the last step.
final class SQLiteBackup {
    private let path: String
    private let destination: DatabaseQueue
    private var handle: OpaquePointer?
    private let pageBytes: Int64
    private let limits: StoreLimits
    /// The number of pages in one call, so that several calls fit a slice.
    private var pages: CInt = 1
    private var last = BackupProgress(bytesDone: 0, bytesTotal: 0, isDone: false)
    private var setbacks = 0

    /// Creates the file and prepares the copying. Call it on the source's queue.
    init(to path: String, of source: Database, beside file: StoreFile, limits: StoreLimits) throws {
        self.path = path
        self.limits = limits
        let pages = try FilePages.read(source)
        pageBytes = pages.bytes
        try file.requireSpace(for: pages.total * pages.bytes, limits: limits)
        try StoreFile.createEmpty(path, for: file.given)
        do {
            destination = try DatabaseQueue(path: path, configuration: Self.configuration(limits))
            handle = try destination.inDatabase { destination in
                let handle = sqlite3_backup_init(destination.sqliteConnection, "main", source.sqliteConnection, "main")
                guard let handle else {
                    throw SQLiteFailure(
                        code: sqlite3_extended_errcode(destination.sqliteConnection), on: destination.sqliteConnection)
                }
                return handle
            }
        } catch {
            unlink(path)
            throw error
        }
    }

    /// Copies for about a duration, at least one page. Call this method on the source's queue.
    func step(for duration: Duration) throws -> BackupProgress {
        let end = ContinuousClock.now + duration
        var begun = ContinuousClock.now
        while true {
            let isDone = try copy()
            let now = ContinuousClock.now
            let took = now - begun
            if took > duration / 4 { pages = max(1, pages / 2) }
            if took < duration / 16, pages < limits.backupStepPages { pages *= 2 }
            if isDone || now + took >= end { return try progress(isDone: isDone) }
            begun = now
        }
    }

    /// Ends the copying, complete or not. Call this method on the source's queue. The file stays.
    func end() {
        // The last step has already returned this error.
        sqlite3_backup_finish(handle)
        handle = nil
        // Nothing depends on closing the copy in order: the copy is opened again and checked, or removed.
        try? destination.close()
    }

    /// Ends the copying and removes the file. Call this method on the source's queue.
    func abandon() {
        end()
        unlink(path)
    }

    /// Copies some pages; returns true if the copy is complete.
    private func copy() throws -> Bool {
        try destination.inDatabase { destination in
            let code = sqlite3_backup_step(handle, pages)
            switch code & 0xFF {
            case SQLITE_DONE: return true
            // Another process has the file; the next slice tries again.
            case SQLITE_OK, SQLITE_BUSY, SQLITE_LOCKED: return false
            // The connection's own message may concern another error.
            default: throw SQLiteFailure(code: code, message: String(cString: sqlite3_errstr(code)))
            }
        }
    }

    private func progress(isDone: Bool) throws -> BackupProgress {
        let total = Int64(sqlite3_backup_pagecount(handle))
        let done = total - Int64(sqlite3_backup_remaining(handle))
        let progress = BackupProgress(
            bytesDone: done * pageBytes, bytesTotal: total * pageBytes, isDone: isDone)
        if progress.bytesDone <= last.bytesDone, !isDone { setbacks += 1 } else if isDone { setbacks = 0 }
        guard setbacks <= limits.backupSetbacks else {
            throw StoreError(
                .unavailable, "another process writes to the database, or holds it, so that the copy begins again")
        }
        last = progress
        return progress
    }

    private static func configuration(_ limits: StoreLimits) -> Configuration {
        var configuration = Configuration()
        configuration.label = "backup"
        // The backup keeps a transaction open between its steps.
        configuration.allowsUnsafeTransactions = true
        configuration.prepareDatabase { database in
            // An unfinished copy is removed, and wfd flushes a finished one, so a journal and flushing are of no use.
            // The cache is small, because its pages are written at once at the end.
            try database.execute(
                sql: """
                    PRAGMA locking_mode = EXCLUSIVE;
                    PRAGMA journal_mode = OFF;
                    PRAGMA synchronous = OFF;
                    PRAGMA cache_size = -\(limits.backupCacheKiB);
                    """)
        }
        return configuration
    }
}
