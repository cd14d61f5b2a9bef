import Statechart
import WorkflowStore

/// Continues an erasure of an instance: a slice of its rows.
struct EraseCommand: Sendable {
    let instance: InstanceID

    enum Answer: Sendable, Equatable {
        case goesOn, isDone
    }
}

extension EraseCommand: PlacedCommand {
    var size: Int { 256 }
    // True, because the rows to erase are read as they are on disk.
    var isLong: Bool { true }
    var payers: [CommandTarget] { [.owner(instance)] }
    var targets: [CommandTarget] { payers }
    var place: CommandPlace { .partition(instance.partition) }
    var summary: String { "erase" }

    func want(_ rows: inout WantedRows) {}

    func apply(to batch: inout BatchBuilder) throws(Rejection) -> Answer {
        batch.orders += 1
        guard let erasure = try batch.openErasure(of: instance) else { return .isDone }
        // An erasure that ends with this batch may precede another: the caller that waits for the other looks again.
        guard erasure.walk != nil else { return .goesOn }
        guard let instance = try batch.instance(erasure.instanceID) else { return .isDone }
        try batch.erase(erasure, of: instance)
        return .goesOn
    }
}

extension EngineLimits {
    /// The rows that one slice of an erasure reads: about as many as a batch of events writes.
    fileprivate var erasedRows: Int { 512 }
    /// The approximate bytes of their data.
    fileprivate var erasedBytes: Int { 1 << 20 }
    /// The limits of a redaction that keeps a part of rows: their number and the bytes of their data. One row has to
    /// hold the rest.
    var keptRows: Int { 100 }
    var keptBytes: Int { 256 << 10 }
}

extension BatchBuilder {
    /// Returns an erasure of an instance with work left on disk, with the changes of this batch so far.
    fileprivate func openErasure(of id: InstanceID) throws(Rejection) -> ErasureRecord? {
        if let own = changes.erasure.records.last(where: { $0.instanceID == id && $0.walk != nil }) { return own }
        guard let open = try read({ () throws(StoreError) in try store.openErasure(of: id) }) else { return nil }
        return changes.erasure.records.last { $0.id == open.id } ?? open
    }

    /// Processes some more rows. After the last row the instance's salt is renewed, in the batch after which nothing
    /// derives from the old salt.
    fileprivate mutating func erase(_ known: ErasureRecord, of instance: LiveInstance) throws(Rejection) {
        var record = known
        guard var walk = record.walk else { return }
        var slice = BatchErasure()
        var (rows, bytes) = (0, 0)
        while rows < parts.limits.erasedRows, bytes < parts.limits.erasedBytes {
            guard let position = walk.next else {
                if instance.state.record.seq > walk.top {
                    walk.bottom = walk.top.next
                    walk.top = instance.state.record.seq
                    walk.next = instance.state.record.head
                    continue
                }
                record.walk = nil
                break
            }
            guard let row = try row(at: position), row.instanceID == record.instanceID else {
                throw .inconsistent("the history of '\(instance.state.record.name)' has no row at \(position.rawValue)")
            }
            take(row, walk, record, instance, &slice)
            walk.next = row.seq > walk.bottom ? row.previous : nil
            rows += 1
            bytes += row.data?.utf8.count ?? 0
        }
        if record.walk != nil { record.walk = walk }
        slice.records = [record]
        changes.add(slice)
        guard record.walk == nil else { return }
        let salt = newSalt()
        rewrite(instance) { $0.renew(salt) }
    }

    /// Adds one row's part of the erasure to the slice.
    private mutating func take(
        _ row: JournalRecord, _ walk: ErasureWalk, _ erasure: ErasureRecord, _ instance: LiveInstance,
        _ slice: inout BatchErasure
    ) {
        let record = instance.state.record
        let isBefore = row.seq < walk.seq
        if isBefore, row.seq.rawValue >= erasure.firstEmptied,
            row.seq.rawValue % SnapshotRecord.interval == 0 || row.kind == .redacted
        {
            slice.snapshots.append((record.id, row.seq))
        }
        let isErased = isBefore && erasure.seqs.contains(row.seq.rawValue)
        if isErased { slice.attempts.append((record.id, row.position)) }
        guard row.hasCommitment, !row.isRedacted else { return }
        if isErased {
            if let commitment = digests.commitment(row, ChainInstance(record)) {
                slice.rows.append((row.position, commitment))
            }
        } else if row.salt == .derived {
            slice.salts.append((row.position, digests.salt(from: record.salt, row.seq)))
        }
    }

    /// Returns a row of the journal, or of this batch, with the changes of this batch so far. Another erasure may have
    /// ended in the batch, and renewed the instance's salt.
    func row(at position: Position) throws(Rejection) -> JournalRecord? {
        var row = uncommittedRow(at: position)
        if row == nil { row = try read { () throws(StoreError) in try store.row(at: position) } }
        guard let salt = changes.rewritten[position] else { return row }
        row?.salt = salt
        if case .redacted = salt { row?.data = nil }
        return row
    }

    /// Returns the first row of an instance, which has its name; `nil` if the row was already redacted.
    func startRow(at position: Position?, of instance: LiveInstance) throws(Rejection) -> JournalRecord? {
        guard let position, let row = try row(at: position), row.kind == .started,
            row.instanceID == instance.state.record.id
        else { throw .inconsistent("the history of '\(instance.state.record.name)' has no row at seq 1") }
        return row.isRedacted ? nil : row
    }

    /// Renames an instance, and redacts the row that has the old name.
    mutating func rename(_ instance: LiveInstance, to name: InstanceName, start: JournalRecord?) {
        let old = instance.state.record
        if let start, let commitment = digests.commitment(start, ChainInstance(old)) {
            var slice = BatchErasure()
            slice.rows = [(start.position, commitment)]
            changes.add(slice)
        }
        rewrite(instance) { $0.rename(to: name) }
        vacate(old.key, of: instance)
    }

    /// Writes the first record of an erasure.
    mutating func begin(_ erasure: ErasureRecord, after order: ErasureRecord?) {
        var slice = BatchErasure()
        slice.records = [erasure]
        slice.begun = order.map { [$0.id] } ?? []
        changes.add(slice)
    }
}

extension ErasureRecord {
    /// The first macrostep whose snapshot may hold the data to erase.
    var firstEmptied: Int64 {
        // Data in the context may have been there from the start.
        paths.map(\.isEmpty) ?? false ? seqs.first ?? .max : 1
    }
}
