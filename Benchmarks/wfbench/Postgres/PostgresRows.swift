import EngineFloor

/// Compares two databases that must have the same rows, which makes a floor credible.
enum PostgresRows {
    /// The tables, with the columns that must be equal row by row, and those of which only the lengths must be: their
    /// values have times in them, or are digests.
    private static let tables: [(name: String, equal: String, alike: String)] = [
        (
            "journal",
            "position, instance_id, machine_id, seq, previous, real_ms, kind, event, data, from_state, to_state, "
                + "actor, key, note, salt",
            "digest"
        ),
        (
            "instance",
            "id, uuid, namespace_id, name, machine_id, status, seq, head, configuration, context, memory, output, "
                + "failure, parent, salt, salt_from, created_ms",
            "digest, armed"
        ),
        (
            "snapshot", "instance_id, seq, position, status, configuration, context, memory, output",
            "digest, armed, salt"
        ),
        ("timer", "partition, position, ordinal, instance_id, event", ""),
        ("dedupe", "key, scope, position", ""), ("effect", "id", ""), ("attempt", "effect", ""), ("queue", "name", ""),
        ("machine", "id, name, version, source", ""),
    ]

    /// The last state of each partition, and the counts of instances, as far as they were folded and as the log has
    /// them. Each side has its own number of transactions.
    private static let sums = [
        "SELECT partition, max(next_position), max(dedupe_count) FROM batch GROUP BY 1 ORDER BY 1",
        """
        SELECT partition, machine_id, status, state, sum(n) FROM (
            SELECT * FROM tally UNION ALL
            SELECT partition, (e ->> 0)::bigint, e ->> 1, e ->> 2, (e ->> 3)::bigint
            FROM batch, json_array_elements(tally::json) e
        ) t GROUP BY 1, 2, 3, 4 HAVING sum(n) <> 0 ORDER BY 1, 2, 3, 4
        """,
    ]

    /// Throws for the first difference.
    static func check(_ ours: String, _ floor: String, on cluster: PostgresCluster) throws {
        let queries = tables.map { table in
            let lengths = table.alike.split(separator: ", ").map { ", sum(length(\($0)))" }.joined()
            let hash = "hashtextextended(ROW(\(table.equal))::text, 0)::numeric"
            return "SELECT '\(table.name)', count(*), sum(\(hash))\(lengths) FROM \(table.name)"
        }
        for query in queries + sums {
            let (one, other) = (try cluster.run(query, in: ours), try cluster.run(query, in: floor))
            guard one == other else {
                throw BenchmarkError(
                    "the rows are not the same: ours \(one.prefix(3)), floor \(other.prefix(3)); asked \(query)")
            }
        }
    }
}
