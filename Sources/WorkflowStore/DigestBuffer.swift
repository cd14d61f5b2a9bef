import Statechart

/// Where the bytes of a digest are put together; used again for the next one, it allocates nothing.
///
/// Fields stand one after another, each behind its length in four bytes, the most significant first, so that no two
/// lists of fields give the same bytes. A missing field has the length 2³²−1 and no bytes.
package struct DigestBuffer: Sendable {
    /// The layout of what is hashed; a change of the layout is a new number.
    private static let layout: UInt8 = 2
    /// Of what stands before each field.
    private static let prefixBytes = 4

    private var bytes: [UInt8]

    package init() {
        bytes = Array(repeating: 0, count: 512)
    }

    /// What `Digest.init(row:previous:uuid:machine:semantics:names:snapshot:)` gives.
    package mutating func digest(
        row: JournalRecord, previous: Digest?, uuid: UniqueID, machine: Digest, semantics: Int64,
        names: StartedNames?, snapshot: SnapshotRecord?
    ) -> Digest {
        let snapshot = snapshot.map { digest(snapshot: $0) }
        let data = row.data.map { Digest(of: $0.utf8) }
        // Five digests and numbers of 32 bytes at most, five numbers of 8 bytes, a UUID, a kind and the texts.
        let size =
            256 + 20 * Self.prefixBytes + row.event.utf8.count + row.from.utf8.count + row.to.utf8.count
            + (row.actor?.utf8.count ?? 0) + (row.key?.count ?? 0) + (row.note?.utf8.count ?? 0)
            + (names.map { $0.instance.utf8.count + $0.machine.utf8.count } ?? 0)
        return write(atMost: size) { fields in
            fields.append(previous)
            fields.append(uuid)
            fields.append(row.seq.rawValue)
            fields.append(row.at.rawValue)
            fields.append(row.real?.rawValue)
            fields.append(row.kind.rawValue)
            fields.append(machine)
            fields.append(semantics)
            fields.append(row.event)
            fields.append(data)
            fields.append(row.from)
            fields.append(row.to)
            fields.append(snapshot)
            fields.append(row.actor)
            fields.append(row.key)
            fields.append(row.note)
            // The kind says whether they follow.
            if let names {
                fields.append(names.instance)
                fields.append(names.machine)
                fields.append(names.version)
            }
        }
    }

    /// What `Digest.init(snapshot:)` gives.
    package mutating func digest(snapshot: SnapshotRecord) -> Digest {
        let state = snapshot.state
        let size =
            64 + 7 * Self.prefixBytes + state.configuration.utf8.count + state.context.utf8.count
            + state.memory.utf8.count + state.armed.utf8.count + (state.output?.utf8.count ?? 0)
        return write(atMost: size) { fields in
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
        write(atMost: 128 + 5 * Self.prefixBytes + machine.name.utf8.count) { fields in
            fields.append(machine.name)
            fields.append(machine.version)
            fields.append(machine.digest)
            fields.append(machine.semantics)
            fields.append(machine.created.rawValue)
        }
    }

    /// The digest of the layout's number and of what `body` appends: no more than `size` bytes.
    private mutating func write(atMost size: Int, _ body: (inout FieldWriter) -> Void) -> Digest {
        if bytes.count < size { bytes = Array(repeating: 0, count: size) }
        return bytes.withUnsafeMutableBytes { bytes in
            var fields = FieldWriter(bytes: bytes)
            fields.appendLength(1)
            fields.append(byte: Self.layout)
            body(&fields)
            return Digest(of: UnsafeRawBufferPointer(rebasing: bytes[..<fields.count]))
        }
    }
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

    mutating func append(byte: UInt8) {
        store(byte)
    }

    mutating func appendLength(_ length: Int) {
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
        precondition(count + MemoryLayout<Value>.size <= bytes.count, "the fields are larger than was said")
        bytes.storeBytes(of: value, toByteOffset: count, as: Value.self)
        count += MemoryLayout<Value>.size
    }
}
