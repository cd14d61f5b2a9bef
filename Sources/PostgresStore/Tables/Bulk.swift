import Statechart
import WorkflowStore

extension BulkRecord: TableRow {
    static let columns = Columns(
        of: "bulk",
        blank: BulkRecord(
            key: BulkKey("", in: NamespaceID(rawValue: 0), partition: .first), request: "", actor: nil, generation: 0,
            floor: Position(rawValue: 0), selected: 0, outcome: "", begun: Timestamp(rawValue: 0)))

    static func describe<Visitor: ColumnVisitor<Self>>(_ row: Self, _ column: inout Visitor) throws(Visitor.Failure) {
        try column("namespace_id", row.key.namespace) { $0.key = $0.key.with(namespace: try $1.namespaceID()) }
        try column("name", row.key.name) { $0.key = $0.key.with(name: try $1.name()) }
        try column("partition", row.key.partition) { $0.key = $0.key.with(partition: try $1.partitionID()) }
        try column("request", row.request) { $0.request = try $1.text() }
        try column("actor", row.actor) { $0.actor = try $1.actor() }
        try column("state", row.state) { $0.state = try $1.word() }
        try column("generation", row.generation) { $0.generation = try $1.ordinal() }
        try column("floor", row.floor) { $0.floor = try $1.position() }
        try column("mark_machine", row.mark.machine) { $0.mark.machine = try $1.count() }
        // After the last instance of a machine version, the mark is the highest possible number.
        try column("mark", row.mark.number) { $0.mark.number = try $1.integer(in: 0 ... .max) }
        try column("selected", row.selected) { $0.selected = try $1.count() }
        try column("outcome", row.outcome) { $0.outcome = try $1.text() }
        try column("begun_ms", row.begun) { $0.begun = try $1.time() }
        try column("updated_ms", row.updated) { $0.updated = try $1.time() }
        try column("ended_ms", row.ended) { $0.ended = try $1.optionalTime() }
    }

    static let byKey = columns.select("bulk-key", BulkKey.condition)

    static let after = columns.select(
        "bulk-after",
        """
        WHERE (namespace_id, name, partition) > ($1::bigint, $2::text, $3::bigint)
        ORDER BY namespace_id, name, partition LIMIT $4::bigint
        """)
}

extension RunNames: TableRow {
    static let columns = Columns(
        of: "bulk_names", blank: RunNames(key: BulkRecord.columns.blank.key, piece: 0, instances: ""))

    static func describe<Visitor: ColumnVisitor<Self>>(_ row: Self, _ column: inout Visitor) throws(Visitor.Failure) {
        try column("namespace_id", row.key.namespace) { $0.key = $0.key.with(namespace: try $1.namespaceID()) }
        try column("name", row.key.name) { $0.key = $0.key.with(name: try $1.name()) }
        try column("partition", row.key.partition) { $0.key = $0.key.with(partition: try $1.partitionID()) }
        try column("piece", row.piece) { $0.piece = try $1.count() }
        try column("instances", row.instances) { $0.instances = try $1.text() }
    }

    static let byPiece = columns.select("bulk-piece", "\(BulkKey.condition) AND piece = $4::bigint")
}

extension BulkKey {
    fileprivate static let condition =
        "WHERE namespace_id = $1::bigint AND name = $2::text AND partition = $3::bigint"

    private static let deletions = ["bulk", "bulk_names"].map { table in
        Statement(name: "delete-\(table)", sql: "DELETE FROM \(table) \(condition)")
    }

    /// The requests that delete the run and its names.
    var deletions: [Request] { Self.deletions.map { statement in Request(statement) { add(to: &$0) } } }

    /// Adds the columns of the key.
    func add(to parameters: inout Parameters) {
        parameters.add(namespace.rawValue)
        parameters.add(name)
        parameters.add(partition.rawValue)
    }
}
