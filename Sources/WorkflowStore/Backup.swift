/// The name of one backup of a store; part of its file's name.
package struct BackupName: Hashable, Sendable {
    /// Sixteen hexadecimal digits.
    package let text: String

    /// Creates a name that was never used.
    package init(random: inout some RandomNumberGenerator) {
        let digits = String(UInt64.random(in: .min ... .max, using: &random), radix: 16)
        text = String(repeating: "0", count: 16 - digits.count) + digits
    }

    /// Creates a name from a given text; `nil` if the text is not a backup's name.
    package init?(_ text: String) {
        guard text.utf8.count == 16, text.utf8.allSatisfy({ (0x30...0x39).contains($0) || (0x61...0x66).contains($0) })
        else { return nil }
        self.text = text
    }
}

/// The progress of a backup's copy.
package struct BackupProgress: Sendable, Equatable {
    package var bytesDone: Int64
    /// The size of the copy, which grows with the store during the copy.
    package var bytesTotal: Int64
    /// True if the copy is complete.
    package var isDone: Bool

    package init(bytesDone: Int64, bytesTotal: Int64, isDone: Bool) {
        self.bytesDone = bytesDone
        self.bytesTotal = bytesTotal
        self.isDone = isDone
    }
}

/// A backup that was verified and is on disk.
package struct StoredBackup: Sendable, Equatable {
    package var name: BackupName
    package var bytes: Int64
    /// The digest of all its bytes.
    package var digest: Digest
    package var contents: StoreContents

    package init(name: BackupName, bytes: Int64, digest: Digest, contents: StoreContents) {
        self.name = name
        self.bytes = bytes
        self.digest = digest
        self.contents = contents
    }
}

/// The contents of a store's file, in numbers.
package struct StoreContents: Sendable, Equatable {
    package var generation: Int64
    package var instances: Int64
    /// The number of journal rows.
    package var events: Int64
    /// The highest logical time in the file.
    package var last: Timestamp

    package init(generation: Int64, instances: Int64, events: Int64, last: Timestamp) {
        self.generation = generation
        self.instances = instances
        self.events = events
        self.last = last
    }
}

/// Compares all data of a file that nobody writes to. Throws `StoreError` with `damaged` if the data differs from what
/// was written. The caller passes the function in, because the store knows no steps.
package typealias FileVerification = (any StoreReader) async throws -> Void

/// The bytes of a backup, read from first to last.
package protocol BackupReader: Sendable {
    /// Returns the next bytes, at most `count`; empty at the end. Blocks on the disk. For one caller at a time.
    func read(atMost count: Int) throws(StoreError) -> [UInt8]
}

/// The part of backups that runs beside the writer, after the copy.
package protocol StoreBackups: Sendable {
    /// Copies beside the writer; `nil` if the writer copies, with its `backups`.
    var exporting: (any BackupExporting)? { get }

    /// Makes a copied backup self-contained, verifies it, flushes it and names it; removes the copy on failure. Takes
    /// as long as reading the file a few times, and blocks: do not call it on the writer's thread.
    ///
    /// - Parameters:
    ///   - verify: The verification that a restore of the backup would use.
    ///   - mayGoOn: Called regularly, but not by `verify`, with the number of processed bytes; false ends the work.
    func completeBackup(
        _ name: BackupName, verify: FileVerification, mayGoOn: (_ done: Int64, _ total: Int64) -> Bool
    ) async throws(StoreError) -> StoredBackup

    /// Opens the bytes of a complete backup; they stay readable if the backup is removed meanwhile.
    func openBackup(_ name: BackupName) throws(StoreError) -> any BackupReader

    /// Removes a copied or complete backup.
    func removeBackup(_ name: BackupName)
}

/// The part of backups that copies as of one moment, while the writer goes on.
package protocol BackupExporting: Sendable {
    /// Copies the whole store as of one moment; one copy at a time. `completeBackup` is next. If `exportBackup` throws,
    /// nothing of the copy is left.
    ///
    /// - Parameter mayGoOn: Called after each slice with the bytes that are written, and about how many there will be;
    ///   false ends the copy.
    func exportBackup(
        _ name: BackupName, mayGoOn: (_ done: Int64, _ total: Int64) -> Bool
    ) async throws(StoreError)
}

/// The part of backups that copies, between the writer's batches and on the writer's thread.
package protocol BackupCopying: AnyObject {
    /// Begins a copy of the whole store beside it; one copy at a time. If `beginBackup` throws, nothing of the copy is
    /// left.
    func beginBackup(_ name: BackupName) throws(StoreError)

    /// Continues the copy for about `duration`. The copy includes whatever `commit` writes meanwhile. The complete copy
    /// is the store as of the last commit, and `completeBackup` is next. If `stepBackup` throws, nothing of the copy is
    /// left, and the store is unharmed.
    func stepBackup(for duration: Duration) throws(StoreError) -> BackupProgress

    /// Abandons the copy in progress, if there is one.
    func abandonBackup()
}
