import GRDB
import WorkflowMigrations
import WorkflowStore

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// The steps of a restore.
struct Restoring {
    /// The generation numbers that are skipped if the generation of the replaced database cannot be read, so that none
    /// is used twice.
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

    func run() async throws -> RestoreReport {
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
            var report = try await prepare(before, replaced)
            if order.isDryRun {
                removeCopy()
                report.replaced = try replaced.place(at: now)
                return report
            }
            return try takePlace(report, replaced)
        } catch {
            removeCopy()
            throw error
        }
    }

    /// Refuses to replace a file of another program.
    private func refuseForeignDatabase(_ newest: Int64) throws(StoreError) {
        try file.look(at: file.path)
        try file.refuseForeignParts()
        do {
            _ = try FileHeader.accept(file, newest: newest)
        } catch {
            // The file may be damaged, empty or of a newer wfd: a restore may be just what it needs. The error code or
            // the lock file shows that it is ours.
            guard error.code == .foreignFile, StoreFile.size(of: file.lock) == nil else { return }
            throw StoreError(
                .foreignFile, "Cannot restore to '\(file.given)': \(error.message.afterColon); move it away first")
        }
    }

    /// Copies the backup beside the database, so that the restore uses exactly the verified bytes.
    private func copy() throws(StoreError) {
        try backup.refuseForeignParts(of: .anybody)
        if StoreFile.size(of: backup.wal) ?? 0 > 0 || StoreFile.size(of: backup.rollbackJournal) ?? 0 > 0 {
            throw StoreError(
                .cannotOpen,
                "Cannot restore '\(backup.given)': part of it is in the log beside it; start and stop wfd on it, or "
                    + "use a backup that 'wfctl backup' made")
        }
        // A database that a daemon serves changes while it is read.
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
    private func prepare(
        _ before: ReplacedDatabase.Facts, _ replaced: ReplacedDatabase
    ) async throws -> RestoreReport {
        // In WAL mode the copy would need a log, which is a second file.
        try inCopy { try $0.execute(sql: "PRAGMA journal_mode = DELETE") }
        let contents = try await check()
        let parting = try inCopy { try self.parting(before, $0) }
        let erased = try erased(before)
        var report = try inCopy { try begin(before, contents, $0) }
        try inCopy { try delete(erased, &report, $0) }
        // The erasures follow the deletions, because a deleted instance has nothing left to erase.
        (report.erasures, report.keptErasures) = try inCopy { try order(erased.flatMap(\.erasures), $0) }
        // The copy keeps its inode when it is renamed.
        try inCopy { try PlaceQueries.write(self.order.place.place(of: file.restoring), $0) }
        if let parting { report.events = try replaced.events(from: parting) }
        if StoreFile.size(of: file.path) != nil { try file.giveOwner(to: file.restoring) }
        try StoreFile.flush(file.restoring, for: file.given)
        report.bytes = StoreFile.size(of: file.restoring) ?? 0
        return report
    }

    private func check() async throws -> StoreContents {
        do {
            let copy = try StoreFile(existing: file.restoring, as: backup.given)
            return try await FullCheck(file: copy, limits: order.limits).run(order.verify) { _, _ in true }
        } catch let error as StoreError {
            switch error.code {
            case .damaged: throw StoreError(.damaged, "'\(backup.given)' is damaged: \(error.message)")
            case .olderBuild:
                throw StoreError(error.code, "Cannot restore '\(backup.given)': \(error.message.afterColon)")
            default: throw error
            }
        }
    }

    /// Returns the erasures and deletions of the replaced database, and of the one that `--erasures` names.
    private func erased(_ before: ReplacedDatabase.Facts) throws(StoreError) -> [EarlierErasures] {
        guard let path = order.erasures else { return [before.erased] }
        let named = try StoreFile(existing: path)
        guard try FileHeader.accept(named, of: .anybody, newest: Migrations.all.last?.version ?? 0) != nil else {
            throw StoreError(.cannotOpen, "Cannot restore '\(backup.given)': there is no file '\(path)'")
        }
        return [before.erased, try ReplacedDatabase(named).erased()]
    }

    /// Deletes from the copy the instances that were deleted after the backup was made.
    private func delete(_ erased: [EarlierErasures], _ report: inout RestoreReport, _ database: Database) throws {
        guard let row = try StoreRow.read(database) else { throw StoreRow.missing }
        let deletions = try RestoredDeletions(erased, of: row, in: database)
        if deletions.isEmpty { return }
        // The backup may have a schema without a table for deletions.
        _ = try SchemaSteps(file: file, migrations: Migrations.all).upgrade(database)
        let outcome = try deletions.carryOut(noLaterThan: report.clock == .virtual ? row.last : max(now, row.last))
        (report.deleted, report.keptDeletions) = (outcome.deleted, outcome.kept)
        report.time = max(report.time, outcome.last)
    }

    /// Records in the copy the erasures of its own data, and those that only a later restore may carry out. Returns the
    /// number of each.
    private func order(_ erasures: [ErasureRecord], _ database: Database) throws -> (ordered: Int, kept: Int) {
        if erasures.isEmpty { return (0, 0) }
        // The backup may have a schema without a table for erasures.
        _ = try SchemaSteps(file: file, migrations: Migrations.all).upgrade(database)
        var known = Set(try ErasureQueries.all(database, after: nil, limit: .max).map(\.mark))
        var orders: [ErasureRecord] = []
        let instances = try InstanceQueries.living(Set(erasures.map(\.uuid)), database)
        for erasure in erasures where known.insert(erasure.mark).inserted {
            var order = erasure
            order.instanceID = instances[erasure.uuid] ?? ErasureRecord.noInstance
            order.walk = nil
            orders.append(order)
        }
        let first = min(0, try PreparedStatement.number(database, "SELECT coalesce(min(id), 0) FROM erasure"))
        try database.inTransaction(.immediate) {
            for place in orders.indices { orders[place].id = first - Int64(orders.count - place) }
            try ErasureRecord.insert(orders, database, "INSERT OR REPLACE")
            return .commit
        }
        let kept = orders.count { !$0.isOrdered }
        return (orders.count - kept, kept)
    }

    /// Runs a function on the copy, which nobody else has open.
    private func inCopy<Value>(_ body: (Database) throws -> Value) throws -> Value {
        let connection = try DatabaseQueue(path: file.restoring, configuration: ConnectionSettings.ofCopy())
        let value: Value
        do {
            value = try connection.inDatabase(body)
        } catch {
            try? connection.close()
            throw error
        }
        try connection.close()
        return value
    }

    /// Returns the first position at which the present database and the backup differ, or the backup has no row.
    /// Returns `nil` if there is no present database, or nothing is known of it.
    private func parting(_ before: ReplacedDatabase.Facts, _ copy: Database) throws -> Position? {
        guard let uuid = before.uuid, let lineage = before.lineage, let row = try StoreRow.read(copy) else {
            return nil
        }
        guard uuid == row.uuid else { return Position(rawValue: 1) }
        let ours = try Lineage.read(copy, generation: row.generation)
        // Each lineage has the generations before its own.
        let shared = max(lineage.parting(from: row.generation), ours.parting(from: lineage.generation))
        return min(shared, row.nextPosition)
    }

    /// Writes the row of the new generation, and all known rows of others.
    private func begin(
        _ before: ReplacedDatabase.Facts, _ contents: StoreContents, _ database: Database
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
            try Restoration.insert(restorations, database, "INSERT OR IGNORE")
            try database.run(
                """
                UPDATE store SET generation = ?, epoch = ?, clean = 1, held = 1, clock = coalesce(?, clock)
                WHERE id = 1
                """, generation, max(row.epoch, before.epoch) + 1, order.clock == .virtual ? StoreClock.virtual : nil)
            return .commit
        }
        var contents = contents
        contents.generation = generation
        return RestoreReport(
            contents: contents, bytes: 0, replaced: nil, unreadable: before.unreadable,
            isOfAnotherStore: before.uuid.map { $0 != row.uuid } ?? false, clock: clock,
            time: max(contents.last, row.numbers.last))
    }

    /// Replaces the database by the restored one in one rename.
    private func takePlace(_ report: RestoreReport, _ replaced: ReplacedDatabase) throws(StoreError) -> RestoreReport {
        var report = report
        report.replaced = try replaced.keep(at: now)
        guard rename(file.restoring, file.path) == 0 else { throw StoreFile.failure(file.given, errno) }
        // This file belongs to the replaced database.
        StoreFile.remove([file.begun])
        try StoreFile.flushDirectory(file.directory, for: file.given)
        return report
    }

    private func removeCopy() {
        file.removeUnfinishedRestore()
    }
}

extension String {
    /// The part of a message after its subject.
    fileprivate var afterColon: String {
        firstRange(of: "': ").map { String(self[$0.upperBound...]) } ?? self
    }
}
