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

    /// Returns the request that reads the counts of all partitions that are not 0.
    static var sums: Request { Request(summing) }

    /// Reads a row of `sums`.
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

    private static let summing = Statement(
        name: "sum-tally",
        sql: """
            SELECT machine_id, status, state, sum(n)::bigint FROM (
                SELECT machine_id, status, state, n FROM tally
                UNION ALL SELECT \(changes) FROM batch, json_array_elements(tally::json) e
            ) t GROUP BY 1, 2, 3 HAVING sum(n) <> 0 ORDER BY 1, 2, 3
            """)
}
