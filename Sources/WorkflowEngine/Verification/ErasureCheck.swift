import Statechart
import WorkflowStore

/// Compares the erased data of one instance with the erasures that the store has for it, in both directions.
///
/// A redacted row has no data to compare. So it is accepted only if a later erasure names the row, and a later row of
/// kind `redacted` has a snapshot of the instance.
struct ErasureCheck {
    /// The erasures that have begun, in the order of their rows of kind `redacted`.
    private let erasures: [ErasureRecord]
    /// The index of the first erasure whose row was not passed.
    private var next = 0
    /// True if a row was redacted and no row with a snapshot has come since.
    private var isBlank = false
    /// The first defect that an erasure may explain which began after the erasures were read.
    private(set) var doubt: (seq: Seq, position: Position, message: String)?

    /// - Parameter erasures: The instance's erasures, read when its row was known.
    init(_ erasures: [ErasureRecord]) {
        self.erasures = erasures.filter { $0.id > 0 }.sorted { $0.id < $1.id }
    }

    /// Takes the next row. Returns its defect; `nil` if there is none.
    mutating func mistake(_ row: JournalRecord, _ snapshot: SnapshotRecord?) -> String? {
        if erasures.isEmpty, !row.isRedacted, row.kind != .redacted, snapshot.map({ $0.salt != nil }) ?? true {
            return nil
        }
        while next < erasures.count, erasures[next].id < row.position.rawValue { next += 1 }
        if let mistake = recordMistake(row) { return mistake }
        let later = erasures[next...].drop { $0.id == row.position.rawValue }
        if row.isRedacted {
            if row.note != nil { return "the row is redacted, and has a note" }
            isBlank = true
            if !later.contains(where: { $0.mayRedact(row.seq) }) {
                doubt(row, "the row is redacted, and no erasure names it")
            }
        } else if row.hasCommitment, later.contains(where: { $0.hasErased(row) }) {
            return "the row was to be redacted, and is not"
        }
        return snapshot.flatMap { mistake($0, of: row, later) }
    }

    /// Takes the end of the history. Returns the instance's defect; `nil` if there is none.
    mutating func mistake(_ record: InstanceRecord) -> String? {
        if isBlank {
            doubt = doubt ?? (record.seq, record.head, "no row after those that are redacted says what the instance is")
        }
        if erasures.isEmpty, record.saltFrom.rawValue != 1 {
            return "the instance has another salt than at its start, and nothing was erased of it"
        }
        guard let renaming = erasures.last(where: { $0.name != nil }), renaming.id <= record.head.rawValue,
            renaming.name != record.name, record.name != .redacted(record.uuid)
        else { return nil }
        return "the instance's name is not the one that an erasure gave it"
    }

    private mutating func doubt(_ row: JournalRecord, _ message: String) {
        if doubt == nil { doubt = (row.seq, row.position, message) }
    }

    /// Checks that a row of kind `redacted` has its erasure, with the same request.
    private func recordMistake(_ row: JournalRecord) -> String? {
        guard row.kind == .redacted else { return nil }
        guard next < erasures.count, erasures[next].id == row.position.rawValue else {
            return "there is no erasure for the row"
        }
        let erasure = erasures[next]
        guard !row.isRedacted else { return nil }
        guard let redaction = row.redaction else { return "the row does not say what it erases" }
        let isOrdered = RowNote(row.note).reason == RedactCommand.orderReason
        let isSame =
            isOrdered ? erasure.isOrder(of: redaction) : erasure.isRecord(of: redaction, at: row.real ?? row.at)
        return isSame ? nil : "its erasure is not what the row says"
    }

    /// Checks that an emptied snapshot was to be emptied and has no data, and that no other snapshot was to be emptied.
    private mutating func mistake(
        _ snapshot: SnapshotRecord, of row: JournalRecord, _ later: ArraySlice<ErasureRecord>
    ) -> String? {
        guard snapshot.salt == nil else {
            if row.kind == .redacted { isBlank = false }
            return later.contains { $0.firstEmptied <= row.seq.rawValue && $0.hasPassed(row) }
                ? "the snapshot was to be emptied, and is not" : nil
        }
        if !later.contains(where: { $0.firstEmptied <= row.seq.rawValue }) {
            doubt(row, "the snapshot is emptied, and no erasure asks for it")
        }
        let state = snapshot.state
        let isEmpty = state.context == "{}" && state.memory == "{}" && state.armed == "[]" && state.output == nil
        return isEmpty && state.configuration == row.to ? nil : "the snapshot is emptied, and says something"
    }
}

extension ErasureRecord {
    /// Returns true if the erasure may redact a row: a row that it names, or the first row if the erasure renames the
    /// instance.
    fileprivate func mayRedact(_ seq: Seq) -> Bool { seqs.contains(seq.rawValue) || (name != nil && seq.rawValue == 1) }

    /// Returns true if the erasure has emptied a row.
    fileprivate func hasErased(_ row: JournalRecord) -> Bool { seqs.contains(row.seq.rawValue) && hasPassed(row) }

    /// Returns true if the erasure's walk has passed a row that is older than the erasure.
    fileprivate func hasPassed(_ row: JournalRecord) -> Bool {
        guard let walk else { return true }
        return row.seq < walk.bottom || walk.next.map { row.position > $0 } ?? true
    }

    /// Returns true if the erasure is the one that an operator's row records.
    fileprivate func isRecord(of redaction: Redaction, at time: Timestamp) -> Bool {
        seqs == redaction.seqs && (paths == nil) == redaction.isWhole && paths ?? redaction.paths == redaction.paths
            && dataPaths == redaction.dataPaths && (name != nil) == redaction.isRenamed && at == time
    }

    /// Returns true if the erasure may be the one that a restore ordered; a backup may have less of the data.
    fileprivate func isOrder(of redaction: Redaction) -> Bool {
        seqs.within(1...max(1, redaction.seqs.last ?? 0)) == redaction.seqs
            && (paths == nil) == redaction.isWhole && redaction.paths.allSatisfy { paths?.contains($0) ?? false }
            && dataPaths == redaction.dataPaths && (name != nil || !redaction.isRenamed)
    }
}
