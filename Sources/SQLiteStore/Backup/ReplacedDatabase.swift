import GRDB
import WorkflowStore

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// The database that a backup replaces. The caller of every method must hold its lock.
struct ReplacedDatabase {
    /// The facts about the replaced database that the restored one needs.
    struct Facts {
        var uuid: UniqueID?
        var clock: StoreClock?
        var lineage: Lineage?
        var epoch: Int64 = 0
        /// The erasures and deletions that the database records.
        var erased = EarlierErasures()
        /// The reason why an existing database cannot be read.
        var unreadable: String?
    }

    private let file: StoreFile
    /// The earlier restore that was killed while it replaced the same database.
    private let interrupted: InterruptedRestore?

    init(_ file: StoreFile) {
        self.file = file
        interrupted = InterruptedRestore(file)
    }

    /// Reads the readable facts, and changes nothing. A database that is restored is often a damaged one.
    func read() throws(StoreError) -> Facts {
        let file = try readable()
        guard StoreFile.size(of: file.path) != nil else { return Facts() }
        do {
            return try reading(file) { database in
                guard let row = try StoreRow.read(database) else {
                    return Facts(unreadable: "its row in 'store' is missing")
                }
                return Facts(
                    uuid: row.uuid, clock: row.clock, lineage: try Lineage.read(database, generation: row.generation),
                    epoch: row.epoch, erased: try EarlierErasures(of: row, database))
            }
        } catch {
            return Facts(unreadable: "\(SQLiteFailure(error))")
        }
    }

    /// Reads the erasures and deletions of the database that `--erasures` names.
    func erased() throws(StoreError) -> EarlierErasures {
        do {
            return try reading(file) { try EarlierErasures(of: StoreRow.read($0), $0) }
        } catch {
            throw StoreError(.cannotOpen, "Cannot read the erasures of '\(file.given)': \(SQLiteFailure(error))")
        }
    }

    /// Returns the number of events from a position on; `nil` if they cannot be counted.
    func events(from position: Position) throws(StoreError) -> Int64? {
        let file = try readable()
        do {
            return try reading(file) { database in
                try Int64.fetchOne(
                    database, sql: "SELECT count(*) FROM journal WHERE position >= ?", arguments: [position.rawValue])
            }
        } catch {
            // The restore does not depend on the number.
            return nil
        }
    }

    /// Returns the file to read: the kept name, once the log has it too.
    private func readable() throws(StoreError) -> StoreFile {
        guard let kept = interrupted?.kept, StoreFile.size(of: file.wal) == nil else { return file }
        return try StoreFile(kept)
    }

    private func reading<Value>(_ file: StoreFile, _ body: (Database) throws -> Value) throws -> Value {
        let hadIndex = StoreFile.size(of: file.index) != nil
        let hadLog = StoreFile.size(of: file.wal) != nil
        // SQLite creates an index of the log, and a log, even to read.
        defer {
            if !hadIndex { file.removeIndex() }
            if !hadLog { unlink(file.wal) }
        }
        var configuration = Configuration()
        configuration.readonly = true
        let connection = try DatabaseQueue(path: file.path, configuration: configuration)
        defer { try? connection.close() }
        return try connection.inDatabase(body)
    }

    /// Returns the path that `keep` would give the database; `nil` if there is nothing to keep.
    func place(at now: Timestamp) throws(StoreError) -> String? {
        guard let first = parts.first, interrupted?.kept == nil else { return interrupted?.kept }
        return try freeName(at: now) + first.suffix
    }

    /// The database and its other files, as far as they exist.
    private var parts: [(path: String, suffix: String)] {
        ["", "-wal", StoreFile.heldLogSuffix, "-journal"].map { (file.path + $0, $0) }.filter {
            StoreFile.size(of: $0.0) != nil
        }
    }

    /// Gives the database and its log a second name that contains the time. Returns the name; `nil` if neither exists.
    ///
    /// The log loses its first name here, on the disk too: SQLite would apply it to another database beside it. The
    /// database gets its second name first and loses none. So a start after a crash finds an `InterruptedRestore`,
    /// until the new database takes the first name. Running `keep` again continues.
    func keep(at now: Timestamp) throws(StoreError) -> String? {
        let parts = parts
        guard let first = parts.first else { return interrupted?.kept }
        let kept: String
        // A log without its database gets a name of its own: it need not be the log of the database that was kept last.
        if let name = interrupted?.kept, first.path == file.path { kept = name } else { kept = try freeName(at: now) }
        for (path, suffix) in parts { try give(path, kept + suffix) }
        try StoreFile.flushDirectory(file.directory, for: file.given)
        for (path, _) in parts where path != file.path { unlink(path) }
        file.removeIndex()
        try StoreFile.flushDirectory(file.directory, for: file.given)
        return interrupted?.kept ?? kept + first.suffix
    }

    private func give(_ path: String, _ name: String) throws(StoreError) {
        // The earlier restore, which was killed, has given the name.
        if let identity = StoreFile.identity(of: name)?.identity, StoreFile.identity(of: path)?.identity == identity {
            return
        }
        if link(path, name) == 0 { return }
        // On a file system without hard links there is a moment without a database.
        guard errno == EPERM || errno == ENOTSUP || errno == EMLINK, rename(path, name) == 0 else {
            throw StoreFile.failure(file.given, errno, "it cannot be kept as '\(name)': ")
        }
    }

    /// Returns a name such as `wfd.db.replaced-20260731T093000Z`, with a number if the name is taken.
    private func freeName(at now: Timestamp) throws(StoreError) -> String {
        let name = "\(file.replacedPrefix)\(now.fileName)"
        for number in 1...100 {
            let candidate = number == 1 ? name : "\(name)-\(number)"
            if StoreFile.size(of: candidate) == nil, StoreFile.size(of: candidate + "-wal") == nil { return candidate }
        }
        throw StoreError(.cannotOpen, "Cannot restore to '\(file.given)': '\(name)' and its like exist; move them away")
    }
}
