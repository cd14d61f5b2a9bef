import Statechart
import WorkflowStore

/// The statements that list effects and queues.
enum EffectStatements {
    /// The next effects of all queues in the order of ids. The request of an effect is read only if it is wanted.
    static let page = Statement(
        name: "list-effects",
        sql: """
            SELECT e.id, e.wanted, i.name,
                (512 + octet_length(e.request) + coalesce(octet_length(e.progress), 0)
                    + coalesce(octet_length(e.error), 0) + coalesce(octet_length(e.answer), 0))::bigint,
                \(EffectRecord.columns.of("e"))
            FROM (
                SELECT *, (cardinality($4::text[]) = 0 OR queue = ANY ($4::text[]))
                    AND (cardinality($5::text[]) = 0 OR state = ANY ($5::text[])) AS wanted
                FROM effect WHERE id > $2::bigint ORDER BY id LIMIT $3::bigint
            ) e LEFT JOIN instance i ON i.id = e.instance_id AND i.namespace_id = $1::bigint
            ORDER BY e.id
            """)

    /// A row of `page`.
    struct Row {
        let id: Position
        /// The effect; `nil` if it is not wanted.
        let listed: ListedEffect?
        let bytes: Int64
        var isWanted: Bool { listed != nil }
    }

    static func listed(_ row: inout AnswerRow) throws -> Row {
        let id = try row.position()
        let isWanted = try row.flag()
        // An effect without its instance is not listed.
        let instance = row.skipsNull() ? nil : InstanceName(rawValue: try row.text())
        let bytes = try row.count()
        guard isWanted, let instance else { return Row(id: id, listed: nil, bytes: bytes) }
        let effect = try EffectRecord(row: &row)
        return Row(id: id, listed: ListedEffect(effect: effect, instance: instance), bytes: bytes)
    }

    private static let partitions = "generate_series(0, $1::bigint - 1) p"

    /// The next name of a queue that has an effect or settings.
    static let nextQueue = Statement(
        name: "next-queue",
        sql: """
            SELECT min(next) FROM (
                SELECT (SELECT e.queue FROM effect e WHERE e.partition = p AND e.queue > $2::text
                    ORDER BY e.queue LIMIT 1) AS next FROM \(partitions)
                UNION ALL
                SELECT (SELECT name FROM queue WHERE name > $2::text ORDER BY name LIMIT 1)
            ) n
            """)

    private static let priorities = """
        generate_series(\(EffectRecord.priorities.lowerBound)::bigint, \(EffectRecord.priorities.upperBound)) k
        """

    /// Counts up to the bound `$4`, along the index.
    private static func count(_ tables: String, _ condition: String) -> String {
        """
        (SELECT count(*) FROM (
            SELECT 1 FROM \(tables) CROSS JOIN LATERAL (
                SELECT 1 FROM effect WHERE partition = p AND queue = $2::text AND \(condition) LIMIT $4::bigint
            ) e LIMIT $4::bigint) n)
        """
    }

    static let counts: Statement = {
        let ready = ["<=", ">"].map { comparison in
            count(
                "\(partitions) CROSS JOIN \(priorities)",
                "state = 'ready' AND priority = k AND due_ms \(comparison) $3::bigint")
        }
        let states: [EffectState] = [.leased, .failed, .held, .answered]
        let others = states.map { count(partitions, "state = '\($0.rawValue)'") }
        return Statement(name: "count-effects", sql: "SELECT " + (ready + others).joined(separator: ",\n"))
    }()

    /// The earliest due time of effects that are ready or waiting and do not run.
    static let oldest = Statement(
        name: "oldest-due",
        sql: """
            SELECT min(due_ms) FROM \(partitions) CROSS JOIN \(priorities) CROSS JOIN LATERAL (
                SELECT due_ms FROM effect WHERE partition = p AND queue = $2::text AND state = 'ready' AND priority = k
                    AND id <> ALL ($3::bigint[])
                ORDER BY due_ms LIMIT 1
            ) e
            """)

    static let calls = Statement(
        name: "calls",
        sql: """
            SELECT id FROM effect WHERE number IS NULL
                AND instance_id = (SELECT instance_id FROM journal WHERE position = $1::bigint)
            ORDER BY id
            """)

    /// The rows of an instance from one back.
    static let rowsBack = Statement(
        name: "rows-back",
        sql: """
            WITH RECURSIVE walk (at, number, before, depth) AS (
                SELECT position, seq, previous, 1::bigint FROM journal WHERE position = $1::bigint
                UNION ALL
                SELECT j.position, j.seq, j.previous, depth + 1 FROM walk JOIN journal j ON j.position = before
                WHERE depth < $2::bigint
            )
            SELECT at, number, before FROM walk ORDER BY depth
            """)
}

extension AttemptRecord {
    static let ofEffect = columns.select(
        "attempts-of-effect", "WHERE effect = $1::bigint AND instance_id = $2::bigint ORDER BY attempt")

    /// The attempts at the effects of rows. These stand between the row and the next row of the journal.
    static let ofRows = Statement(
        name: "attempts-of-rows",
        sql: """
            SELECT \(columns.of("a")) FROM unnest($1::bigint[]) u (position) CROSS JOIN LATERAL (
                SELECT * FROM attempt WHERE effect > u.position AND effect <
                    coalesce((SELECT min(j.position) FROM journal j WHERE j.position > u.position), \(Int64.max))
            ) a ORDER BY a.effect, a.attempt
            """)
}
