import WorkflowStore

/// The backups of a store that always fails to make them.
final class FailingBackups: StoreBackups, BackupCopying {
    private static let error = StoreError(.unavailable, "made to fail")

    func completeBackup(
        _ name: BackupName, verify: FileVerification, mayGoOn: (_ done: Int64, _ total: Int64) -> Bool
    ) async throws(StoreError) -> StoredBackup { throw Self.error }

    func openBackup(_ name: BackupName) throws(StoreError) -> any BackupReader { throw Self.error }

    func removeBackup(_ name: BackupName) {}

    func beginBackup(_ name: BackupName) throws(StoreError) { throw Self.error }

    func stepBackup(for duration: Duration) throws(StoreError) -> BackupProgress { throw Self.error }

    func abandonBackup() {}
}
