import WorkflowStore

/// The statements that erase the data that batches name.
enum ErasedRows {
    /// Returns the requests of an erasure.
    ///
    /// - Parameter floor: Returns the lowest position of a partition whose key is still remembered. Text keys of
    ///   redacted rows below are removed.
    static func requests(_ erasure: BatchErasure, floor: (PartitionID) -> Position) -> [Request] {
        var requests: [Request] = []
        if !erasure.salts.isEmpty {
            var salts = ArrayColumn(.bytea)
            for (_, salt) in erasure.salts { salt.append(to: &salts) }
            requests.append(
                Request(keeping) {
                    $0.add(ArrayColumn(erasure.salts.map(\.position.rawValue)))
                    $0.add(salts)
                })
        }
        if !erasure.rows.isEmpty {
            requests.append(
                Request(redaction) {
                    $0.add(ArrayColumn(erasure.rows.map(\.position.rawValue)))
                    $0.add(ArrayColumn(texts: erasure.rows.map { "\"\($0.commitment.text)\"" }))
                    $0.add(ArrayColumn(erasure.rows.map { floor($0.position.partition).rawValue }))
                })
        }
        if !erasure.snapshots.isEmpty {
            requests.append(
                Request(snapshots) {
                    $0.add(ArrayColumn(erasure.snapshots.map(\.instance.rawValue)))
                    $0.add(ArrayColumn(erasure.snapshots.map(\.seq.rawValue)))
                })
        }
        if !erasure.attempts.isEmpty {
            requests.append(
                Request(attempts) {
                    $0.add(ArrayColumn(erasure.attempts.map(\.instance.rawValue)))
                    $0.add(ArrayColumn(erasure.attempts.map(\.row.rawValue)))
                })
        }
        if !erasure.begun.isEmpty { requests.append(Request(begun) { $0.add(ArrayColumn(erasure.begun)) }) }
        let records = erasure.records.sorted { $0.id < $1.id }
        if let write = ErasureRecord.columns.replace(records, key: ["id"]) { requests.append(write) }
        return requests
    }

    private static let keeping = Statement(
        name: "keep-salts",
        sql: """
            UPDATE journal j SET salt = u.salt FROM unnest($1::int8[], $2::bytea[]) u (position, salt)
            WHERE j.position = u.position AND j.salt IS NULL
            """
    ).requiringAll

    private static let redaction = Statement(
        name: "redact",
        sql: """
            UPDATE journal j SET salt = '', data = u.data, note = NULL,
                key = CASE WHEN length(j.key) = 16 OR j.position >= u.floor THEN j.key END
            FROM unnest($1::int8[], $2::text[], $3::int8[]) u (position, data, floor)
            WHERE j.position = u.position AND (j.salt IS NULL OR length(j.salt) = 16)
            """
    ).requiringAll

    private static let snapshots = Statement(
        name: "empty-snapshots",
        sql: """
            UPDATE snapshot s SET context = '{}', memory = '{}', armed = '[]', output = NULL, salt = NULL
            FROM unnest($1::int8[], $2::int8[]) u (instance_id, seq)
            WHERE s.instance_id = u.instance_id AND s.seq = u.seq
            """)

    /// A row at p has its effects at p + 1, p + 2, …, before the next journal row.
    private static let attempts = Statement(
        name: "empty-attempts",
        sql: """
            UPDATE attempt a SET error = NULL FROM unnest($1::int8[], $2::int8[]) u (instance_id, position)
            WHERE a.error IS NOT NULL AND a.instance_id = u.instance_id AND a.effect > u.position AND a.effect <
                coalesce((SELECT min(j.position) FROM journal j WHERE j.position > u.position), \(Int64.max))
            """)

    private static let begun = Statement(
        name: "delete-erasures", sql: "DELETE FROM erasure WHERE id = ANY ($1::int8[])")
}
