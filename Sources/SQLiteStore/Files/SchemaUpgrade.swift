import GRDB
import WorkflowStore

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// The options of an upgrade of an older file.
package struct UpgradeOptions: Sendable {
    /// True to keep a copy of the file as it was before the upgrade.
    package var keepsCopy: Bool
    /// Receives the messages for the operator while the upgrade runs.
    package var tell: @Sendable (String) -> Void

    package init(keepsCopy: Bool = true, tell: @escaping @Sendable (String) -> Void = { _ in }) {
        self.keepsCopy = keepsCopy
        self.tell = tell
    }
}

/// Upgrades the schema of an older file, and keeps a copy of the file as it was.
///
/// An older wfd refuses the upgraded file. With the copy an operator can go back to that wfd.
struct SchemaUpgrade {
    let file: StoreFile
    let schema: SchemaSteps
    let options: UpgradeOptions
    let limits: StoreLimits

    /// The time between two messages about the progress of a copy.
    private static let pause = Duration.seconds(2)

    /// Upgrades the file; returns false if it has the newest schema. The caller must hold the lock, and the log must be
    /// empty.
    func run(_ database: Database) throws -> Bool {
        let found = try schema.version(of: database)
        guard found < schema.newest else { return false }
        options.tell("'\(file.given)' is being upgraded from schema version \(found) to \(schema.newest)")
        if options.keepsCopy {
            do {
                try keepCopy(database)
            } catch {
                throw failure(error)
            }
            let path = file.copyBefore(schema.newest)
            options.tell("the file as it was is '\(path)'; remove it when you no longer need to go back")
        }
        return try schema.upgrade(database)
    }

    private func keepCopy(_ database: Database) throws {
        let path = file.copyBefore(schema.newest)
        if StoreFile.size(of: path) != nil {
            // A stop between the copy and the first start of the writer leaves the copy of this same upgrade.
            guard isCopy(path, of: database) else {
                throw StoreError(.cannotOpen, "'\(path)' is there already, of an earlier upgrade; move it away")
            }
            return
        }
        let unfinished = path + ".partial"
        try copy(database, to: unfinished)
        do {
            try BackupCompletion.finish(unfinished)
            try StoreFile.flush(unfinished, for: file.given)
            guard rename(unfinished, path) == 0 else { throw StoreFile.failure(file.given, errno, "'\(path)': ") }
            try StoreFile.flushDirectory(file.directory, for: file.given)
        } catch {
            unlink(unfinished)
            throw error
        }
    }

    private func copy(_ database: Database, to path: String) throws {
        var limits = limits
        limits.backupReserveBytes = limits.upgradeReserveBytes
        let backup = try SQLiteBackup(to: path, of: database, beside: file, limits: limits)
        var told = ContinuousClock.now
        do {
            while true {
                let progress = try backup.step(for: .milliseconds(500))
                if progress.isDone { return backup.end() }
                guard ContinuousClock.now - told >= Self.pause else { continue }
                told = ContinuousClock.now
                options.tell(
                    "copied \(StoreFile.mebibytes(progress.bytesDone)) of \(StoreFile.mebibytes(progress.bytesTotal))")
            }
        } catch {
            backup.abandon()
            throw error
        }
    }

    /// Returns true if a file has the same data as the database: no writer has opened either of them since. A file that
    /// cannot be read is another one, whatever the reason.
    private func isCopy(_ path: String, of database: Database) -> Bool {
        do {
            guard try FileHeader.accept(StoreFile(existing: path), newest: schema.newest) != nil else { return false }
            var configuration = Configuration()
            configuration.readonly = true
            let connection = try DatabaseQueue(path: path, configuration: configuration)
            defer { try? connection.close() }
            let (row, other) = (try StoreRow.read(database), try connection.inDatabase { try StoreRow.read($0) })
            guard let row, let other else { return false }
            return row.uuid == other.uuid && row.generation == other.generation && row.epoch == other.epoch
        } catch {
            return false
        }
    }

    private func failure(_ error: any Error) -> StoreError {
        let failure = SQLiteFailure(error)
        let reason = (error as? StoreError)?.message ?? (failure.isFull ? "its disk is full" : "\(failure)")
        return StoreError(
            (error as? StoreError)?.code ?? (failure.isCorrupt ? .damaged : .unavailable),
            "Cannot keep a copy of '\(file.given)' before its upgrade: \(reason); with '--no-copy' wfd keeps none")
    }
}

extension StoreFile {
    private var beforePrefix: String { path + ".before-" }

    /// Returns the path of the copy that is kept before an upgrade to a schema version.
    func copyBefore(_ version: Int64) -> String { beforePrefix + "\(version)" }

    /// The copies that upgrades have kept, in the order of their versions.
    var copiesBeforeUpgrades: [String] {
        let versions = paths(beginningWith: beforePrefix).compactMap { Int64($0.dropFirst(beforePrefix.count)) }
        return versions.sorted().map(copyBefore)
    }

    /// Removes the copies that stopped upgrades left unfinished. The caller must hold the lock.
    func removeUnfinishedCopies() {
        let ending = ".partial"
        // A file that cannot be removed only takes space.
        Self.remove(
            paths(beginningWith: beforePrefix).filter { path in
                path.hasSuffix(ending) && Int64(path.dropFirst(beforePrefix.count).dropLast(ending.count)) != nil
            })
    }
}
