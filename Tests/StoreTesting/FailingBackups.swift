package import Synchronization
package import WorkflowStore

/// The backups of a store that always fails to make them.
package final class FailingBackups: StoreBackups, BackupCopying {
    package init() {}

    private static let error = StoreError(.unavailable, "made to fail")

    package var exporting: (any BackupExporting)? { nil }

    package func completeBackup(
        _ name: BackupName, verify: FileVerification, mayGoOn: (_ done: Int64, _ total: Int64) -> Bool
    ) async throws(StoreError) -> StoredBackup { throw Self.error }

    package func openBackup(_ name: BackupName) throws(StoreError) -> any BackupReader { throw Self.error }

    package func removeBackup(_ name: BackupName) {}

    package func beginBackup(_ name: BackupName) throws(StoreError) { throw Self.error }

    package func stepBackup(for duration: Duration) throws(StoreError) -> BackupProgress { throw Self.error }

    package func abandonBackup() {}
}

/// The backups of a store that copies itself slice by slice, as often as it is allowed to.
package final class ExportingBackups: StoreBackups, BackupExporting {
    private let slices: Int64
    /// The name of a copy that is there.
    package let copy = Mutex<BackupName?>(nil)

    /// - Parameter slices: The number of slices of a copy.
    package init(slices: Int64) {
        self.slices = slices
    }

    package var exporting: (any BackupExporting)? { self }

    package func exportBackup(
        _ name: BackupName, mayGoOn: (_ done: Int64, _ total: Int64) -> Bool
    ) async throws(StoreError) {
        copy.withLock { $0 = name }
        for slice in 1...slices where !mayGoOn(slice, slices) {
            copy.withLock { $0 = nil }
            throw StoreError(.unavailable, "given up in slice \(slice)")
        }
    }

    package func completeBackup(
        _ name: BackupName, verify: FileVerification, mayGoOn: (_ done: Int64, _ total: Int64) -> Bool
    ) async throws(StoreError) -> StoredBackup {
        StoredBackup(
            name: name, bytes: slices, digest: .zero,
            contents: StoreContents(generation: 1, instances: 0, events: 0, last: Timestamp(rawValue: 0)))
    }

    package func openBackup(_ name: BackupName) throws(StoreError) -> any BackupReader {
        throw StoreError(.unavailable, "there are no bytes")
    }

    package func removeBackup(_ name: BackupName) {
        copy.withLock { if $0 == name { $0 = nil } }
    }
}
