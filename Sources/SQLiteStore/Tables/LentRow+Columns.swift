import Statechart
import WorkflowStore

extension LentRow {
    /// A row of `JournalRecord.columns`, which it borrows from; it is refused where such a record is.
    init(row: StatementRow, isRetry: Bool) throws(SQLiteFailure) {
        var numbers = row
        let (position, _, _) = (try numbers.position(), try numbers.instanceID(), try numbers.machineID())
        let (seq, _) = (try numbers.seq(), try numbers.previous(of: position))
        let (at, real) = (try numbers.time(), try numbers.optionalTime())
        let kind = row.lent(at: 7)
        guard Self.isKind(kind) else { throw row.implausible(at: 7) }
        let isRedacted = try Self.isRedacted(row)
        guard row.byteCount(at: 16) == 32 else { throw row.implausible(at: 16) }
        self.init(
            position: position, seq: seq, at: at, real: real, kind: kind, event: try row.lentText(at: 8),
            data: isRedacted ? nil : try row.optionalLentText(at: 9), from: try row.lentText(at: 10),
            to: try row.lentText(at: 11), actor: try row.optionalLentText(at: 12), key: row.optionalLent(at: 13),
            note: try row.optionalLentText(at: 14), isRedacted: isRedacted, isRetry: isRetry)
    }

    private static func isRedacted(_ row: StatementRow) throws(SQLiteFailure) -> Bool {
        if row.isNull(at: 15) { return false }
        let bytes = Array(row.lent(at: 15))
        var data = bytes.isEmpty ? try row.optionalText(at: 9) : nil
        guard let salt = RowSalt(stored: bytes, data: &data) else { throw row.implausible(at: 15) }
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
