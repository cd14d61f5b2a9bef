import GRDB
import Migrations

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// The steps of a restore.
struct Restoring {
    /// Numbers left out where the generation of the replaced database cannot be read, so that none is used twice.
    private static let unknownGenerations: Int64 = 1_000

    private let order: StoreRestoration
    private let now: Timestamp
    private let backup: StoreFile
    private let file: StoreFile

    init(_ order: StoreRestoration, now: Timestamp) throws(StoreError) {
        self.order = order
        self.now = now
        backup = try StoreFile(order.backup)
        file = try StoreFile(order.database, makingFolder: order.makesFolder)
    }

    func run() throws -> RestoreReport {
        let newest = Migrations.all.last?.version ?? 0
        guard try FileHeader.accept(backup, of: .anybody, newest: newest) != nil else {
            throw StoreError(.cannotOpen, "Cannot restore '\(backup.given)': there is no such file")
        }
        guard backup.path != file.path, backup.identity()?.identity != file.identity()?.identity else {
            throw StoreError(.cannotOpen, "Cannot restore '\(backup.given)': it is the database itself")
        }
        try refuseForeignDatabase(newest)
        let lock = try FileLock(file)
        lock.sign()
        defer { lock.release() }
        try copy()
        do {
            let replaced = ReplacedDatabase(file)
            let before = try replaced.read()
            let report = try prepare(before)
            if order.isDryRun {
                removeCopy()
                return report
            }
            return try takePlace(report, replaced)
        } catch {
            removeCopy()
            throw error
        }
    }

    /// A file of another program is not ours to move away.
    private func refuseForeignDatabase(_ newest: Int64) throws(StoreError) {
        try file.look(at: file.path)
        try file.refuseForeignParts()
        do {
            _ = try FileHeader.accept(file, newest: newest)
        } catch {
            // Damaged, empty or of a newer wfd: a restore may be just what it needs. Its name says that it is ours.
            guard error.code == .foreignFile, StoreFile.size(of: file.lock) == nil else { return }
            throw StoreError(
                .foreignFile, "Cannot restore to '\(file.given)': \(error.message.afterColon); move it away first")
        }
    }

    /// Copies the backup beside the database, so that what is verified is what will be used.
    private func copy() throws(StoreError) {
        try backup.refuseForeignParts(of: .anybody)
        if StoreFile.size(of: backup.wal) ?? 0 > 0 || StoreFile.size(of: backup.rollbackJournal) ?? 0 > 0 {
            throw StoreError(
                .cannotOpen,
                "Cannot restore '\(backup.given)': part of it is in the log beside it; start and stop wfd on it, or "
                    + "use a backup that 'wfctl backup' made")
        }
        // A database that somebody serves changes while it is read.
        let source = StoreFile.size(of: backup.lock) == nil ? nil : try FileLock(reading: backup)
        defer { source?.release() }
        let reader = try FileReader(backup.path, of: .anybody, for: backup.given)
        try restating { () throws(StoreError) in
            try file.requireSpace(for: reader.size, limits: order.limits)
            removeCopy()
            try StoreFile.createEmpty(file.restoring, for: file.given)
        }
        do {
            try reader.copy(to: file.restoring, limits: order.limits)
        } catch {
            removeCopy()
            throw error
        }
    }

    private func restating(_ body: () throws(StoreError) -> Void) throws(StoreError) {
        do throws(StoreError) {
            try body()
        } catch {
            throw StoreError(error.code, "Cannot restore '\(backup.given)': \(error.message)")
        }
    }

