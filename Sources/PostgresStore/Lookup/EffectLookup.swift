import WorkflowStore

/// The statements that find the effects of a partition. Each reads few entries of the index `effect_queue` beyond those
/// that it returns.
enum EffectLookup {
    private static let priorities = """
        generate_series(\(EffectRecord.priorities.lowerBound)::bigint, \(EffectRecord.priorities.upperBound)) p
        """

    /// The ids of ready effects after a place, in the order in which they start. Across all priorities at once, the
    /// server would have to sort the due effects.
    static let ready = Statement(
        name: "ready-effects",
        sql: """
            SELECT e.priority, e.due_ms, e.id FROM \(priorities) CROSS JOIN LATERAL (
                SELECT priority, due_ms, id FROM effect
                WHERE partition = $1::bigint AND queue = $2::text AND state = 'ready' AND priority = p
                    AND due_ms <= $3::bigint AND (priority > $4::bigint OR (due_ms, id) > ($5::bigint, $6::bigint))
                ORDER BY due_ms, id LIMIT $7::bigint
            ) e WHERE p >= $4::bigint ORDER BY 1, 2, 3 LIMIT $7::bigint
            """)

    static let next = Statement(
        name: "next-ready",
        sql: """
            SELECT min(e.due_ms) FROM \(priorities) CROSS JOIN LATERAL (
                SELECT due_ms FROM effect
                WHERE partition = $1::bigint AND queue = $2::text AND state = 'ready' AND priority = p
                    AND due_ms > $3::bigint
                ORDER BY due_ms LIMIT 1
            ) e
            """)

    /// Steps from queue to queue of the partition `$1`, after the name `$2`.
    private static let steps = """
        WITH RECURSIVE step (queue) AS (
            (SELECT queue FROM effect WHERE partition = $1::bigint AND queue > $2::text ORDER BY queue LIMIT 1)
            UNION ALL
            SELECT (SELECT e.queue FROM effect e WHERE e.partition = $1::bigint AND e.queue > step.queue
                ORDER BY e.queue LIMIT 1)
            FROM step WHERE step.queue IS NOT NULL
        )
        """

    /// The limit ends the steps.
    static let queues = Statement(
        name: "busy-queues", sql: "\(steps) SELECT queue FROM step WHERE queue IS NOT NULL LIMIT $3::bigint")

    static let inState = EffectRecord.columns.select(
        "effects-in-state",
        """
        JOIN (\(steps) SELECT e.id AS found FROM step CROSS JOIN LATERAL (
            SELECT id FROM effect WHERE partition = $1::bigint AND queue = step.queue AND state = $3::text
                AND id > $4::bigint
        ) e ORDER BY 1 LIMIT $5::bigint) f ON id = found ORDER BY id
        """)
}

extension PostgresLookup {
    package func readyEffects(
        in partition: PartitionID, queue: String, due: Timestamp, limit: Int, except isLeftOut: (Position) -> Bool
    ) throws(StoreError) -> [EffectRecord] {
        var ids: [Int64] = []
        var last = (priority: EffectRecord.priorities.lowerBound, due: Int64.min, id: Int64.min)
        while ids.count < limit {
            let size = limit - ids.count + 16
            let found = try read(
                Request(EffectLookup.ready) {
                    $0.add(partition.rawValue)
                    $0.add(queue)
                    for number in [due.rawValue, last.priority, last.due, last.id, Int64(size)] { $0.add(number) }
                }
            ) { answer in
                try answer.all { row in
                    (
                        priority: try row.integer(in: EffectRecord.priorities), due: try row.time().rawValue,
                        id: try row.position().rawValue
                    )
                }
            }
            for place in found where ids.count < limit {
                if !isLeftOut(Position(rawValue: place.id)) { ids.append(place.id) }
            }
            guard found.count == size, let place = found.last else { break }
            last = place
        }
        return ids.isEmpty ? [] : try all(EffectRecord.byIDs) { $0.add(ArrayColumn(ids)) }
    }

    package func nextReady(
        in partition: PartitionID, queue: String, after time: Timestamp?
    ) throws(StoreError) -> Timestamp? {
        let request = Request(EffectLookup.next) {
            $0.add(partition.rawValue)
            $0.add(queue)
            $0.add(time?.rawValue ?? .min)
        }
        return try read(request) { answer in try answer.first { row in try row.optionalTime() } ?? nil }
    }

    package func leasedEffects(
        in partition: PartitionID, after id: Position?, limit: Int
    ) throws(StoreError) -> [EffectRecord] {
        try effects(in: partition, .leased, after: id, limit: limit)
    }

    package func heldEffects(
        in partition: PartitionID, after id: Position?, limit: Int
    ) throws(StoreError) -> [EffectRecord] {
        try effects(in: partition, .held, after: id, limit: limit)
    }

    package func queues(in partition: PartitionID, after queue: String?, limit: Int) throws(StoreError) -> [String] {
        let request = Request(EffectLookup.queues) {
            $0.add(partition.rawValue)
            $0.add(queue ?? "")
            $0.add(Int64(limit))
        }
        return try read(request) { answer in try answer.all { row in try row.name() } }
    }

    private func effects(
        in partition: PartitionID, _ state: EffectState, after id: Position?, limit: Int
    ) throws(StoreError) -> [EffectRecord] {
        try all(EffectLookup.inState) {
            $0.add(partition.rawValue)
            $0.add("")
            $0.add(state.rawValue)
            $0.add(id?.rawValue ?? .min)
            $0.add(Int64(limit))
        }
    }
}
