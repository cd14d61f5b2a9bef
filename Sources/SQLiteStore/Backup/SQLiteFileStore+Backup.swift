package import WorkflowStore

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

extension SQLiteFileStore {
    package func usage() async throws(StoreError) -> StoreUsage? {
        guard let bytes = StoreFile.size(of: file.path) else { return nil }
        let pages = try await readers.slice { database, _ in try FilePages.read(database) }
        return StoreUsage(
            file: bytes, pages: pages.total, freePages: pages.free, log: StoreFile.size(of: file.wal) ?? 0,
            free: file.freeBytes, hold: readers.hold)
    }
}

extension SQLiteFileStore: StoreBackups {
    package var backups: (any StoreBackups)? { self }

    /// The writer copies.
    package var exporting: (any BackupExporting)? { nil }

    package func completeBackup(
        _ name: BackupName, verify: FileVerification, mayGoOn: (_ done: Int64, _ total: Int64) -> Bool
    ) async throws(StoreError) -> StoredBackup {
        try await BackupCompletion(file: file, name: name, limits: limits).run(verify, mayGoOn)
    }

    package func openBackup(_ name: BackupName) throws(StoreError) -> any BackupReader {
        try FileReader(file.backup(name), for: file.given)
    }

    package func removeBackup(_ name: BackupName) {
        // A missing file need not be removed. The next start removes a file that cannot be removed now.
        unlink(file.unfinishedBackup(name))
        unlink(file.backup(name))
    }
}
