import Statechart

/// The buffer in which the bytes of a digest are assembled; reuse for the next digest allocates nothing.
///
/// Each field follows its length, which has four bytes, most significant first. So no two lists of fields give the same
/// bytes. A missing field has the length 2³²−1 and no bytes. For other programs, docs/digests.md lists the fields of
/// each digest.
package struct DigestBuffer: Sendable {
    /// The number of the hashed layout; each change of the layout gets a new number.
    private static let layout: UInt8 = 2
    /// The number of bytes of the length before each field.
    private static let prefixBytes = 4

    private var bytes: [UInt8]

    package init() {
        bytes = Array(repeating: 0, count: 512)
    }

    /// Returns the digest of a journal row. The digest covers the input and the previous row, never the place of
    /// storage. So the chain survives export, another store and redaction.
    ///
    /// - Parameters:
    ///   - row: The row; its own `digest` is not read.
    ///   - previous: The digest of the instance's previous row; `nil` for the first row.
    ///   - machine: The machine version that took the step.
    ///   - snapshot: The digest of the snapshot that was stored with the row, if there is one.
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
            // The kind determines if these fields follow.
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

    /// Returns the digest that replaces the redactable data in a row's digest, or `nil` if the row has no such data.
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

    /// Returns the salt of one row; only a holder of the instance's salt can compute it.
    package mutating func salt(from instance: Salt, _ seq: Seq, _ purpose: String? = nil) -> Salt {
        let digest = hash(atMost: 64) { fields in
            fields.append(instance)
            fields.append(seq.rawValue)
            if let purpose { fields.append(purpose) }
        }
        return Salt(firstOf: digest)
    }

    /// Returns the snapshot of an instance as its row has it.
    package mutating func snapshot(of instance: InstanceRecord) -> SnapshotRecord {
        var snapshot = SnapshotRecord(
            instanceID: instance.id, seq: instance.seq, position: instance.head, status: instance.status,
            state: instance.state, salt: salt(from: instance.salt, instance.seq, "snapshot"), digest: .zero)
        snapshot.digest = digest(snapshot: snapshot) ?? .zero
        return snapshot
    }

    /// Returns the digest of a snapshot's data, whatever its place, or `nil` if the snapshot was emptied.
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

    /// Returns the same digest as `ChainMachine.init(sealing:)`.
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

    /// Returns the digest of the bytes that `body` appends: no more than `size` bytes.
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
    /// True if the row has data that may be redacted.
    package var hasCommitment: Bool {
        data != nil || kind == .started || note != nil || (key != nil && !hasUUIDKey)
    }

    /// True if the row's key is a UUID. A UUID tells nothing about its user and stays when the row is redacted.
    fileprivate var hasUUIDKey: Bool { key?.count == 16 }
}

/// Writes fields into memory, one after another; a field that does not fit stops the program.
private struct FieldWriter {
    let bytes: UnsafeMutableRawBufferPointer
    private(set) var count = 0

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
        // Native Swift strings never take this branch.
        if isWritten == nil { append(Array(text.utf8)) }
    }

    /// Appends eight bytes, most significant first.
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
