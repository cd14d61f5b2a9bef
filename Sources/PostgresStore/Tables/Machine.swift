import Statechart
import WorkflowStore

extension MachineRecord: TableRow {
    static let columns = Columns(
        of: "machine",
        blank: MachineRecord(
            id: MachineID(rawValue: 0), namespace: NamespaceID(rawValue: 0), name: "", version: 0, digest: .zero,
            semantics: 0, source: "", created: Timestamp(rawValue: 0)))

    static func describe<Visitor: ColumnVisitor<Self>>(_ row: Self, _ column: inout Visitor) throws(Visitor.Failure) {
        try column("id", row.id) { $0.id = try $1.machineID() }
        try column("name", row.name) { $0.name = try $1.machineName() }
        try column("version", row.version) { $0.version = try $1.version() }
        try column("digest", row.digest) { $0.digest = try $1.digest() }
        try column("semantics", row.semantics) { $0.semantics = try $1.ordinal() }
        // Bytes, because a source may hold what no text of PostgreSQL can.
        try column("source", Array(row.source.utf8)) { $0.source = try $1.textOfBytes() }
        try column("created_ms", row.created) { $0.created = try $1.time() }
        try column("namespace_id", row.namespace) { $0.namespace = try $1.namespaceID() }
        // Nobody reads the seal but an audit.
        try column("seal", Digest(sealing: row)) { _ = try $1.digest() }
    }

    static let byVersion = columns.select(
        "machine-version",
        """
        WHERE namespace_id = $1::bigint AND name = $2::text AND ($3::bigint IS NULL OR version = $3::bigint)
        ORDER BY version DESC LIMIT 1
        """)

    /// The latest version of each name after one. Steps from name to name; a plain selection would pass every version.
    static let latest = columns.select(
        "machines-latest",
        """
        JOIN (
            WITH RECURSIVE step (next, depth) AS (
                (SELECT m.name, 1::bigint FROM machine m WHERE m.namespace_id = $1::bigint AND m.name > $2::text
                    ORDER BY m.name LIMIT 1)
                UNION ALL
                SELECT (SELECT m.name FROM machine m WHERE m.namespace_id = $1::bigint AND m.name > next
                    ORDER BY m.name LIMIT 1), depth + 1
                FROM step WHERE next IS NOT NULL AND depth < $3::bigint
            )
            SELECT (SELECT m.id FROM machine m WHERE m.namespace_id = $1::bigint AND m.name = next
                ORDER BY m.version DESC LIMIT 1) AS found
            FROM step WHERE next IS NOT NULL AND depth <= $3::bigint
        ) f ON id = found ORDER BY name
        """)

    static let newestNames = Statement(
        name: "newest-names",
        sql: "SELECT name FROM machine WHERE namespace_id = $1::bigint ORDER BY id DESC LIMIT $2::bigint")

    static let byID = columns.select("machine-id", "WHERE id = $1::bigint")
}
