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
        try column("key", row.key) { $0.key = try $1.optionalBlob() }
        try column("note", row.note) { $0.note = try $1.optionalText() }
        try column("salt", row.storedSalt) { $0.salt = try $1.rowSalt(&$0.data) }
        try column("digest", row.digest) { $0.digest = try $1.digest() }
    }

    static let byPosition = columns.select("journal-row", "WHERE position = $1::bigint")

    static let byPositions = columns.select(
        "journal-rows",
        "JOIN unnest($1::bigint[]) WITH ORDINALITY u (wanted, place) ON position = wanted ORDER BY place")

    /// The value of the column `data`; for a redacted row, its commitment as JSON.
    private var storedData: String? {
        if case .redacted(let commitment) = salt { "\"\(commitment.text)\"" } else { data }
    }

    /// The value of the column `salt`.
    private var storedSalt: [UInt8]? {
        switch salt {
        case .derived: nil
        case .kept(let salt): salt.bytes
        case .redacted: []
        }
    }
}

extension AnswerRow {
    /// Reads the salt of a row of the journal. If the row's data is a commitment, moves the commitment out of `data`.
    fileprivate mutating func rowSalt(_ data: inout String?) throws(PostgresFailure) -> RowSalt {
        let refused = implausible
        guard let bytes = try optionalBlob() else { return .derived }
        if bytes.count == 16 { return .kept(Salt(bytes: bytes)) }
        guard bytes.isEmpty, let text = data, text.first == "\"", text.last == "\"", text.utf8.count == 66,
            let commitment = Digest(text: text.dropFirst().dropLast())
        else { throw refused }
        data = nil
        return .redacted(commitment: commitment)
    }
}
