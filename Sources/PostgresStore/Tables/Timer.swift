import Statechart
import WorkflowStore

extension TimerRecord: TableRow {
    static let columns = Columns(
        of: "timer",
        blank: TimerRecord(
            key: TimerKey(due: Timestamp(rawValue: 0), position: Position(rawValue: 0), ordinal: 0),
            instanceID: InstanceID(rawValue: 0), event: ""))

    static func describe<Visitor: ColumnVisitor<Self>>(_ row: Self, _ column: inout Visitor) throws(Visitor.Failure) {
        try column("partition", row.key.position.partition) { _ = try $1.integer(in: PartitionID.range) }
        try column("due_ms", row.key.due) { $0.key.due = try $1.time() }
        try column("position", row.key.position) { $0.key.position = try $1.position() }
        try column("ordinal", row.key.ordinal) { $0.key.ordinal = try $1.count() }
        try column("instance_id", row.instanceID) { $0.instanceID = try $1.instanceID() }
        try column("event", row.event) { $0.event = try $1.text() }
    }

    /// The first timers of a partition. The floor is a time before which none is due: the index still has entries of
    /// timers that ended, and a scan from its begin would go through them.
    static let first = columns.select(
        "timers",
        """
        WHERE partition = $1::bigint AND due_ms >= $2::bigint
        ORDER BY partition, due_ms, position, ordinal LIMIT $3::bigint
        """)

    private static let deletion = Statement(
        name: "delete-timer",
        sql: """
            DELETE FROM timer t USING unnest($1::int8[], $2::int8[], $3::int8[], $4::int8[])
                u (partition, due_ms, position, ordinal)
            WHERE t.partition = u.partition AND t.due_ms = u.due_ms AND t.position = u.position
                AND t.ordinal = u.ordinal
            """
    ).requiringAll

    /// Returns the request that deletes timers, all of which must be there; `nil` for none.
    static func delete(_ keys: [TimerKey]) -> Request? {
        if keys.isEmpty { return nil }
        var columns = (0..<4).map { _ in ArrayColumn(.int8) }
        for key in keys {
            let values = [key.position.partition.rawValue, key.due.rawValue, key.position.rawValue, key.ordinal]
            for (place, value) in values.enumerated() { columns[place].append(value) }
        }
        return Request(deletion) { parameters in
            for column in columns { parameters.add(column) }
        }
    }
}
