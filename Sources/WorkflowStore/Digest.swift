import Crypto
import Statechart

/// A SHA-256 digest.
package struct Digest: Hashable, Sendable {
    // In place, and not in an array of their own: checking a history makes two for every row.
    private let words: (UInt64, UInt64, UInt64, UInt64)

    /// - Precondition: `bytes` has 32 elements.
    package init(bytes: [UInt8]) {
        self = bytes.withUnsafeBytes { Digest(bytes: $0) }
    }

    /// - Precondition: `bytes` has 32 elements.
    init(bytes: UnsafeRawBufferPointer) {
        precondition(bytes.count == 32, "a SHA-256 digest has 32 bytes")
        words = (
            bytes.loadUnaligned(fromByteOffset: 0, as: UInt64.self),
            bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self),
            bytes.loadUnaligned(fromByteOffset: 16, as: UInt64.self),
            bytes.loadUnaligned(fromByteOffset: 24, as: UInt64.self)
        )
    }

    /// The digest of some bytes.
    package init(of bytes: some Sequence<UInt8>) {
        self =
            bytes.withContiguousStorageIfAvailable { Digest(of: $0) } ?? Array(bytes).withUnsafeBytes(Digest.init(of:))
    }

    private init(of bytes: UnsafeBufferPointer<UInt8>) {
        self.init(of: UnsafeRawBufferPointer(bytes))
    }

    init(of bytes: UnsafeRawBufferPointer) {
        var hash = SHA256()
        hash.update(bufferPointer: bytes)
        self = hash.finalize().withUnsafeBytes { Digest(bytes: $0) }
    }

    /// Always 32 bytes.
    package var bytes: [UInt8] { withUnsafeBytes { Array($0) } }

    /// The 32 bytes where they are, for as long as the call.
    func withUnsafeBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
        try Swift.withUnsafeBytes(of: words, body)
    }

    /// In hexadecimal, lower case.
    package var text: String {
        bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }

    /// 32 bytes of zero, which no text has: for a place where no digest is known.
    package static let zero = Digest(bytes: Array(repeating: 0, count: 32))

    package static func == (lhs: Digest, rhs: Digest) -> Bool { lhs.words == rhs.words }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(words.0)
    }
}

/// The names that the digest of an instance's first row covers, and with it the whole chain.
package struct StartedNames: Sendable, Equatable {
    package let instance: String
    package let machine: String
    package let version: Int64

    package init(instance: String, machine: String, version: Int64) {
        self.instance = instance
        self.machine = machine
        self.version = version
    }
}

extension Digest {
    /// The digest of a journal row: it covers what happened and the row before, never where it is stored, so that the
    /// chain survives export, another store and redaction.
    ///
    /// - Parameters:
    ///   - row: The row; its own `digest` is not read.
    ///   - previous: The digest of the instance's row before; nil for its first.
    ///   - machine: The digest of the definition that took the step.
    ///   - semantics: The semantics number under which it was taken.
    ///   - names: Of a row of kind `started`; nil for every other.
    ///   - snapshot: What was stored with the row, where it is a snapshot row.
    package init(
        row: JournalRecord, previous: Digest?, uuid: UniqueID, machine: Digest, semantics: Int64,
        names: StartedNames?, snapshot: SnapshotRecord?
    ) {
        var buffer = DigestBuffer()
        self = buffer.digest(
            row: row, previous: previous, uuid: uuid, machine: machine, semantics: semantics, names: names,
            snapshot: snapshot)
    }

    /// The digest of what is stored of a machine version, not of where.
    package init(sealing machine: MachineRecord) {
        var buffer = DigestBuffer()
        self = buffer.digest(sealing: machine)
    }

    /// The digest of what a snapshot says, not of where it is stored.
    package init(snapshot: SnapshotRecord) {
        var buffer = DigestBuffer()
        self = buffer.digest(snapshot: snapshot)
    }
}
