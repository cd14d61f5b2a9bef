import Statechart
import WorkflowStore

extension MachineRecord: TableRow {
    static let columns = Columns(
        of: "machine",
        blank: MachineRecord(
            id: MachineID(rawValue: 0), namespace: NamespaceID(rawValue: 0), name: "", version: 0, digest: .zero,
            semantics: 0, source: "", created: Timestamp(rawValue: 0)))

    static func describe<Visitor: ColumnVisitor<Self>>(_ row: Self, _ column: inout Visitor) throws(Visitor.Failure) {
        try column("id", row.id) { row, next throws(PostgresFailure) in row.id = try next.machineID() }
        try column("name", row.name) { row, next throws(PostgresFailure) in row.name = try next.machineName() }
        try column("version", row.version) { row, next throws(PostgresFailure) in row.version = try next.version() }
        try column("digest", row.digest) { row, next throws(PostgresFailure) in row.digest = try next.digest() }
        try column("semantics", row.semantics) { row, next throws(PostgresFailure) in
            row.semantics = try next.ordinal()
        }
        // Bytes, because a source may hold what no text of PostgreSQL can.
        try column("source", Array(row.source.utf8)) { row, next throws(PostgresFailure) in
            row.source = try next.textOfBytes()
        }
        try column("created_ms", row.created) { row, next throws(PostgresFailure) in row.created = try next.time() }
        try column("namespace_id", row.namespace) { row, next throws(PostgresFailure) in
            row.namespace = try next.namespaceID()
        }
        // Nobody reads the seal but an audit.
        try column("seal", Digest(sealing: row)) { _, next throws(PostgresFailure) in _ = try next.digest() }
    }

    static let byVersion = columns.select(
        "machine-version",
        """
        WHERE namespace_id = $1::bigint AND name = $2::text AND ($3::bigint IS NULL OR version = $3::bigint)
        ORDER BY version DESC LIMIT 1
        """)

    static let byID = columns.select("machine-id", "WHERE id = $1::bigint")
}
