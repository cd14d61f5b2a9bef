import Crypto
import Statechart

/// A SHA-256 digest.
package struct Digest: Hashable, Sendable {
    /// Always 32 bytes.
    package let bytes: [UInt8]

    /// - Precondition: `bytes` has 32 elements.
    package init(bytes: [UInt8]) {
        precondition(bytes.count == 32, "a SHA-256 digest has 32 bytes")
        self.bytes = bytes
    }

    /// The digest of some bytes.
    package init(of bytes: some Sequence<UInt8>) {
        var hash = SHA256()
        hash.update(data: Array(bytes))
        self.bytes = Array(hash.finalize())
    }

    /// In hexadecimal, lower case.
    package var text: String {
        bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
}

extension Digest {
    /// The layout of what is hashed; a change of the layout is a new number.
    private static let layout: UInt8 = 1

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
        var fields = LengthPrefixedFields()
        fields.append([Self.layout])
        fields.append(previous?.bytes)
        fields.append(uuid.bytes)
        fields.append(row.seq.rawValue)
        fields.append(row.at.rawValue)
        fields.append(row.real?.rawValue)
        fields.append(row.kind.rawValue)
        fields.append(machine.bytes)
        fields.append(semantics)
        fields.append(row.event)
        fields.append(row.data.map { Digest(of: $0.utf8).bytes })
        fields.append(row.from)
        fields.append(row.to)
        fields.append(snapshot.map { Digest(snapshot: $0).bytes })
        fields.append(row.actor)
        fields.append(row.key)
        self.init(of: fields.bytes)
    }

    /// The digest of what a snapshot says, not of where it is stored.
    package init(snapshot: SnapshotRecord) {
        var fields = LengthPrefixedFields()
        fields.append([Self.layout])
        fields.append(snapshot.status.rawValue)
        fields.append(snapshot.state.configuration)
        fields.append(snapshot.state.context)
        fields.append(snapshot.state.memory)
        fields.append(snapshot.state.armed)
        fields.append(snapshot.state.output)
        self.init(of: fields.bytes)
    }
}

/// Fields one after another, each behind its length, so that no two lists of fields give the same bytes.
private struct LengthPrefixedFields {
    private(set) var bytes: [UInt8] = []

    init() {
        bytes.reserveCapacity(512)
    }

    /// Appends a field; a missing one has the length 2³²−1 and no bytes.
    mutating func append(_ field: (some Collection<UInt8>)?) {
        appendLength(field.map { UInt32($0.count) } ?? .max)
        if let field { bytes.append(contentsOf: field) }
    }

    mutating func append(_ text: String?) {
        append(text?.utf8)
    }

    /// Appends eight bytes, the most significant first.
    mutating func append(_ number: Int64?) {
        append(number.map { number in (0..<8).reversed().map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) } })
    }

    private mutating func appendLength(_ length: UInt32) {
        for shift in [24, 16, 8, 0] { bytes.append(UInt8(truncatingIfNeeded: length >> shift)) }
    }
}
