import WorkflowJSON
import WorkflowStore

/// The counts of instances. A batch appends its changes to the log, and a fold adds them to the table now and then.
enum TallyTable {
    /// Returns the changes of batches as the log has them; `nil` if nothing changes.
    static func text(of batches: [StoreBatch]) -> String? {
        var changes: [TallyKey: Int64] = [:]
        for batch in batches { changes.merge(batch.tally) { $0 &+ $1 } }
        let rows = changes.filter { $0.value != 0 }.map { key, change in
            JSONValue.array([
                .int(key.machineID.rawValue), .string(key.status.rawValue), .string(key.configuration), .int(change),
            ])
        }
        return rows.isEmpty ? nil : JSONWriter.string(JSONValue.array(rows))
    }

    /// Returns the requests that fold the rows of a partition's log below a number into the table, and remove them.
    static func fold(_ partition: PartitionID, below number: Int64) -> [Request] {
        let range = Request(folding) {
            $0.add(partition.rawValue)
            $0.add(number)
        }
        return [range, Request(emptying) { $0.add(partition.rawValue) }]
    }

    /// Reads the first columns of a row of `page`.
    static func count(_ row: inout AnswerRow) throws -> (key: TallyKey, count: Int64) {
        let key = TallyKey(
            machineID: try row.machineID(), status: try row.word(), configuration: try row.text())
        return (key, try row.ordinal())
    }

    private static let changes = """
        (e ->> 0)::bigint AS machine_id, e ->> 1 AS status, e ->> 2 AS state, (e ->> 3)::bigint AS n
        """

    private static let folding = Statement(
        name: "fold-tally",
        sql: """
            WITH gone AS (
                DELETE FROM batch WHERE partition = $1::bigint AND number < $2::bigint RETURNING partition, tally
            ), change AS (SELECT partition, \(changes) FROM gone, json_array_elements(tally::json) e)
            INSERT INTO tally SELECT partition, machine_id, status, state, sum(n) FROM change GROUP BY 1, 2, 3, 4
            ON CONFLICT (partition, machine_id, status, state) DO UPDATE SET n = tally.n + excluded.n
            """)

    private static let emptying = Statement(
        name: "empty-tally", sql: "DELETE FROM tally WHERE partition = $1::bigint AND n = 0")

    /// The counts of a namespace after a key, over all partitions, in pages.
    static let page = Statement(
        name: "sum-tally",
        sql: """
            SELECT t.machine_id, t.status, t.state, sum(t.n)::bigint, m.name, m.version, m.semantics FROM (
                SELECT machine_id, status, state, n FROM tally
                UNION ALL SELECT \(changes) FROM batch, json_array_elements(tally::json) e
            ) t JOIN machine m ON m.id = t.machine_id
            WHERE m.namespace_id = $1::bigint AND (cardinality($2::text[]) = 0 OR m.name = ANY ($2::text[]))
                AND ($3::bigint IS NULL OR m.semantics < $3::bigint)
                AND (t.machine_id, t.status, t.state) > ($4::bigint, $5::text, $6::text) AND t.status <> 'purging'
            GROUP BY t.machine_id, t.status, t.state, m.id HAVING sum(t.n) <> 0 ORDER BY 1, 2, 3 LIMIT $7::bigint
            """)
}
