import Statechart
import WorkflowStore

extension JournalRecord: TableRow {
    static let columns = Columns(
        of: "journal",
        blank: JournalRecord(
            position: Position(rawValue: 0), instanceID: InstanceID(rawValue: 0), machineID: MachineID(rawValue: 0),
            seq: Seq(rawValue: 0), previous: nil, at: Timestamp(rawValue: 0), real: nil, kind: .event, event: "",
            data: nil, from: "", to: "", actor: nil, key: nil, digest: .zero))

    static func describe<Visitor: ColumnVisitor<Self>>(_ row: Self, _ column: inout Visitor) throws(Visitor.Failure) {
        try column("position", row.position) { $0.position = try $1.position() }
        try column("instance_id", row.instanceID) { $0.instanceID = try $1.instanceID() }
        try column("machine_id", row.machineID) { $0.machineID = try $1.machineID() }
        try column("seq", row.seq) { $0.seq = try $1.seq() }
        try column("previous", row.previous) { $0.previous = try $1.previous(of: $0.position) }
        try column("at_ms", row.at) { $0.at = try $1.time() }
        try column("real_ms", row.real) { $0.real = try $1.optionalTime() }
        try column("kind", row.kind) { $0.kind = try $1.word() }
        try column("event", row.event) { $0.event = try $1.text() }
        try column("data", row.storedData) { $0.data = try $1.optionalText() }
        try column("from_state", row.from) { $0.from = try $1.text() }
        try column("to_state", row.to) { $0.to = try $1.text() }
        try column("actor", row.actor) { $0.actor = try $1.actor() }
        try column("key", row.key) { $0.key = $1.optionalBytes() }
        try column("note", row.note) { $0.note = try $1.optionalText() }
        try column("salt", row.salt.stored) { $0.salt = try $1.rowSalt(&$0.data) }
        try column("digest", row.digest) { $0.digest = try $1.digest() }
    }

    /// The indices of columns that are read individually.
    static let places = Places()

    /// Indices of columns, from 0.
    struct Places: Sendable {
        let position = columns.place(of: "position")
        let instanceID = columns.place(of: "instance_id")
        let machineID = columns.place(of: "machine_id")
        let seq = columns.place(of: "seq")
        let previous = columns.place(of: "previous")
        let kind = columns.place(of: "kind")
        let event = columns.place(of: "event")
        let data = columns.place(of: "data")
        let from = columns.place(of: "from_state")
        let to = columns.place(of: "to_state")
        let actor = columns.place(of: "actor")
        let key = columns.place(of: "key")
        let note = columns.place(of: "note")
        let salt = columns.place(of: "salt")
        let digest = columns.place(of: "digest")
        /// The index after the last column.
        let end = CInt(columns.names.count)
    }

    /// The value of the column `data`; for a redacted row, its commitment as JSON.
    private var storedData: String? {
        if case .redacted(let commitment) = salt { "\"\(commitment.text)\"" } else { data }
    }
}

extension RowSalt {
    /// Decodes a column that is not NULL; returns `nil` if the value is not valid. For a redacted row, moves the
    /// commitment out of `data`.
    fileprivate init?(stored bytes: [UInt8], data: inout String?) {
        switch bytes.count {
        case 16: self = .kept(Salt(bytes: bytes))
        case 0:
            guard let text = data, text.first == "\"", text.last == "\"", text.utf8.count == 66,
                let commitment = Digest(text: text.dropFirst().dropLast())
            else { return nil }
            self = .redacted(commitment: commitment)
            data = nil
        default: return nil
        }
    }

    /// The value of the column `salt`.
    fileprivate var stored: [UInt8]? {
        switch self {
        case .derived: nil
        case .kept(let salt): salt.bytes
        case .redacted: []
        }
    }
}

extension StatementRow {
    /// Reads the salt of a row of the journal. If the row's data is a commitment, moves the commitment out of `data`.
    fileprivate mutating func rowSalt(_ data: inout String?) throws(SQLiteFailure) -> RowSalt {
        guard let bytes = optionalBytes() else { return .derived }
        guard let salt = RowSalt(stored: bytes, data: &data) else { throw implausible }
        return salt
    }
}

extension LentRow {
    /// Borrows the values of a row that was selected with `JournalRecord.columns`. Refuses the rows that
    /// `JournalRecord` refuses.
    init(row: StatementRow, isRetry: Bool) throws(SQLiteFailure) {
        var numbers = row
        let (position, instance, _) = (try numbers.position(), try numbers.instanceID(), try numbers.machineID())
        let (seq, previous) = (try numbers.seq(), try numbers.previous(of: position))
        let (at, real) = (try numbers.time(), try numbers.optionalTime())
        let places = JournalRecord.places
        let kind = row.lent(at: places.kind)
        guard Self.isKind(kind) else { throw row.implausible(at: places.kind) }
        let isRedacted = try Self.isRedacted(row, places)
        guard row.byteCount(at: places.digest) == 32 else { throw row.implausible(at: places.digest) }
        self.init(
            position: position, instanceID: instance, seq: seq, previous: previous, at: at, real: real, kind: kind,
            event: try row.lentText(at: places.event),
            data: isRedacted ? nil : try row.optionalLentText(at: places.data),
            from: try row.lentText(at: places.from), to: try row.lentText(at: places.to),
            actor: try row.optionalLentText(at: places.actor), key: row.optionalLent(at: places.key),
            note: try row.optionalLentText(at: places.note), isRedacted: isRedacted, isRetry: isRetry)
    }

    private static func isRedacted(
        _ row: StatementRow, _ places: JournalRecord.Places
    ) throws(SQLiteFailure) -> Bool {
        if row.isNull(at: places.salt) { return false }
        let bytes = Array(row.lent(at: places.salt))
        var data = bytes.isEmpty ? try row.optionalText(at: places.data) : nil
        guard let salt = RowSalt(stored: bytes, data: &data) else { throw row.implausible(at: places.salt) }
        if case .redacted = salt { return true }
        return false
    }

    private static func isKind(_ text: Text) -> Bool {
        kinds.contains { $0.count == text.count && $0.elementsEqual(text) }
    }

    private static let kinds = JournalKind.allCases.map { Array($0.rawValue.utf8) }

    /// The size in bytes that counts toward the limit of a slice, the same as for a record.
    var size: Int { JournalRecord.size(ofData: data?.count) }
}
