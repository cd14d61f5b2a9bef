/// Names one backup of a store; part of its file's name.
package struct BackupName: Hashable, Sendable {
    /// Sixteen hexadecimal digits.
    package let text: String

    /// A name that was never used.
    package init(random: inout some RandomNumberGenerator) {
        let digits = String(UInt64.random(in: .min ... .max, using: &random), radix: 16)
        text = String(repeating: "0", count: 16 - digits.count) + digits
    }

    /// A name that somebody gives; nil when it is none.
    package init?(_ text: String) {
        guard text.utf8.count == 16, text.utf8.allSatisfy({ (0x30...0x39).contains($0) || (0x61...0x66).contains($0) })
        else { return nil }
        self.text = text
    }
}

/// How far the copying of a backup is.
package struct BackupProgress: Sendable, Equatable {
    package var bytesDone: Int64
    /// Grows with the store while it is being copied.
    package var bytesTotal: Int64
    /// Whether the copy is whole.
    package var isDone: Bool

    package init(bytesDone: Int64, bytesTotal: Int64, isDone: Bool) {
        self.bytesDone = bytesDone
        self.bytesTotal = bytesTotal
        self.isDone = isDone
    }
}

/// A backup that was checked and is on the disk.
package struct StoredBackup: Sendable, Equatable {
    package var name: BackupName
    package var bytes: Int64
    /// Of all its bytes.
    package var digest: Digest
    package var contents: StoreContents

    package init(name: BackupName, bytes: Int64, digest: Digest, contents: StoreContents) {
        self.name = name
        self.bytes = bytes
        self.digest = digest
        self.contents = contents
    }
}

/// What a store's file holds, in numbers.
package struct StoreContents: Sendable, Equatable {
    package var generation: Int64
    package var instances: Int64
    /// Rows of the journal.
    package var events: Int64
    /// The highest logical time in it.
    package var last: Timestamp

    package init(generation: Int64, instances: Int64, events: Int64, last: Timestamp) {
        self.generation = generation
        self.instances = instances
        self.events = events
        self.last = last
    }
}

/// Compares all that a file holds, which nobody writes to; throws `StoreError` with `damaged` when it is not what was
/// written. The store has it handed in, because it knows nothing of steps.
package typealias FileVerification = (any StoreReader) async throws -> Void

/// The bytes of a backup, read from the first to the last.
package protocol BackupReader: Sendable {
    /// The next bytes, at most so many; empty at the end. Blocks for the disk. For one caller at a time.
    func read(atMost count: Int) throws(StoreError) -> [UInt8]
}

/// Making backups of a store: what is done beside the writer, once that has copied.
package protocol StoreBackups: Sendable {
    /// Makes a copied backup self-contained, checks, flushes and names it; removes it when that fails. Takes as long as
    /// reading the file a few times, and blocks: not for the writer's thread.
    ///
    /// - Parameters:
    ///   - verify: What a restore of it would use.
    ///   - mayGoOn: Called all the while, but not by `verify`, with how many bytes were looked at; false ends it.
    func completeBackup(
        _ name: BackupName, verify: FileVerification, mayGoOn: (_ done: Int64, _ total: Int64) -> Bool
    ) async throws(StoreError) -> StoredBackup

    /// The bytes of a complete backup, also when it is removed meanwhile.
    func openBackup(_ name: BackupName) throws(StoreError) -> any BackupReader

    /// Removes a copied or complete backup.
    func removeBackup(_ name: BackupName)
}

/// Making backups of a store: the copying, between the writer's batches and on its thread.
package protocol BackupCopying: AnyObject {
    /// Begins a copy of the whole store beside it, one at a time. Nothing is left of it when this throws.
    func beginBackup(_ name: BackupName) throws(StoreError)

    /// Goes on with the copy for about so long. What `commit` writes meanwhile is in it too: at its end it is the store
    /// as of the last commit, and `completeBackup` is next. When this throws, nothing is left of the copy; the store is
    /// as good as before.
    func stepBackup(for duration: Duration) throws(StoreError) -> BackupProgress

    /// Gives up the copy that is being made, if there is one.
    func abandonBackup()
}
