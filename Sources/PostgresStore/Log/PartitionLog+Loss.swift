import WorkflowStore

/// Finds commits that the server has lost, as after a failover to a standby that had not received them.
struct LostCommits {
    let address: PostgresAddress
    /// The generation of the store when it was opened.
    let generation: Int64

    /// Returns the error for a daemon whose last rows are gone; `nil` if another daemon may have removed them. Raises
    /// the store's generation, so that no reader continues behind rows that are not there any more.
    ///
    /// - Parameter own: The last rows that this daemon committed.
    func error(after own: [LogRow]) -> StoreError? {
        do {
            let connection = try Connection(address, name: "wfd-control")
            for row in own {
                let request = Request(Self.end) {
                    $0.add(row.partition.rawValue)
                    $0.add(row.number)
                    $0.add(row.owner)
                }
                let found = try connection.run([request]).first?.first { row in
                    (last: try row.count(), isAnothers: try row.flag())
                }
                guard let found, found.last < row.number || found.isAnothers else { continue }
                let raise = Request(Self.raise) { $0.add(generation) }
                _ = try connection.run([Request(.begin), raise, Request(.commit)])
                return StoreError(
                    .fenced,
                    "the server of '\(address)' has lost commits that were answered: partition "
                        + "\(row.partition.rawValue) had row \(row.number), and its log now ends at \(found.last)"
                        + "\(found.isAnothers ? " with rows of another daemon" : ""). The generation was raised; "
                        + "compare with what callers know, and make a standby synchronous")
            }
            return nil
        } catch {
            // Whoever takes the partition next sees what is there.
            return nil
        }
    }

    /// The end of a log, and whether another owner's row stands at a number.
    private static let end = Statement(
        name: "end-of-log",
        sql: """
            SELECT coalesce((SELECT number FROM batch WHERE partition = $1::bigint ORDER BY number DESC LIMIT 1), 0),
                EXISTS (SELECT 1 FROM batch WHERE partition = $1::bigint AND number = $2::bigint
                    AND owner <> $3::bytea)
            """)

    private static let raise = Statement(
        name: "raise-generation",
        sql: """
            WITH raised AS (
                UPDATE store SET generation = generation + 1 WHERE id = 1 AND generation = $1::bigint
                RETURNING generation, partitions)
            INSERT INTO restoration (generation, partition, parent, next_position, restored_ms)
            SELECT generation, p, generation - 1, next_position,
                greatest(last_ms, (extract(epoch FROM clock_timestamp()) * 1000)::bigint)
            FROM raised CROSS JOIN LATERAL generate_series(0::bigint, partitions - 1) p CROSS JOIN LATERAL (
                SELECT next_position, last_ms FROM batch WHERE partition = p ORDER BY number DESC LIMIT 1) b
            """)
}
