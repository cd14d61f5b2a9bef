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
        try column("instance_id", row.instanceID) { $0.instanceID = try $1.instanceID() }
        try column("seq", row.seq) { $0.seq = try $1.seq() }
        try column("position", row.position) { $0.position = try $1.position() }
        try column("status", row.status) { $0.status = try $1.word() }
        try column("configuration", row.state.configuration) { $0.state.configuration = try $1.text() }
        try column("context", row.state.context) { $0.state.context = try $1.text() }
        try column("memory", row.state.memory) { $0.state.memory = try $1.text() }
        try column("armed", row.state.armed) { $0.state.armed = try $1.text() }
        try column("output", row.state.output) { $0.state.output = try $1.optionalText() }
        try column("salt", row.salt) { $0.salt = try $1.optionalSalt() }
        try column("digest", row.digest) { $0.digest = try $1.digest() }
    }

    static let atOrBefore = columns.select(
        "snapshot-before",
        """
        WHERE instance_id = $1::bigint AND seq <= $2::bigint AND salt IS NOT NULL
        ORDER BY instance_id DESC, seq DESC LIMIT 1
        """)
}
