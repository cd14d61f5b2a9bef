import GRDB
package import WorkflowStore

extension SQLiteReading {
    package func timers(
        in namespace: NamespaceID, after key: TimerKey?, limit: Int
    ) async throws(StoreError) -> [ListedTimer] {
        var timers: [ListedTimer] = []
        var last = key
        while timers.count < limit {
            let missing = limit - timers.count
            let slice = try await readers.slice { [last] database, budget in
                try Self.timers(database, in: namespace, after: last, limit: missing, &budget)
            }
            timers += slice.timers
            guard let next = slice.next else { break }
            last = next
        }
        return timers
    }

    /// Returns one slice of timers. Timers of other namespaces are skipped, and cost as much of the slice.
    private static func timers(
        _ database: Database, in namespace: NamespaceID, after key: TimerKey?, limit: Int, _ budget: inout SliceBudget
    ) throws -> (timers: [ListedTimer], next: TimerKey?) {
        var timers: [ListedTimer] = []
        var next: TimerKey?
        try database.forEachRow(
            """
            SELECT due_ms, timer.position, ordinal, instance_id, event, instance.name,
                instance.namespace_id
            FROM timer CROSS JOIN instance ON instance.id = timer.instance_id
            WHERE (due_ms, timer.position, ordinal) > (?, ?, ?)
            ORDER BY due_ms, timer.position, ordinal
            """, key?.due.rawValue ?? .min, key?.position.rawValue ?? 0, key?.ordinal ?? 0
        ) { row in
            let timer = try TimerRecord(row: &row)
            let name = try row.instanceName()
            if row.integer() == namespace.rawValue { timers.append(ListedTimer(timer: timer, instance: name)) }
            if timers.count == limit { return false }
            if budget.spend() { return true }
            next = timer.key
            return false
        }
        return (timers, next)
    }
}
