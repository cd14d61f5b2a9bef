import GRDB
import WorkflowMigrations
package import WorkflowStore

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// The outcome of a compaction.
package struct CompactionReport: Sendable, Equatable {
    /// The size of the old file in bytes.
    package var before: Int64
    /// The size of the new file in bytes.
    package var after: Int64
    /// The counts of the new file, from its verification.
    package var contents: StoreContents
}

/// Rewrites a file with its rows only: without free pages, and without the copies of rows that SQLite leaves in gaps
/// between others (https://sqlite.org/lang_vacuum.html, VACUUM INTO).
///
/// One rename replaces the old file by the new one, which is then complete and on the disk. The next compaction or
/// start removes the files that a killed compaction left.
package struct StoreCompaction {
    /// The path of the database or of a backup.
    package var path: String
    package var limits: StoreLimits
    let place = PlaceSource.system(machine: nil)
    /// The check that every backup passes.
    package var verify: FileVerification

    package init(path: String, limits: StoreLimits = StoreLimits(), verify: @escaping FileVerification) {
        self.path = path
        self.limits = limits
        self.verify = verify
    }

    /// Compacts the file, which stays locked meanwhile.
    ///
    /// - Throws: `StoreError`; the file is then unchanged.
    package func run() async throws(StoreError) -> CompactionReport {
        let file = try StoreFile(existing: path)
        do {
            // As at a start: if a lock file exists, this process may have the file open.
            if StoreFile.size(of: file.lock) == nil { try accept(file) }
            let lock = try FileLock(file)
            defer { lock.release() }
            try accept(file)
            if let interrupted = InterruptedRestore(file) { throw interrupted.error(file) }
            try file.refuseSeveralNames()
            try file.refuseForeignParts()
            lock.sign()
            try refuseLog(of: file)
            file.removeUnfinishedCompaction()
            defer { file.removeUnfinishedCompaction() }
            let before = StoreFile.size(of: file.path) ?? 0
            let mode = try copy(file)
            let contents = try await check(file)
            try settle(file, mode)
            let after = StoreFile.size(of: file.compacting) ?? 0
            try takePlace(file)
            return CompactionReport(before: before, after: after, contents: contents)
        } catch let error as StoreError {
            throw error
        } catch {
            throw failure(file, error)
        }
    }

    private func accept(_ file: StoreFile) throws {
        _ = try FileHeader.accept(file, newest: Migrations.all.last?.version ?? 0)
    }

    /// Refuses a file with a log: SQLite would apply the log to the new file.
    private func refuseLog(of file: StoreFile) throws {
        guard StoreFile.size(of: file.wal) ?? 0 > 0 || StoreFile.size(of: file.rollbackJournal) ?? 0 > 0 else { return }
        throw StoreError(
            .cannotOpen,
            "Cannot compact '\(file.given)': part of it is in the log beside it; start and stop wfd on it first")
    }

    /// Writes the rows to a new file beside the old one. Returns the journal mode of the old file.
    private func copy(_ file: StoreFile) throws -> String? {
        var configuration = Configuration()
        configuration.prepareDatabase { database in
            // From the first read on, no other program can open the file.
            try database.execute(
                sql: """
                    PRAGMA locking_mode = EXCLUSIVE;
                    PRAGMA trusted_schema = OFF;
                    PRAGMA cell_size_check = ON;
                    """)
        }
        let connection = try DatabaseQueue(path: file.path, configuration: configuration)
        do {
            let mode = try connection.inDatabase { database in
                try requireClosed(database, file)
                let pages = try FilePages.read(database)
                do throws(StoreError) {
                    try file.requireSpace(for: (pages.total - pages.free) * pages.bytes, limits: limits)
                } catch {
                    throw StoreError(error.code, "Cannot compact '\(file.given)': \(error.message)")
                }
                try StoreFile.createEmpty(file.compacting, for: file.given)
                // Sets `auto_vacuum` for the copy, if the file has none. On a file that has it, the pragma would write.
                if try ConnectionSettings.value(of: "auto_vacuum", on: database) == "0" {
                    try database.execute(sql: "PRAGMA auto_vacuum = INCREMENTAL")
                }
                try database.execute(sql: "VACUUM INTO ?", arguments: [file.compacting])
                return try ConnectionSettings.value(of: "journal_mode", on: database)
            }
            try connection.close()
            return mode
        } catch {
            // The first error matters, not an error of closing.
            try? connection.close()
            throw error
        }
    }

    /// Refuses a file that was not closed in order: the copy would lose the only sign that its log is missing.
    private func requireClosed(_ database: Database, _ file: StoreFile) throws {
        guard let row = try StoreRow.read(database) else {
            throw StoreError(.damaged, "'\(file.given)' is damaged: its row in 'store' is missing")
        }
        guard row.isClean else {
            throw StoreError(
                .cannotOpen,
                "Cannot compact '\(file.given)': it was not closed in order; start and stop wfd on it first")
        }
    }

    private func check(_ file: StoreFile) async throws -> StoreContents {
        do {
            let copy = try StoreFile(existing: file.compacting, as: file.given)
            return try await FullCheck(file: copy, limits: limits).run(verify) { _, _ in true }
        } catch let error as StoreError where error.code == .damaged {
            throw StoreError(.damaged, "'\(file.given)' is damaged: \(error.message)")
        }
    }

    /// Gives the copy the file's place, journal mode, owner and permissions.
    private func settle(_ file: StoreFile, _ mode: String?) throws {
        let connection = try DatabaseQueue(path: file.compacting, configuration: ConnectionSettings.ofCopy())
        defer { try? connection.close() }
        try connection.inDatabase { database in
            // A file at its place stays at its place, and a moved file still holds its effects. The machine is not
            // compared: only a start knows the name of `--place`.
            var (old, new) = (place.place(of: file.path), place.place(of: file.compacting))
            (old.machine, new.machine) = (nil, nil)
            if let before = try PlaceQueries.read(database), PlaceChange(from: before, to: old) == nil {
                try PlaceQueries.write(new.completed(by: before), database)
            }
            // WAL is set now, as in a new store: setting it later could leave a rollback journal beside a log.
            if mode == "wal" { try database.execute(sql: "PRAGMA journal_mode = WAL") }
        }
        try connection.close()
        try file.giveOwner(to: file.compacting)
    }

    /// Renames the copy to the file's name.
    private func takePlace(_ file: StoreFile) throws {
        try StoreFile.flush(file.compacting, for: file.given)
        // These files are empty or useless. They must be gone from the disk before the rename.
        StoreFile.remove([file.wal, file.index, file.rollbackJournal, file.heldLog])
        try StoreFile.flushDirectory(file.directory, for: file.given)
        guard rename(file.compacting, file.path) == 0 else { throw StoreFile.failure(file.given, errno) }
        try StoreFile.flushDirectory(file.directory, for: file.given)
    }

    private func failure(_ file: StoreFile, _ error: any Error) -> StoreError {
        let failure = SQLiteFailure(error)
        if failure.isBusy {
            return StoreError(.locked, "Cannot compact '\(file.given)': another program has it open; end that first")
        }
        if failure.isCorrupt { return StoreError(.damaged, "'\(file.given)' is damaged: \(failure)") }
        return StoreError("Cannot compact '\(file.given)'", failure, on: file)
    }
}

extension StoreFile {
    /// The path of the new file while a compaction writes it.
    var compacting: String { path + ".compacting" }

    /// Removes the file that an unfinished compaction left. The caller must hold the lock.
    func removeUnfinishedCompaction() {
        // A file that cannot be removed only takes space.
        Self.remove(["", "-wal", "-shm", "-journal"].map { compacting + $0 })
    }
}
