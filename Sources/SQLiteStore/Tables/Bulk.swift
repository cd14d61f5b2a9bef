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
        try column("generation", row.generation) { $0.generation = try $1.integer(in: StoreRow.generations) }
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
}

extension Table {
    /// The table of runs over many instances.
    static let run = Table(
        "bulk", key: BulkKey.columns, since: 3,
        rows: """
            SELECT \(BulkRecord.columns), json_valid(r.request) AND json_valid(r.outcome),
                r.namespace_id IN (SELECT id FROM namespace) AND r.partition = 0 AND length(r.name) BETWEEN 1 AND 100
            FROM bulk r
            """, as: "r"
    ) { row, _ in
        let run = try BulkRecord(row: &row)
        if row.integer() != 1 { return Inconsistency("the run '\(run.key.name)' cannot be read") }
        return row.integer() == 1 ? nil : Inconsistency("the run '\(run.key.name)' is of no namespace or partition")
    }

    /// The table of the names that runs were given. Each piece needs its run and the piece before.
    static let runNames = Table(
        "bulk_names", key: BulkKey.columns + ["piece"], since: 3,
        rows: """
            SELECT \(RunNames.columns.of("n")), EXISTS (
                SELECT 1 FROM bulk r WHERE r.namespace_id = n.namespace_id AND r.name = n.name
                    AND r.partition = n.partition),
                n.piece = 0 OR EXISTS (
                    SELECT 1 FROM bulk_names b WHERE b.namespace_id = n.namespace_id AND b.name = n.name
                    AND b.partition = n.partition AND b.piece = n.piece - 1)
            FROM bulk_names n
            """, as: "n"
    ) { row, _ in
        let names = try RunNames(row: &row)
        let (hasRun, hasPiece) = (row.integer() == 1, row.integer() == 1)
        if !hasRun { return Inconsistency("there are names for the run '\(names.key.name)', which is not there") }
        return hasPiece
            ? nil : Inconsistency("names of the run '\(names.key.name)' are missing before piece \(names.piece)")
    }
}

extension BulkKey {
    /// The columns of the key.
    static let columns = ["namespace_id", "name", "partition"]
    /// The SQL condition that selects the row with the key.
    static let condition = "WHERE namespace_id = ? AND name = ? AND partition = ?"
}
