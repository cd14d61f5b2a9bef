import GRDB
import WorkflowStore

// What batches say about effects and their attempts.

extension BatchWriting {
    /// Effects that end, begin and change, and attempts at them.
    func writeEffects(of batch: StoreBatch, _ database: Database) throws {
        try delete(batch.endedEffects, database)
        try insert(batch.newEffects, database)
        try update(batch.changedEffects, database)
        try insert(batch.attempts, database)
        try write(batch.changedQueues, database)
    }

    private func insert(_ effects: [EffectRecord], _ database: Database) throws {
        guard !effects.isEmpty else { return }
        var insert = try PreparedStatement(
            database,
            """
            INSERT INTO effect (\(EffectRecord.columns)) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """, values: values)
        for place in effects.indices {
            insert.bind(effects[place].id.rawValue)
            bind(effects, place, to: &insert)
            try insert.run()
        }
    }

    private func update(_ effects: [EffectRecord], _ database: Database) throws {
        guard !effects.isEmpty else { return }
        var update = try PreparedStatement(
            database,
            """
            UPDATE effect SET instance_id = ?, seq = ?, number = ?, name = ?, queue = ?, state = ?, priority = ?,
                due_ms = ?, attempts = ?, earlier = ?, round = ?, lease = ?, worker = ?, progress = ?, error = ?,
                answer = ?, request = ?
            WHERE id = ?
            """, values: values)
        for place in effects.indices {
            bind(effects, place, to: &update)
            update.bind(effects[place].id.rawValue)
            try update.run()
            guard update.changes == 1 else {
                throw StoreError(.constraint, "Cannot write: an effect that changed is not in the store")
            }
        }
    }

    /// All columns but the id.
    private func bind(_ effects: [EffectRecord], _ place: Int, to statement: inout PreparedStatement) {
        statement.bind(effects[place].instanceID.rawValue)
        statement.bind(effects[place].seq.rawValue)
        statement.bind(effects[place].number)
        statement.bind(effects[place].name)
        statement.bind(effects[place].queue)
        statement.bind(effects[place].state.rawValue)
        statement.bind(effects[place].priority)
        statement.bind(effects[place].due.rawValue)
        statement.bind(effects[place].attempts)
        statement.bind(effects[place].earlier)
        statement.bind(effects[place].round)
        statement.bind(effects[place].lease)
        statement.bind(effects[place].worker)
        statement.bind(effects[place].progress)
        statement.bind(effects[place].error)
        statement.bind(effects[place].answer)
        statement.bind(effects[place].request)
    }

    private func delete(_ effects: [Position], _ database: Database) throws {
        guard !effects.isEmpty else { return }
        var delete = try PreparedStatement(database, "DELETE FROM effect WHERE id = ?", values: values)
        for id in effects {
            delete.bind(id.rawValue)
            try delete.run()
            guard delete.changes == 1 else {
                throw StoreError(.constraint, "Cannot write: an effect that ended is not in the store")
            }
        }
    }

    private func insert(_ attempts: [AttemptRecord], _ database: Database) throws {
        guard !attempts.isEmpty else { return }
        var insert = try PreparedStatement(
            database, "INSERT OR REPLACE INTO attempt (\(AttemptRecord.columns)) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            values: values)
        for attempt in attempts {
            insert.bind(attempt.effect.rawValue)
            insert.bind(attempt.attempt)
            insert.bind(attempt.instanceID.rawValue)
            insert.bind(attempt.name)
            insert.bind(attempt.begun.rawValue)
            insert.bind(attempt.ended.rawValue)
            insert.bind(attempt.outcome)
            insert.bind(attempt.error)
            try insert.run()
            if attempt.attempt > AttemptRecord.firstKept { try forgetAttempts(of: attempt.effect, database) }
        }
    }

    /// Deletes those between the first and the last of an effect.
    private func forgetAttempts(of effect: Position, _ database: Database) throws {
        var delete = try PreparedStatement(
            database,
            """
            DELETE FROM attempt WHERE effect = ?1 AND attempt > \(AttemptRecord.firstKept)
            AND attempt <= (SELECT max(attempt) FROM attempt WHERE effect = ?1) - \(AttemptRecord.lastKept)
            """)
        delete.bind(effect.rawValue)
        try delete.run()
    }
}

// MARK: Queues

extension BatchWriting {
    private func write(_ queues: [QueueRecord], _ database: Database) throws {
        for queue in queues {
            guard queue.settings != .standard else {
                var delete = try PreparedStatement(database, "DELETE FROM queue WHERE name = ?", values: values)
                delete.bind(queue.name)
                try delete.run()
                continue
            }
            var insert = try PreparedStatement(
                database, "INSERT OR REPLACE INTO queue (\(QueueRecord.columns)) VALUES (?, ?, ?, ?, ?, ?, ?)",
                values: values)
            insert.bind(queue.name)
            insert.bind(queue.settings.concurrency.map(Int64.init))
            insert.bind(queue.settings.rate.map(Int64.init))
            insert.bind(queue.settings.rateMilliseconds)
            insert.bind(queue.settings.isPaused ? 1 : 0)
            insert.bind(queue.actor?.rawValue)
            insert.bind(queue.set.rawValue)
            try insert.run()
        }
    }

    /// Writes a batch's hold or release of effects, if it has one. A release also writes the present place of the file.
    func writeHeld(of batch: StoreBatch, _ database: Database) throws {
        guard let isHeld = batch.isHeld else { return }
        if !isHeld, let place { try PlaceQueries.write(place, database) }
        var update = try PreparedStatement(database, "UPDATE store SET held = ? WHERE id = 1", values: values)
        update.bind(isHeld ? 1 : 0)
        try update.run()
    }
}
