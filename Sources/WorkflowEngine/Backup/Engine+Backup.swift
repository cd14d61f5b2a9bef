import Synchronization
package import WorkflowStore

extension Engine {
    /// Makes a backup beside the database, to be fetched by its name. The events end with it, or with a `Rejection`;
    /// who stops listening ends the backup.
    package func backup(by caller: Caller) throws(Rejection) -> AsyncThrowingStream<BackupEvent, any Error> {
        guard let backups else { throw .noBackups }
        log.asked("make a backup", by: caller)
        return try backups.order()
    }

    /// Begins to fetch a backup; nil when there is none of that name (any more).
    package func fetchBackup(_ name: String, by caller: Caller) throws(Rejection) -> BackupFetch? {
        guard let backups else { throw .noBackups }
        log.asked("fetch a backup", by: caller)
        guard let name = BackupName(name), let backup = backups.beginFetch(name) else { return nil }
        do throws(StoreError) {
            return BackupFetch(backup: backup, reader: try backups.open(name), coordinator: backups)
        } catch {
            backups.endFetch(name, isWhole: false)
            throw Rejection(error)
        }
    }
}

/// One reading of a backup's bytes. The backup is kept at least until `end`, or until nobody holds this.
package final class BackupFetch: Sendable {
    package let backup: StoredBackup
    private let reader: any BackupReader
    private let coordinator: BackupCoordinator
    private let hasEnded = Atomic(false)

    init(backup: StoredBackup, reader: any BackupReader, coordinator: BackupCoordinator) {
        self.backup = backup
        self.reader = reader
        self.coordinator = coordinator
    }

    deinit {
        end(isWhole: false)
    }

    /// The next bytes; empty at the end. Blocks for the disk. For one caller at a time.
    package func read() throws(StoreError) -> [UInt8] {
        try reader.read(atMost: coordinator.limits.backupPartBytes)
    }

    /// Ends it; a backup that was read to its end is removed.
    package func end(isWhole: Bool) {
        guard !hasEnded.exchange(true, ordering: .relaxed) else { return }
        coordinator.endFetch(backup.name, isWhole: isWhole)
    }
}
