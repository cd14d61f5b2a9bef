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
        try describeStep(row, &column)
        try column("uuid", row.uuid) { $0.uuid = try $1.uniqueID() }
        try column("salt", row.salt) { $0.salt = try $1.salt() }
        try column("salt_from", row.saltFrom) { $0.saltFrom = try $1.seq() }
        try column("created_ms", row.created) { $0.created = try $1.time() }
        try column("namespace_id", row.namespace) { $0.namespace = try $1.namespaceID() }
    }

    /// Passes the id, the name and the columns that a macrostep may change to a visitor.
    private static func describeStep<Visitor: ColumnVisitor<Self>>(
        _ row: Self, _ column: inout Visitor
    ) throws(Visitor.Failure) {
        try column("id", row.id) { $0.id = try $1.instanceID() }
        try column("name", row.name) { $0.name = try $1.instanceName() }
        try column("machine_id", row.machineID) { $0.machineID = try $1.machineID() }
        try column("status", row.status) { $0.status = try $1.word() }
        try column("seq", row.seq) { $0.seq = try $1.seq() }
        try column("head", row.head) { $0.head = try $1.position() }
        try column("configuration", row.state.configuration) { $0.state.configuration = try $1.text() }
        try column("context", row.state.context) { $0.state.context = try $1.text() }
        try column("memory", row.state.memory) { $0.state.memory = try $1.text() }
        try column("armed", row.state.armed) { $0.state.armed = try $1.text() }
        try column("output", row.state.output) { $0.state.output = try $1.optionalText() }
        try column("failure", row.failure) { $0.failure = try $1.optionalText() }
        try column("entered_ms", row.entered) { $0.entered = try $1.time() }
        try column("digest", row.digest) { $0.digest = try $1.digest() }
        try column("updated_ms", row.updated) { $0.updated = try $1.time() }
    }

    private static let step: (update: Statement, elements: [ArrayColumn.Element]) = {
        var visitor = ColumnNames<InstanceRecord>()
        describeStep(columns.blank, &visitor)
        let (names, elements) = (visitor.names, visitor.elements)
        let places = elements.enumerated().map { "$\($0 + 1)::\($1)[]" }.joined(separator: ", ")
        let changes = names.dropFirst(2).map { "\($0) = u.\($0)" }.joined(separator: ", ")
        let update = Statement(
            name: "update-step",
            sql: """
                UPDATE instance i SET \(changes) FROM unnest(\(places)) u (\(names.joined(separator: ", ")))
                WHERE i.id = u.id AND i.name = u.name
                """)
        return (update.requiringAll, elements)
    }()

    /// Returns the request that writes the state of instances, all of which must be there with their names; `nil` for
    /// none. A column with an equal value costs no index entry.
    static func update(_ rows: [InstanceRecord]) -> Request? {
        if rows.isEmpty { return nil }
        var filler = ColumnFiller<InstanceRecord>(step.elements)
        for row in rows { describeStep(row, &filler) }
        return Request(step.update) { parameters in
            for array in filler.arrays { parameters.add(array) }
        }
    }

    static let byName = columns.select(
        "instance-name", "WHERE namespace_id = $1::bigint AND name = $2::text AND status <> 'purging'")

    /// The deleted instances among some.
    static let purging = columns.select("purging-instances", "WHERE id = ANY ($1::bigint[]) AND status = 'purging'")

    static let byIDs = columns.select(
        "instance-ids",
        """
        JOIN unnest($1::bigint[]) WITH ORDINALITY u (wanted, place) ON id = wanted
        WHERE status <> 'purging' ORDER BY place
        """)
}