    /// Verifies the copy and makes it a generation of its own.
    private func prepare(_ before: ReplacedDatabase.Facts) throws -> RestoreReport {
        let copy = try StoreFile(file.restoring)
        let connection = try DatabaseQueue(path: copy.path, configuration: Self.configuration())
        var report: RestoreReport
        do {
            // The log that a file in WAL mode needs would be a second file.
            try connection.inDatabase { try $0.execute(sql: "PRAGMA journal_mode = DELETE") }
            if let verify = order.verify {
                try connection.close()
                try verify(copy.path)
            } else {
                try connection.inDatabase { try FullCheck(file: copy, given: backup.given).run($0) }
                try connection.close()
            }
        } catch {
            try? connection.close()
            throw error
        }
        let second = try DatabaseQueue(path: copy.path, configuration: Self.configuration())
        do {
            report = try second.inDatabase { try begin(before, $0, copy) }
            try second.close()
        } catch {
            try? second.close()
            throw error
        }
        try StoreFile.flush(copy.path, for: file.given)
        report.bytes = StoreFile.size(of: copy.path) ?? 0
        return report
    }

    /// Writes the row of the new generation, and all that is known of others.
    private func begin(
        _ before: ReplacedDatabase.Facts, _ database: Database, _ copy: StoreFile
    ) throws -> RestoreReport {
        guard let row = try StoreRow.read(database) else {
            throw StoreError(.damaged, "Cannot restore '\(backup.given)': its row in 'store' is missing")
        }
        guard row.isClean else {
            throw StoreError(
                .damaged,
                "Cannot restore '\(backup.given)': it is the file of a database that was not closed in order, without "
                    + "its log; use a backup that 'wfctl backup' made")
        }
        let clock = order.clock == .virtual ? .virtual : row.clock
        if let other = before.clock, other != clock {
            throw StoreError(
                .otherClock,
                "Cannot restore '\(backup.given)' in the place of '\(file.given)': the one is for the \(clock) "
                    + "clock and the other for the \(other) one; restore it under another name")
        }
        let highest = max(row.generation, before.lineage?.generation ?? 0)
        let generation = highest + (before.unreadable == nil ? 1 : Self.unknownGenerations)
        guard generation <= Int32.max else {
            throw StoreError(
                .damaged, "Cannot restore '\(backup.given)': generation \(generation) is past the last there can be")
        }
        let restorations =
            (before.uuid == row.uuid ? before.lineage?.restorations ?? [] : [])
            + [Restoration(generation: generation, parent: row.generation, next: row.nextPosition, restored: now)]
        try database.inTransaction(.immediate) {
            for restoration in restorations { try restoration.insert(database) }
            var update = try PreparedStatement(
                database,
                "UPDATE store SET generation = ?, epoch = ?, clean = 1, clock = coalesce(?, clock) WHERE id = 1")
            update.bind(generation)
            update.bind(max(row.epoch, before.epoch) + 1)
            update.bind(order.clock == .virtual ? "virtual" : nil)
            try update.run()
            return .commit
        }
        var contents = try StoreContents.read(database, row)
        contents.generation = generation
        return RestoreReport(
            contents: contents, bytes: 0, replaced: nil, unreadable: before.unreadable,
            isOfAnotherStore: before.uuid.map { $0 != row.uuid } ?? false)
    }

    /// The moment in which the database becomes the restored one.
    private func takePlace(_ report: RestoreReport, _ replaced: ReplacedDatabase) throws(StoreError) -> RestoreReport {
        var report = report
        report.replaced = try replaced.keep(at: now)
        guard rename(file.restoring, file.path) == 0 else { throw StoreFile.failure(file.given, errno) }
        try StoreFile.flushDirectory(file.directory, for: file.given)
        return report
    }

    private func removeCopy() {
        file.removeUnfinishedRestore()
    }

    private static func configuration() -> Configuration {
        var configuration = Configuration()
        configuration.prepareDatabase { database in
            // Alone with a file that is flushed at the end: no index of a log beside it, and no flushing between.
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

extension Restoration {
    fileprivate func insert(_ database: Database) throws {
        var insert = try PreparedStatement(
            database,
            "INSERT OR IGNORE INTO restoration (generation, parent, next_position, restored_ms) VALUES (?, ?, ?, ?)")
        insert.bind(generation)
        insert.bind(parent)
        insert.bind(next.rawValue)
        insert.bind(restored.rawValue)
        try insert.run()
    }
}

extension String {
    /// What a message says about its thing.
    fileprivate var afterColon: String {
        firstRange(of: "': ").map { String(self[$0.upperBound...]) } ?? self
    }
}
