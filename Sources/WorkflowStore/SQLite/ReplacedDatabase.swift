import GRDB

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// The database in whose place a backup comes. Call all of it with its lock held.
struct ReplacedDatabase {
    /// What the new one must know of it.
    struct Facts {
        var uuid: UniqueID?
        var clock: StoreClock?
        var lineage: Lineage?
        var epoch: Int64 = 0
        /// Why nothing is known of a database that is there.
        var unreadable: String?
    }

    private let file: StoreFile

    init(_ file: StoreFile) {
        self.file = file
    }

    /// Reads what can be read, and changes nothing. A database that is restored is often a damaged one.
    func read() -> Facts {
        guard StoreFile.size(of: file.path) != nil else { return Facts() }
        let hadIndex = StoreFile.size(of: file.index) != nil
        let hadLog = StoreFile.size(of: file.wal) != nil
        // SQLite makes an index of the log, and a log, even to read.
        defer {
            if !hadIndex { file.removeIndex() }
            if !hadLog { unlink(file.wal) }
        }
        do {
            var configuration = Configuration()
            configuration.readonly = true
            let connection = try DatabaseQueue(path: file.path, configuration: configuration)
            defer { try? connection.close() }
            return try connection.inDatabase { database in
                guard let row = try StoreRow.read(database) else {
                    return Facts(unreadable: "its row in 'store' is missing")
                }
                return Facts(
                    uuid: row.uuid, clock: row.clock, lineage: try Lineage.read(database, generation: row.generation),
                    epoch: row.epoch)
            }
        } catch {
            return Facts(unreadable: "\(SQLiteFailure(error))")
        }
    }

    /// Gives the database, and its log, a second name with the time in it; nil when there is none.
    ///
    /// The log loses its first name here: beside another database SQLite would play it into that one. A crash between
    /// this and the moment in which the new database takes the name leaves the old one, which says that its log is
    /// missing, and where it is can be seen.
    func keep(at now: Timestamp) throws(StoreError) -> String? {
        guard StoreFile.size(of: file.path) != nil else { return nil }
        let kept = try freeName(at: now)
        let parts = [(file.wal, kept + "-wal"), (file.rollbackJournal, kept + "-journal"), (file.path, kept)]
        for (path, name) in parts where StoreFile.size(of: path) != nil { try give(path, name) }
        try StoreFile.flushDirectory(file.directory, for: file.given)
        for (path, _) in parts.dropLast() { unlink(path) }
        file.removeIndex()
        return kept
    }

    private func give(_ path: String, _ name: String) throws(StoreError) {
        if link(path, name) == 0 { return }
        // A file system without second names: then there is a moment without a database.
        guard errno == EPERM || errno == ENOTSUP || errno == EMLINK, rename(path, name) == 0 else {
            throw StoreFile.failure(file.given, errno, "it cannot be kept as '\(name)': ")
        }
    }

    /// Such as `wfd.db.replaced-20260731T093000Z`; with a number where a second has several.
    private func freeName(at now: Timestamp) throws(StoreError) -> String {
        var seconds = time_t(now.rawValue / 1_000)
        var parts = tm()
        gmtime_r(&seconds, &parts)
        func digits(_ number: CInt, _ count: Int = 2) -> String {
            let text = "\(number)"
            return String(repeating: "0", count: max(0, count - text.utf8.count)) + text
        }
        let day = digits(parts.tm_year + 1_900, 4) + digits(parts.tm_mon + 1) + digits(parts.tm_mday)
        let time = digits(parts.tm_hour) + digits(parts.tm_min) + digits(parts.tm_sec)
        let name = "\(file.path).replaced-\(day)T\(time)Z"
        for number in 1...100 {
            let candidate = number == 1 ? name : "\(name)-\(number)"
            if StoreFile.size(of: candidate) == nil, StoreFile.size(of: candidate + "-wal") == nil { return candidate }
        }
        throw StoreError(.cannotOpen, "Cannot restore to '\(file.given)': '\(name)' and its like exist; move them away")
    }
}
