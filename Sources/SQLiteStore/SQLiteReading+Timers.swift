import GRDB
package import WorkflowStore

extension SQLiteReading {
    package func timers(after key: TimerKey?, limit: Int) async throws(StoreError) -> [ListedTimer] {
        var timers: [ListedTimer] = []
        while timers.count < limit {
            let missing = limit - timers.count
            let last = timers.last?.timer.key ?? key
            let slice = try await readers.slice { database, budget in
                try Self.timers(database, after: last, limit: missing, &budget)
            }
            timers += slice.timers
            if slice.isLast { break }
        }
        return timers
    }

    private static func timers(
        _ database: Database, after key: TimerKey?, limit: Int, _ budget: inout SliceBudget
    ) throws -> (timers: [ListedTimer], isLast: Bool) {
        var select = try PreparedStatement(
            database,
            """
            SELECT due_ms, timer.position, ordinal, instance_id, event, instance.name
            FROM timer CROSS JOIN instance ON instance.id = timer.instance_id
            WHERE (due_ms, timer.position, ordinal) > (?, ?, ?)
            ORDER BY due_ms, timer.position, ordinal LIMIT ?
            """)
        select.bind(key?.due.rawValue ?? .min)
        select.bind(key?.position.rawValue ?? 0)
        select.bind(key?.ordinal ?? 0)
        select.bind(Int64(limit))
        var timers: [ListedTimer] = []
        var isLast = true
        try select.forEachRow { row in
            timers.append(ListedTimer(timer: TimerRecord(row: &row), instance: row.text()))
            if !budget.spend() { isLast = false }
            return isLast
        }
        return (timers, isLast || timers.count == limit)
    }
}
