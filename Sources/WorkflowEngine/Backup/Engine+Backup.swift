import Synchronization
package import WorkflowStore

extension Engine {
    /// Makes a backup beside the database, to be fetched by its name. The events end with `ready`, or with a
    /// `Rejection`. A caller that stops listening ends the backup.
    package func backup(by caller: Caller) throws(Rejection) -> AsyncThrowingStream<BackupEvent, any Error> {
        guard let backups else { throw .noBackups }
        log.asked("make a backup", by: caller)
        return try backups.order()
    }

    /// Begins to fetch a backup, and records that. Returns `nil` if there is none with that name, or it was removed.
    package func fetchBackup(_ name: String, by caller: Caller) async throws(Rejection) -> BackupFetch? {
        guard let backups else { throw .noBackups }
        log.asked("fetch a backup", by: caller)
        guard let name = BackupName(name), let backup = backups.beginFetch(name) else { return nil }
        let fetch: BackupFetch
        do throws(StoreError) {
            fetch = BackupFetch(backup: backup, reader: try backups.open(name), coordinator: backups)
        } catch {
            backups.endFetch(name, isWhole: false)
            throw Rejection(error)
        }
        // Nobody gets a copy of all data without a record. If this fails, the fetch ends with its object.
        _ = try await queue.submit(
            RecordChangeCommand(action: .backup, detail: "fetched: \(backup.bytes) bytes", caller: caller))
        return fetch
    }
}

/// One reader of a backup's bytes. The backup is kept at least until `end`, or until the reader is released.
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

    /// Returns the next bytes; empty at the end. Blocks on the disk. Only one caller at a time may read.
    package func read() throws(StoreError) -> [UInt8] {
        try reader.read(atMost: coordinator.limits.backupPartBytes)
    }

    /// Ends the fetch; a backup that was read to its end is removed.
    package func end(isWhole: Bool) {
        guard !hasEnded.exchange(true, ordering: .relaxed) else { return }
        coordinator.endFetch(backup.name, isWhole: isWhole)
    }
}
