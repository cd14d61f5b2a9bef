import GRDB
import WorkflowStore

/// The reads of effects that the readers and the writer share.
enum EffectQueries {
    // The index returns only the ids. As in `StoreQueries`, the row behind an id is compared with the request.

    /// Returns the effects of a row that no instance waits for. They stand between the row and the next row of the
    /// journal.
    static func calls(_ database: Database, behind row: Position) throws -> [Position] {
        return try database.all(
            """
            SELECT id FROM effect WHERE id > ?1 AND number IS NULL
            AND id < coalesce((SELECT min(position) FROM journal WHERE position > ?1), \(Int64.max))
            """, row
        ) { row in try row.position() }
    }

    /// Returns the previous row of the same instance; `nil` for the first row.
    static func previous(_ database: Database, of row: Position) throws -> Position? {
        return try database.first(
            "SELECT previous FROM journal WHERE position = ? AND previous IS NOT NULL", row
        ) { found in try found.previous(of: row) } ?? nil
    }

    /// Adds the attempts at a row's effects. Returns the previous row of the same instance.
    static func addAttempts(
        to attempts: inout [ListedAttempt], behind row: Position, _ database: Database
    ) throws -> Position? {
        let found = try database.first("SELECT seq, previous FROM journal WHERE position = ?", row) { found in
            (seq: try found.seq(), previous: try found.previous(of: row))
        }
        guard let found else { return nil }
        let more = try AttemptRecord.all(
            database,
            """
            WHERE effect > ?1
            AND effect < coalesce((SELECT min(position) FROM journal WHERE position > ?1), \(Int64.max))
            ORDER BY effect, attempt
            """, row)
        attempts += more.map { ListedAttempt($0, seq: found.seq) }
        return found.previous
    }

    /// Walks the index priority by priority; across all priorities it would have to sort the due effects.
    static func ready(
        _ database: Database, queue: String, due: Timestamp, limit: Int, except isLeftOut: (Position) -> Bool
    ) throws -> [EffectRecord] {
        var effects: [EffectRecord] = []
        for priority in EffectRecord.priorities where effects.count < limit {
            var ids: [Position] = []
            try database.forEachRow(
                """
                SELECT id FROM effect INDEXED BY effect_queue
                WHERE queue = ? AND state = 'ready' AND priority = ? AND due_ms <= ? ORDER BY due_ms, id
                """, queue, priority, due
            ) { row in
                let id = try row.position()
                if !isLeftOut(id) { ids.append(id) }
                return ids.count < limit - effects.count
            }
            for id in ids {
                let effect = try found(database, id, .ready)
                guard effect.queue.utf8.elementsEqual(queue.utf8), effect.priority == priority, effect.due <= due
                else { throw misled }
                effects.append(effect)
            }
        }
        return effects
    }

    static func nextReady(_ database: Database, queue: String, after time: Timestamp?) throws -> Timestamp? {
        var next: Timestamp?
        for priority in EffectRecord.priorities {
            let first = try database.first(
                """
                SELECT due_ms FROM effect INDEXED BY effect_queue
                WHERE queue = ? AND state = 'ready' AND priority = ? AND due_ms > ? ORDER BY due_ms LIMIT 1
                """, queue, priority, time?.rawValue ?? .min
            ) { row in try row.time() }
            if let first { next = min(first, next ?? first) }
        }
        return next
    }

    /// Walks from queue to queue, and in each queue through the effects in one state.
    static func all(
        _ database: Database, in state: EffectState, after id: Position?, limit: Int
    ) throws -> [EffectRecord] {
        let ids = try database.all(
            """
            WITH RECURSIVE step (queue) AS (
                SELECT min(queue) FROM effect INDEXED BY effect_queue
                UNION ALL
                SELECT (SELECT min(queue) FROM effect INDEXED BY effect_queue WHERE queue > step.queue)
                FROM step WHERE step.queue IS NOT NULL
            )
            SELECT id FROM step CROSS JOIN effect INDEXED BY effect_queue
            WHERE effect.queue = step.queue AND state = ? AND id > ? ORDER BY id LIMIT ?
            """, state, id?.rawValue ?? .min, limit
        ) { row in try row.position() }
        return try ids.map { id in try found(database, id, state) }
    }

    static func queues(_ database: Database, after queue: String?, limit: Int) throws -> [String] {
        var queues: [String] = []
        while queues.count < limit {
            // No name is empty.
            let next = try database.first(
                "SELECT queue FROM effect INDEXED BY effect_queue WHERE queue > ? ORDER BY queue LIMIT 1",
                queues.last ?? queue ?? ""
            ) { row in try row.name() }
            guard let next else { break }
            queues.append(next)
        }
        return queues
    }

    private static func found(_ database: Database, _ id: Position, _ state: EffectState) throws -> EffectRecord {
        guard let effect = try EffectRecord.first(database, "WHERE id = ?", id), effect.state == state else {
            throw misled
        }
        return effect
    }

    private static var misled: SQLiteFailure {
        .damage("the index of effects leads to a row that does not have it")
    }
}
