import Statechart

/// Where the bytes of a digest are put together; used again for the next one, it allocates nothing.
///
/// Fields stand one after another, each behind its length in four bytes, the most significant first, so that no two
/// lists of fields give the same bytes. A missing field has the length 2³²−1 and no bytes. docs/digests.md tells the
/// fields of each digest for other programs.
package struct DigestBuffer: Sendable {
    /// The layout of what is hashed; a change of the layout is a new number.
    private static let layout: UInt8 = 2
    /// Of what stands before each field.
    private static let prefixBytes = 4

    private var bytes: [UInt8]

    package init() {
        bytes = Array(repeating: 0, count: 512)
    }

    /// The digest of a journal row: it covers what happened and the row before, never where it is stored, so that the
    /// chain survives export, another store and redaction.
    ///
    /// - Parameters:
    ///   - row: The row; its own `digest` is not read.
    ///   - previous: The digest of the instance's row before; nil for its first.
    ///   - machine: The version that took the step.
    ///   - snapshot: The digest of what was stored with the row, where it is a snapshot row.
    package mutating func digest(
        row: JournalRecord, previous: Digest?, instance: ChainInstance, machine: ChainMachine, snapshot: Digest?
    ) -> Digest {
        let commitment = commitment(row, instance)
        // Four digests, five numbers, a UUID, a key of its size, the layout and a kind; and the texts.
        let size =
            256 + 20 * Self.prefixBytes + row.event.utf8.count + row.from.utf8.count + row.to.utf8.count
            + (row.actor?.rawValue.utf8.count ?? 0) + machine.name.rawValue.utf8.count
        return hash(atMost: size) { fields in
            fields.append(layout: Self.layout)
            fields.append(previous)
            fields.append(instance.uuid)
            fields.append(row.seq.rawValue)
            fields.append(row.at.rawValue)
            fields.append(row.real?.rawValue)
            fields.append(row.kind.rawValue)
            fields.append(machine.digest)
            // The kind says whether they follow.
            if row.kind == .started || row.kind == .migrated {
                fields.append(machine.name.rawValue)
                fields.append(machine.version.rawValue)
            }
            fields.append(machine.semantics)
            fields.append(row.event)
            fields.append(row.from)
            fields.append(row.to)
            fields.append(commitment)
            fields.append(row.hasUUIDKey ? row.key : nil)
            fields.append(row.actor?.rawValue)
            fields.append(snapshot)
        }
    }

    /// What the digest of a row has in the place of what may be redacted; nil where there is nothing of the kind.
    package mutating func commitment(_ row: JournalRecord, _ instance: ChainInstance) -> Digest? {
        if case .redacted(let commitment) = row.salt { return commitment }
        guard row.hasCommitment else { return nil }
        let salt = if case .kept(let kept) = row.salt { kept } else { self.salt(from: instance.salt, row.seq) }
        let name = row.kind == .started ? instance.name.rawValue : nil
        let key = row.hasUUIDKey ? nil : row.key
        let size =
            16 + 5 * Self.prefixBytes + (row.data?.utf8.count ?? 0) + (row.note?.utf8.count ?? 0) + (key?.count ?? 0)
            + (name?.utf8.count ?? 0)
        return hash(atMost: size) { fields in
            fields.append(salt)
            fields.append(row.data)
            fields.append(row.note)
            fields.append(key)
            fields.append(name)
        }
    }

    /// A salt of one row: nobody who does not know the instance's can compute it.
    package mutating func salt(from instance: Salt, _ seq: Seq, _ purpose: String? = nil) -> Salt {
        let digest = hash(atMost: 64) { fields in
            fields.append(instance)
            fields.append(seq.rawValue)
            if let purpose { fields.append(purpose) }
        }
        return Salt(firstOf: digest)
    }

    /// The snapshot of an instance as its row says.
    package mutating func snapshot(of instance: InstanceRecord) -> SnapshotRecord {
        var snapshot = SnapshotRecord(
            instanceID: instance.id, seq: instance.seq, position: instance.head, status: instance.status,
            state: instance.state, salt: salt(from: instance.salt, instance.seq, "snapshot"), digest: .zero)
        snapshot.digest = digest(snapshot: snapshot) ?? .zero
        return snapshot
    }

    /// The digest of what a snapshot says, not of where it is stored; nil where it was emptied.
    package mutating func digest(snapshot: SnapshotRecord) -> Digest? {
        guard let salt = snapshot.salt else { return nil }
        let state = snapshot.state
        let size =
            64 + 8 * Self.prefixBytes + state.configuration.utf8.count + state.context.utf8.count
            + state.memory.utf8.count + state.armed.utf8.count + (state.output?.utf8.count ?? 0)
        return hash(atMost: size) { fields in
            fields.append(layout: Self.layout)
            fields.append(salt)
            fields.append(snapshot.status.rawValue)
            fields.append(state.configuration)
            fields.append(state.context)
            fields.append(state.memory)
            fields.append(state.armed)
            fields.append(state.output)
        }
    }

    /// What `Digest.init(sealing:)` gives.
    mutating func digest(sealing machine: MachineRecord) -> Digest {
        hash(atMost: 128 + 6 * Self.prefixBytes + machine.name.rawValue.utf8.count) { fields in
            fields.append(layout: Self.layout)
            fields.append(machine.name.rawValue)
            fields.append(machine.version.rawValue)
            fields.append(machine.digest)
            fields.append(machine.semantics)
            fields.append(machine.created.rawValue)
        }
    }

    /// The digest of what `body` appends: no more than `size` bytes.
    private mutating func hash(atMost size: Int, _ body: (inout FieldWriter) -> Void) -> Digest {
        if bytes.count < size { bytes = Array(repeating: 0, count: size) }
        return bytes.withUnsafeMutableBytes { bytes in
            var fields = FieldWriter(bytes: bytes)
            body(&fields)
            return Digest(of: UnsafeRawBufferPointer(rebasing: bytes[..<fields.count]))
        }
    }
}

