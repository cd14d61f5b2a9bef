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
        try column("status", row.status) { $0.status = try $1.status() }
        try column("configuration", row.state.configuration) { $0.state.configuration = try $1.text() }
        try column("context", row.state.context) { $0.state.context = try $1.text() }
        try column("memory", row.state.memory) { $0.state.memory = try $1.text() }
        try column("armed", row.state.armed) { $0.state.armed = try $1.text() }
        try column("output", row.state.output) { $0.state.output = try $1.optionalText() }
        try column("salt", row.salt) { $0.salt = try $1.optionalSalt() }
        try column("digest", row.digest) { $0.digest = try $1.digest() }
    }
}

extension Table {
    /// The table of snapshots, checked for snapshots that no journal row calls for. The inspection of the journal
    /// compares the others with their rows.
    static let snapshot = Table(
        "snapshot", key: ["instance_id", "seq"],
        rows: """
            SELECT s.instance_id, s.seq, s.position, s.seq = j.seq AND s.instance_id = j.instance_id
                AND (s.seq % \(SnapshotRecord.interval) = 0 OR j.kind = 'redacted'),
                i.id IS NOT NULL
            FROM snapshot s LEFT JOIN journal j ON j.position = s.position LEFT JOIN instance i ON i.id = s.instance_id
            """, as: "s"
    ) { row, inspection in
        inspection.slice.snapshots += 1
        let (instance, seq, position) = (try row.instanceID(), try row.seq(), try row.position())
        let (hasRow, hasInstance) = (row.integer() == 1, row.integer() == 1)
        guard hasInstance else {
            return Inconsistency(
                seq: seq, position: position,
                "a snapshot belongs to an instance \(instance.rawValue) that is not there")
        }
        return hasRow
            ? nil
            : Inconsistency(instance: instance, seq: seq, position: position, "there is a snapshot without its row")
    }
}
