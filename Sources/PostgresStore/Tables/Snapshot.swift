import Statechart
import WorkflowStore

extension SnapshotRecord: TableRow {
    static let columns = Columns(
        of: "snapshot",
        blank: SnapshotRecord(
            instanceID: InstanceID(rawValue: 0), seq: Seq(rawValue: 0), position: Position(rawValue: 0),
            status: .running, state: SnapshotText(configuration: "", context: "", memory: ""), salt: nil,
            digest: .zero))

    static func describe<Visitor: ColumnVisitor<Self>>(_ row: Self, _ column: inout Visitor) throws(Visitor.Failure) {
        try column("instance_id", row.instanceID) { row, next throws(PostgresFailure) in
            row.instanceID = try next.instanceID()
        }
        try column("seq", row.seq) { row, next throws(PostgresFailure) in row.seq = try next.seq() }
        try column("position", row.position) { row, next throws(PostgresFailure) in row.position = try next.position() }
        try column("status", row.status) { row, next throws(PostgresFailure) in row.status = try next.word() }
        try column("configuration", row.state.configuration) { row, next throws(PostgresFailure) in
            row.state.configuration = try next.text()
        }
        try column("context", row.state.context) { row, next throws(PostgresFailure) in
            row.state.context = try next.text()
        }
        try column("memory", row.state.memory) { row, next throws(PostgresFailure) in
            row.state.memory = try next.text()
        }
        try column("armed", row.state.armed) { row, next throws(PostgresFailure) in row.state.armed = try next.text() }
        try column("output", row.state.output) { row, next throws(PostgresFailure) in
            row.state.output = try next.optionalText()
        }
        try column("salt", row.salt) { row, next throws(PostgresFailure) in row.salt = try next.optionalSalt() }
        try column("digest", row.digest) { row, next throws(PostgresFailure) in row.digest = try next.digest() }
    }

    static let atOrBefore = columns.select(
        "snapshot-before", "WHERE instance_id = $1::bigint AND seq <= $2::bigint ORDER BY seq DESC LIMIT 1")
}