extension JournalRecord {
    /// Whether it says anything that may be redacted.
    package var hasCommitment: Bool {
        data != nil || kind == .started || note != nil || (key != nil && !hasUUIDKey)
    }

    /// Whether its key is a UUID, which tells nothing of who used it and stays when the row is redacted.
    fileprivate var hasUUIDKey: Bool { key?.count == 16 }
}

/// Writes fields into memory, one after another; what does not fit stops the program.
private struct FieldWriter {
    let bytes: UnsafeMutableRawBufferPointer
    private(set) var count = 0

    init(bytes: UnsafeMutableRawBufferPointer) {
        self.bytes = bytes
    }

    mutating func append(_ field: [UInt8]?) {
        guard let field else { return appendMissing() }
        field.withUnsafeBytes { append($0) }
    }

    mutating func append(_ digest: Digest?) {
        guard let digest else { return appendMissing() }
        digest.withUnsafeBytes { append($0) }
    }

    mutating func append(_ uuid: UniqueID) {
        uuid.withUnsafeBytes { append($0) }
    }

    mutating func append(_ salt: Salt) {
        salt.withUnsafeBytes { append($0) }
    }

    mutating func append(_ text: String?) {
        guard let text else { return appendMissing() }
        let isWritten: Void? = text.utf8.withContiguousStorageIfAvailable { append(UnsafeRawBufferPointer($0)) }
        // No text of ours is of that kind.
        if isWritten == nil { append(Array(text.utf8)) }
    }

    /// Eight bytes, the most significant first.
    mutating func append(_ number: Int64?) {
        guard let number else { return appendMissing() }
        appendLength(8)
        store(number.bigEndian)
    }

    mutating func append(layout: UInt8) {
        appendLength(1)
        store(layout)
    }

    private mutating func appendLength(_ length: Int) {
        // Proof: SQLite and the bounds of a macrostep keep every field below 2^31 bytes.
        store(UInt32(length).bigEndian)
    }

    private mutating func appendMissing() {
        store(UInt32.max)
    }

    private mutating func append(_ field: UnsafeRawBufferPointer) {
        appendLength(field.count)
        UnsafeMutableRawBufferPointer(rebasing: bytes[count...]).copyMemory(from: field)
        count += field.count
    }

    private mutating func store<Value: FixedWidthInteger>(_ value: Value) {
        // Proof: each digest counts the bytes of its fields before.
        precondition(count + MemoryLayout<Value>.size <= bytes.count, "the fields are larger than was said")
        bytes.storeBytes(of: value, toByteOffset: count, as: Value.self)
        count += MemoryLayout<Value>.size
    }
}
