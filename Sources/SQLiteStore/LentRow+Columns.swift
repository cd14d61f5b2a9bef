import Statechart
import WorkflowStore

extension LentRow {
    /// A row of `JournalRecord.columns`, which it borrows from; it is refused where such a record is.
    init(row: StatementRow, isRetry: Bool) throws(SQLiteFailure) {
        let (seq, at) = (row.integer(at: 3), row.integer(at: 5))
        guard StoreNumbers.range.contains(seq) else { throw .malformed("a seq") }
        guard Timestamp.range.contains(at) else { throw .malformed("a time") }
        let kind = row.lent(at: 7)
        guard Self.isKind(kind) else { throw .malformed("a kind") }
        let isRedacted = try Self.isRedacted(row)
        guard row.byteCount(at: 16) == 32 else { throw .malformed("a digest") }
        self.init(
            position: Position(rawValue: row.integer(at: 0)), seq: Seq(rawValue: seq), at: Timestamp(rawValue: at),
            real: row.isNull(at: 6) ? nil : Timestamp(rawValue: row.integer(at: 6)), kind: kind,
            event: row.lent(at: 8), data: isRedacted ? nil : row.optionalLent(at: 9), from: row.lent(at: 10),
            to: row.lent(at: 11), actor: row.optionalLent(at: 12), key: row.optionalLent(at: 13),
            note: row.optionalLent(at: 14), isRedacted: isRedacted, isRetry: isRetry)
    }

    private static func isRedacted(_ row: StatementRow) throws(SQLiteFailure) -> Bool {
        if row.isNull(at: 15) { return false }
        let bytes = Array(row.lent(at: 15))
        var data = bytes.isEmpty ? row.optionalText(at: 9) : nil
        guard let salt = RowSalt(stored: bytes, data: &data) else { throw .malformed("a salt") }
        if case .redacted = salt { return true }
        return false
    }

    private static func isKind(_ text: Text) -> Bool {
        kinds.contains { $0.count == text.count && $0.elementsEqual(text) }
    }

    private static let kinds = JournalKind.allCases.map { Array($0.rawValue.utf8) }

    /// What it counts for in a slice, in bytes, as a record does.
    var size: Int { JournalRecord.size(ofData: data?.count) }
}
