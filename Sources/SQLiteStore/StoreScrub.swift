import GRDB
import WorkflowMigrations
package import WorkflowStore

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// What was overwritten.
package struct ScrubReport: Sendable, Equatable {
    /// All that the file has.
    package var pages: Int
    /// Those that had something where no row stands.
    package var cleanedPages: Int
    package var cleanedBytes: Int
    /// What the file holds, as it was verified afterwards.
    package var contents: StoreContents
}

/// Overwrites what stands in a file where no row does: gaps in pages, the ends of long values, and free pages. SQLite
/// leaves copies of rows there when it moves them.
package struct StoreScrub {
    /// The database, or a backup.
    package var path: String
    package var limits: StoreLimits
    /// What every backup passes.
    package var verify: FileVerification

    package init(path: String, limits: StoreLimits = StoreLimits(), verify: @escaping FileVerification) {
        self.path = path
        self.limits = limits
        self.verify = verify
    }

    /// Does it, with the file locked all the while, and verifies it. Interrupted, it can be done again: what rows say
    /// is not touched.
    package func run() async throws(StoreError) -> ScrubReport {
        do {
            let file = try StoreFile(existing: path)
            _ = try FileHeader.accept(file, newest: Migrations.all.last?.version ?? 0)
            try file.refuseSeveralNames()
            let lock = try FileLock(file)
            lock.sign()
            defer { lock.release() }
            try refuseLog(of: file)
            let walk = try clean(file)
            let contents = try await check(file)
            return ScrubReport(
                pages: walk.pages, cleanedPages: walk.cleaned.pages, cleanedBytes: walk.cleaned.bytes,
                contents: contents)
        } catch {
            throw error as? StoreError ?? StoreError(reading: path, error)
        }
    }

    private func refuseLog(of file: StoreFile) throws(StoreError) {
        guard StoreFile.size(of: file.wal) ?? 0 > 0 || StoreFile.size(of: file.rollbackJournal) ?? 0 > 0 else { return }
        throw StoreError(
            .cannotOpen,
            "Cannot scrub '\(file.given)': part of it is in the log beside it; start and stop wfd on it first")
    }

    /// Finds out what is used before anything is written, then overwrites the rest.
    private func clean(_ file: StoreFile) throws -> PageWalk {
        var configuration = Configuration()
        configuration.prepareDatabase { database in
            try database.execute(sql: "PRAGMA locking_mode = EXCLUSIVE; PRAGMA trusted_schema = OFF")
        }
        let connection = try DatabaseQueue(path: file.path, configuration: configuration)
        // Closing a descriptor of the file lets go of SQLite's own locks: it is closed last.
        let descriptor = open(file.path, O_RDWR | O_CLOEXEC)
        guard descriptor >= 0 else { throw StoreFile.failure(file.given, errno) }
        defer { close(descriptor) }
        let walk: PageWalk
        do {
            let roots = try connection.inDatabase { database in
                // Nobody else reads or writes from here on.
                try database.execute(sql: "BEGIN EXCLUSIVE")
                defer { try? database.execute(sql: "ROLLBACK") }
                return try Int.fetchAll(database, sql: "SELECT rootpage FROM sqlite_schema WHERE rootpage > 0")
            }
            var trial = try PageWalk(descriptor, isWriting: false, for: file.given)
            try trial.run(roots: [1] + roots)
            var writing = try PageWalk(descriptor, isWriting: true, for: file.given)
            try writing.run(roots: [1] + roots)
            walk = writing
            guard fsync(descriptor) == 0 else { throw StoreFile.failure(file.given, errno) }
            try connection.close()
        } catch {
            // Why it ends matters, not that closing failed too.
            try? connection.close()
            throw error
        }
        return walk
    }

    private func check(_ file: StoreFile) async throws -> StoreContents {
        do {
            return try await FullCheck(file: file, limits: limits).run(verify) { _, _ in true }
        } catch let error as StoreError where error.code == .damaged {
            throw StoreError(.damaged, "'\(file.given)' is damaged: \(error.message)")
        }
    }
}
