import GRDB
import WorkflowStore

/// The reads of effects that the readers and the writer share.
enum EffectQueries {
    // The index gives only the ids: as in `StoreQueries`, what it leads to is compared with what was asked for.

    /// Whether the schema has effects: a file that is only read may be one of schema 1.
    static func isThere(in database: Database) throws -> Bool {
        try PreparedStatement.number(database, "PRAGMA user_version") >= 2
    }

    static func effect(_ database: Database, _ id: Position) throws -> EffectRecord? {
        var select = try PreparedStatement(database, "SELECT \(EffectRecord.columns) FROM effect WHERE id = ?")
        select.bind(id.rawValue)
        return try select.first { row in try EffectRecord(row: &row) }
    }

    /// The effects of a row for which nobody waits: they stand between it and the next row of the journal.
    static func calls(_ database: Database, behind row: Position) throws -> [Position] {
        var select = try PreparedStatement(
            database,
            """
            SELECT id FROM effect WHERE id > ?1 AND number IS NULL
            AND id < coalesce((SELECT min(position) FROM journal WHERE position > ?1), \(Int64.max))
            """)
        select.bind(row.rawValue)
        var ids: [Position] = []
        try select.forEachRow { row in
            ids.append(try row.position())
            return true
        }
        return ids
    }

    /// The row of the same instance before this one; nil for its first.
    static func previous(_ database: Database, of row: Position) throws -> Position? {
        var select = try PreparedStatement(
            database, "SELECT previous FROM journal WHERE position = ? AND previous IS NOT NULL")
        select.bind(row.rawValue)
        return try select.first { found in try found.previous(of: row) } ?? nil
    }

    /// Adds the attempts at effects of a row; gives the row of the same instance before it.
    static func addAttempts(
        to attempts: inout [ListedAttempt], behind row: Position, _ database: Database
    ) throws -> Position? {
        var find = try PreparedStatement(database, "SELECT seq, previous FROM journal WHERE position = ?")
        find.bind(row.rawValue)
        let found = try find.first { found in (seq: try found.seq(), previous: try found.previous(of: row)) }
        guard let found else { return nil }
        var select = try PreparedStatement(
            database,
            """
            SELECT \(AttemptRecord.columns) FROM attempt WHERE effect > ?1
            AND effect < coalesce((SELECT min(position) FROM journal WHERE position > ?1), \(Int64.max))
            ORDER BY effect, attempt
            """)
        select.bind(row.rawValue)
        try select.forEachRow { row in
            attempts.append(ListedAttempt(try AttemptRecord(row: &row), seq: found.seq))
            return true
        }
        return found.previous
    }

    static func attempt(_ database: Database, _ number: Int64, of effect: Position) throws -> AttemptRecord? {
        var select = try PreparedStatement(
            database, "SELECT \(AttemptRecord.columns) FROM attempt WHERE effect = ? AND attempt = ?")
        select.bind(effect.rawValue)
        select.bind(number)
        return try select.first { row in try AttemptRecord(row: &row) }
    }

    /// Goes through the index priority by priority: through all at once it would have to sort what is due.
    static func ready(
        _ database: Database, queue: String, due: Timestamp, limit: Int, except isLeftOut: (Position) -> Bool
    ) throws -> [EffectRecord] {
        var effects: [EffectRecord] = []
        for priority in EffectRecord.priorities where effects.count < limit {
            var select = try PreparedStatement(
                database,
                """
                SELECT id FROM effect INDEXED BY effect_queue
                WHERE queue = ? AND state = 'ready' AND priority = ? AND due_ms <= ? ORDER BY due_ms, id
                """)
            select.bind(queue)
            select.bind(priority)
            select.bind(due.rawValue)
            var ids: [Position] = []
            try select.forEachRow { row in
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
            var select = try PreparedStatement(
                database,
                """
                SELECT due_ms FROM effect INDEXED BY effect_queue
                WHERE queue = ? AND state = 'ready' AND priority = ? AND due_ms > ? ORDER BY due_ms LIMIT 1
                """)
            select.bind(queue)
            select.bind(priority)
            select.bind(time?.rawValue ?? .min)
            let first = try select.first { row in try row.time() }
            if let first { next = min(first, next ?? first) }
        }
        return next
    }

    /// From queue to queue, and in each through what is in a state.
    static func all(
        _ database: Database, in state: EffectState, after id: Position?, limit: Int
    ) throws -> [EffectRecord] {
        var select = try PreparedStatement(
            database,
            """
            WITH RECURSIVE step (queue) AS (
                SELECT min(queue) FROM effect INDEXED BY effect_queue
                UNION ALL
                SELECT (SELECT min(queue) FROM effect INDEXED BY effect_queue WHERE queue > step.queue)
                FROM step WHERE step.queue IS NOT NULL
            )
            SELECT id FROM step CROSS JOIN effect INDEXED BY effect_queue
            WHERE effect.queue = step.queue AND state = ? AND id > ? ORDER BY id LIMIT ?
            """)
        select.bind(state.rawValue)
        select.bind(id?.rawValue ?? .min)
        select.bind(Int64(limit))
        return try ids(&select).map { id in try found(database, id, state) }
    }

    static func queues(_ database: Database, after queue: String?, limit: Int) throws -> [String] {
        var queues: [String] = []
        while queues.count < limit {
            var select = try PreparedStatement(
                database,
                "SELECT queue FROM effect INDEXED BY effect_queue WHERE queue > ? ORDER BY queue LIMIT 1")
            // No name is empty.
            select.bind(queues.last ?? queue ?? "")
            guard let next = try select.first({ row in try row.name() }) else { break }
            queues.append(next)
        }
        return queues
    }

    private static func ids(_ select: inout PreparedStatement) throws -> [Position] {
        var ids: [Position] = []
        try select.forEachRow { row in
            ids.append(try row.position())
            return true
        }
        return ids
    }

    private static func found(_ database: Database, _ id: Position, _ state: EffectState) throws -> EffectRecord {
        guard let effect = try effect(database, id), effect.state == state else { throw misled }
        return effect
    }

    private static var misled: SQLiteFailure {
        .damage("the index of effects leads to a row that does not have it")
    }
}
