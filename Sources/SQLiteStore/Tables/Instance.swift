import Statechart
import WorkflowStore

extension InstanceRecord: TableRow {
    static let columns = Columns(
        of: "instance",
        blank: InstanceRecord(
            id: InstanceID(rawValue: 0), uuid: UniqueID(bytes: Array(repeating: 0, count: 16)),
            namespace: NamespaceID(rawValue: 0), name: "", machineID: MachineID(rawValue: 0), status: .running,
            seq: Seq(rawValue: 0), head: Position(rawValue: 0),
            state: SnapshotText(configuration: "", context: "", memory: ""), entered: Timestamp(rawValue: 0),
            salt: .zero, digest: .zero, created: Timestamp(rawValue: 0), updated: Timestamp(rawValue: 0)))

    static func describe<Visitor: ColumnVisitor<Self>>(_ row: Self, _ column: inout Visitor) throws(Visitor.Failure) {
        try column("id", row.id) { $0.id = try $1.instanceID() }
        try column("uuid", row.uuid) { $0.uuid = try $1.uniqueID() }
        try column("name", row.name) { $0.name = try $1.instanceName() }
        try column("machine_id", row.machineID) { $0.machineID = try $1.machineID() }
        try column("status", row.status) { $0.status = try $1.status() }
        try describeStep(row, &column)
        try column("failure", row.failure) { $0.failure = try $1.optionalText() }
        try column("salt", row.salt) { $0.salt = try $1.salt() }
        try column("salt_from", row.saltFrom) { $0.saltFrom = try $1.seq() }
        try column("created_ms", row.created) { $0.created = try $1.time() }
        try column("namespace_id", row.namespace) { $0.namespace = $1.anyNamespaceID() }
    }

    /// Passes the columns that every macrostep writes to a visitor.
    static func describeStep<Visitor: ColumnVisitor<Self>>(
        _ row: Self, _ column: inout Visitor
    ) throws(Visitor.Failure) {
        try column("seq", row.seq) { $0.seq = try $1.seq() }
        try column("head", row.head) { $0.head = try $1.position() }
        try column("configuration", row.state.configuration) { $0.state.configuration = try $1.text() }
        try column("context", row.state.context) { $0.state.context = try $1.text() }
        try column("memory", row.state.memory) { $0.state.memory = try $1.text() }
        try column("armed", row.state.armed) { $0.state.armed = try $1.text() }
        try column("output", row.state.output) { $0.state.output = try $1.optionalText() }
        try column("entered_ms", row.entered) { $0.entered = try $1.time() }
        try column("digest", row.digest) { $0.digest = try $1.digest() }
        try column("updated_ms", row.updated) { $0.updated = try $1.time() }
    }

    /// `UPDATE … SET …` of the columns that every macrostep writes.
    static let updateStep: String = {
        var visitor = ColumnNames<InstanceRecord>()
        describeStep(columns.blank, &visitor)
        return "UPDATE instance SET " + visitor.names.map { "\($0) = ?" }.joined(separator: ", ")
    }()

    /// The indices of columns that are compared before a row is read.
    static let places = Places()

    /// Indices of columns, from 0.
    struct Places: Sendable {
        let id = columns.place(of: "id")
        let name = columns.place(of: "name")
        let machineID = columns.place(of: "machine_id")
        let status = columns.place(of: "status")
        let configuration = columns.place(of: "configuration")
        let context = columns.place(of: "context")
        let armed = columns.place(of: "armed")
        let entered = columns.place(of: "entered_ms")
        let updated = columns.place(of: "updated_ms")
        let created = columns.place(of: "created_ms")
        let failure = columns.place(of: "failure")
        let namespace = columns.place(of: "namespace_id")
    }
}

extension Table {
    /// The table of instances, which are only counted here.
    static let instance = Table(
        "instance", key: ["rowid"], since: 3,
        rows: "SELECT id, machine_id, status, configuration FROM instance NOT INDEXED", isFirstCounted: true
    ) { row, inspection in
        // Proof: it is kept among others, and nothing counts with it.
        let id = row.integer()
        if try row.text(at: 2) == InstanceStatus.purging.rawValue {
            inspection.counts.purges.add(id)
        } else {
            try inspection.counts.tally.add(&row)
            inspection.counts.deletions.add(id)
        }
        return nil
    }
}
