import Synchronization
package import WorkflowStore

/// Makes backups of a store that is no file. Each is a file of SQLite with the rows that the store exports.
///
/// A file lies in a folder until it is fetched. A lock beside it is held from the first backup on. So the next process
/// knows the files of one that was killed, and removes them.
package final class ExportedBackups: StoreBackups {
    private let name: String
    private let path: String
    private let limits: StoreLimits
    private let export: @Sendable () -> any StoreExport
    private let lock = Mutex<FileLock?>(nil)

    package var exporting: (any BackupExporting)? { self }

    /// Removes the backups that an earlier process left.
    ///
    /// - Parameters:
    ///   - name: The name of the store in messages.
    ///   - path: The beginning of the paths of all backups. A missing folder is made with the first backup.
    ///   - export: Begins to read the store as of that moment; called for each backup.
    package init(
        of name: String, at path: String, limits: StoreLimits = StoreLimits(),
        export: @escaping @Sendable () -> any StoreExport
    ) {
        self.name = name
        self.path = path
        self.limits = limits
        self.export = export
        // A folder that is not there, or of another user, is met by the first backup.
        guard let file = try? StoreFile(path, as: name), file.hasBackups, let lock = try? FileLock(file) else { return }
        file.removeBackups()
        lock.release()
    }

    /// Returns the paths; makes a missing folder.
    private func file() throws(StoreError) -> StoreFile { try StoreFile(path, as: name, makingFolder: true) }

    package func completeBackup(
        _ name: BackupName, verify: FileVerification, mayGoOn: (_ done: Int64, _ total: Int64) -> Bool
    ) async throws(StoreError) -> StoredBackup {
        do {
            return try await BackupCompletion(file: try file(), name: name, limits: limits).run(verify, mayGoOn)
        } catch {
            removeBackup(name)
            throw error
        }
    }

    package func openBackup(_ name: BackupName) throws(StoreError) -> any BackupReader {
        let file = try file()
        return try FileReader(file.backup(name), for: file.given)
    }

    package func removeBackup(_ name: BackupName) {
        // A folder that is gone has no file.
        if let file = try? file() { file.remove(name) }
    }
}

extension ExportedBackups: BackupExporting {
    package func exportBackup(
        _ name: BackupName, mayGoOn: (_ done: Int64, _ total: Int64) -> Bool
    ) async throws(StoreError) {
        do {
            let file = try file()
            try take(file)
            let copy = try StoreFile(file.unfinishedBackup(name), as: self.name)
            try await ExportedFile(file: copy, limits: limits).write(export(), mayGoOn)
        } catch {
            removeBackup(name)
            throw StoreError(backingUp: self.name, error)
        }
    }

    /// Takes the lock, and removes the files of before.
    private func take(_ file: StoreFile) throws(StoreError) {
        try lock.withLock { lock throws(StoreError) in
            if lock != nil { return }
            let taken = try FileLock(file)
            taken.sign()
            file.removeBackups()
            lock = taken
        }
    }
}
