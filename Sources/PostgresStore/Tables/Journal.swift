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
        try column("position", row.position) { row, next throws(PostgresFailure) in row.position = try next.position() }
        try column("instance_id", row.instanceID) { row, next throws(PostgresFailure) in
            row.instanceID = try next.instanceID()
        }
        try column("machine_id", row.machineID) { row, next throws(PostgresFailure) in
            row.machineID = try next.machineID()
        }
        try column("seq", row.seq) { row, next throws(PostgresFailure) in row.seq = try next.seq() }
        try column("previous", row.previous) { row, next throws(PostgresFailure) in
            row.previous = try next.previous(of: row.position)
        }
        try column("at_ms", row.at) { row, next throws(PostgresFailure) in row.at = try next.time() }
        try column("real_ms", row.real) { row, next throws(PostgresFailure) in row.real = try next.optionalTime() }
        try column("kind", row.kind) { row, next throws(PostgresFailure) in row.kind = try next.word() }
        try column("event", row.event) { row, next throws(PostgresFailure) in row.event = try next.text() }
        try column("data", row.storedData) { row, next throws(PostgresFailure) in row.data = try next.optionalText() }
        try column("from_state", row.from) { row, next throws(PostgresFailure) in row.from = try next.text() }
        try column("to_state", row.to) { row, next throws(PostgresFailure) in row.to = try next.text() }
        try column("actor", row.actor) { row, next throws(PostgresFailure) in row.actor = try next.actor() }
        try column("key", row.key) { row, next throws(PostgresFailure) in row.key = try next.optionalBlob() }
        try column("note", row.note) { row, next throws(PostgresFailure) in row.note = try next.optionalText() }
        try column("salt", row.storedSalt) { row, next throws(PostgresFailure) in
            row.salt = try next.rowSalt(&row.data)
        }
        try column("digest", row.digest) { row, next throws(PostgresFailure) in row.digest = try next.digest() }
    }

    static let byPosition = columns.select("journal-row", "WHERE position = $1::bigint")

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
