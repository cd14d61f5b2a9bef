import GRDB
import WorkflowStore

// The rows of effects, of their attempts and of queues.

extension BatchWriting {
    /// Writes the effects that end, begin and change, the attempts at them, and the changed queues.
    func writeEffects(of batch: StoreBatch, _ database: Database) throws {
        try delete(batch.endedEffects, database)
        try EffectRecord.insert(batch.newEffects, database, values: values)
        try update(batch.changedEffects, database)
        try insert(batch.attempts, database)
        try write(batch.changedQueues, database)
    }

    private func update(_ effects: [EffectRecord], _ database: Database) throws {
        guard !effects.isEmpty else { return }
        let statement = try PreparedStatement(database, EffectRecord.update, values: values)
        var update = ColumnBinder<EffectRecord>(statement: statement)
        for effect in effects {
            EffectRecord.describe(effect, &update)
            try update.statement.run()
            try update.statement.requireChange("an effect that changed is not in the store")
        }
    }

    private func delete(_ effects: [Position], _ database: Database) throws {
        guard !effects.isEmpty else { return }
        var delete = try PreparedStatement(database, "DELETE FROM effect WHERE id = ?", values: values)
        for id in effects {
            delete.bind(id)
            try delete.run()
            try delete.requireChange("an effect that ended is not in the store")
        }
    }

    private func insert(_ attempts: [AttemptRecord], _ database: Database) throws {
        for attempt in attempts {
            try AttemptRecord.insert([attempt], database, "INSERT OR REPLACE", values: values)
            if attempt.attempt > AttemptRecord.firstKept { try forgetAttempts(of: attempt.effect, database) }
        }
    }

    /// Deletes the attempts at an effect between the first ones and the last ones, which are kept.
    private func forgetAttempts(of effect: Position, _ database: Database) throws {
        try database.run(
            """
            DELETE FROM attempt WHERE effect = ?1 AND attempt > \(AttemptRecord.firstKept)
            AND attempt <= (SELECT max(attempt) FROM attempt WHERE effect = ?1) - \(AttemptRecord.lastKept)
            """, effect)
    }
}

// MARK: Queues

extension BatchWriting {
    private func write(_ queues: [QueueRecord], _ database: Database) throws {
        for queue in queues {
            if queue.settings == .standard {
                try database.run("DELETE FROM queue WHERE name = ?", queue.name, values: values)
            } else {
                try QueueRecord.insert([queue], database, "INSERT OR REPLACE", values: values)
            }
        }
    }

    /// Writes a batch's hold or release of effects, if it has one. A release also writes the present place of the file.
    func writeHeld(of batch: StoreBatch, _ database: Database) throws {
        guard let isHeld = batch.isHeld else { return }
        if !isHeld, let place { try PlaceQueries.write(place, database) }
        try database.run("UPDATE store SET held = ? WHERE id = 1", isHeld, values: values)
    }
}
