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
        try column("uuid", row.uuid) { row, next throws(PostgresFailure) in row.uuid = try next.uniqueID() }
        try column("name", row.name) { row, next throws(PostgresFailure) in row.name = try next.instanceName() }
        try column("salt", row.salt) { row, next throws(PostgresFailure) in row.salt = try next.salt() }
        try column("salt_from", row.saltFrom) { row, next throws(PostgresFailure) in row.saltFrom = try next.seq() }
        try column("created_ms", row.created) { row, next throws(PostgresFailure) in row.created = try next.time() }
        try column("namespace_id", row.namespace) { row, next throws(PostgresFailure) in
            row.namespace = try next.namespaceID()
        }
    }

    /// Passes the id and the columns that a macrostep may change to a visitor.
    private static func describeStep<Visitor: ColumnVisitor<Self>>(
        _ row: Self, _ column: inout Visitor
    ) throws(Visitor.Failure) {
        try column("id", row.id) { row, next throws(PostgresFailure) in row.id = try next.instanceID() }
        try column("machine_id", row.machineID) { row, next throws(PostgresFailure) in
            row.machineID = try next.machineID()
        }
        try column("status", row.status) { row, next throws(PostgresFailure) in row.status = try next.word() }
        try column("seq", row.seq) { row, next throws(PostgresFailure) in row.seq = try next.seq() }
        try column("head", row.head) { row, next throws(PostgresFailure) in row.head = try next.position() }
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
        try column("failure", row.failure) { row, next throws(PostgresFailure) in
            row.failure = try next.optionalText()
        }
        try column("entered_ms", row.entered) { row, next throws(PostgresFailure) in row.entered = try next.time() }
        try column("digest", row.digest) { row, next throws(PostgresFailure) in row.digest = try next.digest() }
        try column("updated_ms", row.updated) { row, next throws(PostgresFailure) in row.updated = try next.time() }
    }

    private static let step: (update: Statement, elements: [ArrayColumn.Element]) = {
        var visitor = ColumnNames<InstanceRecord>()
        describeStep(columns.blank, &visitor)
        let (names, elements) = (visitor.names, visitor.elements)
        let places = elements.enumerated().map { "$\($0 + 1)::\($1)[]" }.joined(separator: ", ")
        let changes = names.dropFirst().map { "\($0) = u.\($0)" }.joined(separator: ", ")
        let update = Statement(
            name: "update-instance",
            sql: """
                UPDATE instance i SET \(changes) FROM unnest(\(places)) u (\(names.joined(separator: ", ")))
                WHERE i.id = u.id
                """)
        return (update.requiringAll, elements)
    }()

    /// Returns the request that writes the state of instances, all of which must be there; `nil` for none. A column
    /// with an equal value costs no index entry.
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

    static let byIDs = columns.select(
        "instance-ids",
        """
        JOIN unnest($1::bigint[]) WITH ORDINALITY u (wanted, place) ON id = wanted
        WHERE status <> 'purging' ORDER BY place
        """)
}
