import GRDB
import WorkflowStore

/// The reads of queues: their settings and their effects.
enum QueueQueries {
    /// Returns the next queue that has an effect or settings; `nil` after the last one.
    static func summary(_ database: Database, after queue: String?, _ query: QueueQuery) throws -> QueueSummary? {
        let busy = try EffectQueries.queues(database, after: queue, limit: 1).first
        let record = try QueueRecord.first(database, "WHERE name > ? ORDER BY name LIMIT 1", queue ?? "")
        let names = [busy, record?.name].compactMap(\.self)
        guard let name = names.min(by: { $0.utf8.lexicographicallyPrecedes($1.utf8) }) else { return nil }
        var summary = QueueSummary(name: name)
        if let record, record.name.utf8.elementsEqual(name.utf8) { summary.record = record }
        guard let busy, busy.utf8.elementsEqual(name.utf8) else { return summary }
        for state in EffectState.allCases {
            switch state {
            case .ready:
                summary.ready = try ready(database, in: name, query, "<=")
                summary.waiting = try ready(database, in: name, query, ">")
            case .leased: summary.leased = try count(database, state, in: name, query)
            case .failed: summary.failed = try count(database, state, in: name, query)
            case .held: summary.held = try count(database, state, in: name, query)
            case .answered: summary.answered = try count(database, state, in: name, query)
            // No effect is in this state so far.
            case .open: break
            }
        }
        summary.oldestDue = try oldestDue(database, in: name, query)
        return summary
    }

    /// Returns the earliest due time of the queue's effects that are ready or waiting and do not run yet.
    private static func oldestDue(_ database: Database, in queue: String, _ query: QueueQuery) throws -> Timestamp? {
        if query.running.isEmpty { return try EffectQueries.nextReady(database, queue: queue, after: nil) }
        var oldest: Timestamp?
        for priority in EffectRecord.priorities {
            try database.forEachRow(
                """
                SELECT id, due_ms FROM effect INDEXED BY effect_queue
                WHERE queue = ? AND state = 'ready' AND priority = ? ORDER BY due_ms LIMIT ?
                """, queue, priority, query.running.count + 1
            ) { row in
                // Proof: it is looked for among those that run, and nothing counts with it.
                let (id, due) = (Position(rawValue: row.integer()), try row.time())
                if query.running.contains(id) { return true }
                oldest = min(due, oldest ?? due)
                return false
            }
        }
        return oldest
    }

    private static func count(
        _ database: Database, _ state: EffectState, in queue: String, _ query: QueueQuery
    ) throws -> Int {
        var select = try PreparedStatement(
            database,
            """
            SELECT count(*) FROM (
                SELECT 1 FROM effect INDEXED BY effect_queue WHERE queue = ? AND state = ? LIMIT ?)
            """, queue, state, query.bound)
        // Proof: the statement counts rows up to the bound of the query.
        return Int(try select.first { row in row.integer() } ?? 0)
    }

    /// Counts priority by priority, in the order of the index.
    private static func ready(
        _ database: Database, in queue: String, _ query: QueueQuery, _ comparison: String
    ) throws -> Int {
        var count = 0
        for priority in EffectRecord.priorities where count < query.bound {
            var select = try PreparedStatement(
                database,
                """
                SELECT count(*) FROM (
                    SELECT 1 FROM effect INDEXED BY effect_queue
                    WHERE queue = ? AND state = 'ready' AND priority = ? AND due_ms \(comparison) ? LIMIT ?)
                """, queue, priority, query.now, query.bound - count)
            // Proof: the statement counts rows up to the bound of the query.
            count += Int(try select.first { row in row.integer() } ?? 0)
        }
        return count
    }
}
