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

    fileprivate init(of bytes: UnsafeRawBufferPointer) {
        var hash = SHA256()
        hash.update(bufferPointer: bytes)
        self = hash.finalize().withUnsafeBytes { Digest(bytes: $0) }
    }

    /// Always 32 bytes.
    package var bytes: [UInt8] { withUnsafeBytes(of: words) { Array($0) } }

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

extension Digest {
    /// The digest of a journal row: it covers what happened and the row before, never where it is stored, so that the
    /// chain survives export, another store and redaction.
    ///
    /// - Parameters:
    ///   - row: The row; its own `digest` is not read.
    ///   - previous: The digest of the instance's row before; nil for its first.
    ///   - machine: The digest of the definition that took the step.
    ///   - semantics: The semantics number under which it was taken.
    ///   - snapshot: What was stored with the row, where it is a snapshot row.
    package init(
        row: JournalRecord, previous: Digest?, uuid: UniqueID, machine: Digest, semantics: Int64,
        snapshot: SnapshotRecord?
    ) {
        var buffer = DigestBuffer()
        self = buffer.digest(
            row: row, previous: previous, uuid: uuid, machine: machine, semantics: semantics, snapshot: snapshot)
    }

    /// The digest of what a snapshot says, not of where it is stored.
    package init(snapshot: SnapshotRecord) {
        var buffer = DigestBuffer()
        self = buffer.digest(snapshot: snapshot)
    }
}

/// Where the bytes of a digest are put together; used again for the next one, it allocates nothing.
///
/// Fields stand one after another, each behind its length in four bytes, the most significant first, so that no two
/// lists of fields give the same bytes. A missing field has the length 2³²−1 and no bytes.
package struct DigestBuffer: Sendable {
    /// The layout of what is hashed; a change of the layout is a new number.
    private static let layout: UInt8 = 1

    private var bytes: [UInt8] = []

    package init() {
        bytes.reserveCapacity(512)
    }

    /// What `Digest.init(row:previous:uuid:machine:semantics:snapshot:)` gives.
    package mutating func digest(
        row: JournalRecord, previous: Digest?, uuid: UniqueID, machine: Digest, semantics: Int64,
        snapshot: SnapshotRecord?
    ) -> Digest {
        let snapshot = snapshot.map { digest(snapshot: $0) }
        begin()
        append(previous)
        append(uuid.bytes)
        append(row.seq.rawValue)
        append(row.at.rawValue)
        append(row.real?.rawValue)
        append(row.kind.rawValue)
        append(machine)
        append(semantics)
        append(row.event)
        append(row.data.map { Digest(of: $0.utf8) })
        append(row.from)
        append(row.to)
        append(snapshot)
        append(row.actor)
        append(row.key)
        return bytes.withUnsafeBytes(Digest.init(of:))
    }

    /// What `Digest.init(snapshot:)` gives.
    package mutating func digest(snapshot: SnapshotRecord) -> Digest {
        begin()
        append(snapshot.status.rawValue)
        append(snapshot.state.configuration)
        append(snapshot.state.context)
        append(snapshot.state.memory)
        append(snapshot.state.armed)
        append(snapshot.state.output)
        return bytes.withUnsafeBytes(Digest.init(of:))
    }

    private mutating func begin() {
        bytes.removeAll(keepingCapacity: true)
        appendLength(1)
        bytes.append(Self.layout)
    }

    private mutating func append(_ field: [UInt8]?) {
        appendLength(field?.count)
        if let field { bytes.append(contentsOf: field) }
    }

    private mutating func append(_ digest: Digest?) {
        appendLength(digest == nil ? nil : 32)
        digest?.append(to: &bytes)
    }

    private mutating func append(_ text: String?) {
        let text = text?.utf8
        appendLength(text?.count)
        if let text { bytes.append(contentsOf: text) }
    }

    /// Eight bytes, the most significant first.
    private mutating func append(_ number: Int64?) {
        appendLength(number == nil ? nil : 8)
        if let number { withUnsafeBytes(of: number.bigEndian) { bytes.append(contentsOf: $0) } }
    }

    private mutating func appendLength(_ length: Int?) {
        let length = length.map { UInt32($0) } ?? .max
        withUnsafeBytes(of: length.bigEndian) { bytes.append(contentsOf: $0) }
    }
}

extension Digest {
    fileprivate func append(to bytes: inout [UInt8]) {
        withUnsafeBytes(of: words) { bytes.append(contentsOf: $0) }
    }
}
