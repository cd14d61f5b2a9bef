import Statechart
import WorkflowStore

extension AuditRecord: TableRow {
    static let columns = Columns(
        of: "audit",
        blank: AuditRecord(
            position: Position(rawValue: 0), of: InstanceRecord.columns.blank, at: Timestamp(rawValue: 0), by: nil,
            reason: nil, key: nil))

    static func describe<Visitor: ColumnVisitor<Self>>(_ row: Self, _ column: inout Visitor) throws(Visitor.Failure) {
        try column("position", row.position) { $0.position = try $1.position() }
        try column("instance_id", row.instanceID) { $0.instanceID = try $1.instanceID() }
        try column("uuid", row.uuid) { $0.uuid = try $1.uniqueID() }
        try column("namespace_id", row.namespace) { $0.namespace = try $1.namespaceID() }
        try column("machine_id", row.machineID) { $0.machineID = MachineID(rawValue: try $1.count()) }
        try column("rows", row.rows) { $0.rows = try $1.ordinal() }
        try column("digest", row.digest) { $0.digest = try $1.digest() }
        try column("at_ms", row.at) { $0.at = try $1.time() }
        try column("actor", row.actor) { $0.actor = try $1.actor() }
        try column("reason", FreeText(row.reason)) { $0.reason = try $1.freeText() }
        // Empty for none.
        try column("key", row.key?.bytes ?? []) { $0.key = try $1.digestOrEmpty() }
    }

    static let byKey = columns.select("audit-key", "WHERE key = $1::bytea ORDER BY position LIMIT 1")
}

extension PurgeRecord: TableRow {
    static let columns = Columns(
        of: "purge",
        blank: PurgeRecord(
            waits: false, head: Position(rawValue: 0), instanceID: InstanceID(rawValue: 0), seq: Seq(rawValue: 0),
            audit: Position(rawValue: 0)))

    static func describe<Visitor: ColumnVisitor<Self>>(_ row: Self, _ column: inout Visitor) throws(Visitor.Failure) {
        try column("partition", row.head.partition) { _ = try $1.integer(in: PartitionID.range) }
        try column("waits", row.waits) { $0.waits = try $1.flag() }
        try column("head", row.head) { $0.head = try $1.position() }
        try column("instance_id", row.instanceID) { $0.instanceID = try $1.instanceID() }
        try column("seq", row.seq) { $0.seq = try $1.seq() }
        try column("audit", row.audit) { $0.audit = try $1.position() }
    }

    /// The instances with the highest rows.
    static let highest = columns.select(
        "purge-highest", "WHERE partition = $1::bigint AND NOT waits ORDER BY head DESC LIMIT $2::bigint")

    /// The instances whose emptied first row stands below a position.
    static let waiting = columns.select(
        "purge-waiting",
        "WHERE partition = $1::bigint AND waits AND head < $2::bigint ORDER BY head LIMIT $3::bigint")

    private static let deletion = Statement(
        name: "delete-purge",
        sql: """
            DELETE FROM purge p USING unnest($1::int8[], $2::int8[], $3::bool[]) u (head, partition, waits)
            WHERE p.partition = u.partition AND p.waits = u.waits AND p.head = u.head
            """
    ).requiringAll

    /// Returns the request that deletes rows, all of which must be there; `nil` for none.
    static func delete(_ rows: [(head: Position, waits: Bool)]) -> Request? {
        if rows.isEmpty { return nil }
        var (heads, partitions, waits) = (ArrayColumn(.int8), ArrayColumn(.int8), ArrayColumn(.bool))
        for row in rows {
            heads.append(row.head.rawValue)
            partitions.append(row.head.partition.rawValue)
            waits.append(row.waits)
        }
        return Request(deletion) { parameters in
            for column in [heads, partitions, waits] { parameters.add(column) }
        }
    }

    private static let counting = Statement(
        name: "backlog",
        sql: """
            SELECT partition, count(*) FILTER (WHERE NOT waits),
                least(coalesce(sum(seq) FILTER (WHERE NOT waits), 0), \(StoreNumbers.range.upperBound))::bigint,
                count(*) FILTER (WHERE waits), min(head) FILTER (WHERE waits)
            FROM purge WHERE partition = ANY ($1::int8[]) GROUP BY partition
            """)

    /// Returns the request that counts what is left in partitions.
    static func count(_ partitions: [PartitionID]) -> Request {
        Request(counting) { $0.add(ArrayColumn(partitions.map(\.rawValue))) }
    }

    /// Reads a row of `count`. The floor is not known there.
    static func backlog(_ row: inout AnswerRow) throws(PostgresFailure) -> (PartitionID, PurgeBacklog) {
        let partition = try row.partitionID()
        var backlog = PurgeBacklog(floor: .beginning(of: partition).next)
        backlog.instances = try row.count()
        backlog.rows = try row.count()
        backlog.waiting = try row.count()
        backlog.firstWaiting = try row.optionalPosition()
        return (partition, backlog)
    }
}
