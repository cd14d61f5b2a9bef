import GRDB
import Statechart
package import WorkflowStore

// The rows that a batch erases.

extension BatchWriting {
    /// Erases the data that a batch names, and writes the records of its erasures.
    ///
    /// - Parameter floor: The lowest position whose key is still remembered. Text keys of redacted rows below are
    ///   removed.
    func erase(_ erasure: BatchErasure, keysBelow floor: Position, _ database: Database) throws {
        if erasure.isEmpty { return }
        try keep(erasure.salts, database)
        try redact(erasure.rows, keysBelow: floor, database)
        try empty(snapshots: erasure.snapshots, database)
        try empty(attempts: erasure.attempts, database)
        var remove = try PreparedStatement(database, "DELETE FROM erasure WHERE id = ?")
        for id in erasure.begun {
            remove.bind(id)
            try remove.run()
        }
        try ErasureRecord.insert(erasure.records, database, "INSERT OR REPLACE", values: values)
    }

    private func keep(_ salts: [(position: Position, salt: Salt)], _ database: Database) throws {
        var keep = try PreparedStatement(
            database, "UPDATE journal SET salt = ? WHERE position = ? AND salt IS NULL", values: values)
        for (position, salt) in salts {
            keep.bind(salt, position)
            try keep.run()
            try keep.requireChange("a row that is to keep its salt is not there")
        }
    }

    private func redact(
        _ rows: [(position: Position, commitment: Digest)], keysBelow floor: Position, _ database: Database
    ) throws {
        var redact = try PreparedStatement(
            database,
            """
            UPDATE journal SET salt = x'', data = ?1, note = NULL,
                key = CASE WHEN length(key) = 16 OR position >= ?2 THEN key END
            WHERE position = ?3 AND (salt IS NULL OR length(salt) = 16)
            """, values: values)
        for (position, commitment) in rows {
            redact.bind("\"\(commitment.text)\"", floor, position)
            try redact.run()
            try redact.requireChange("a row that is to be redacted is not there")
        }
    }

    /// Removes the key of a redacted row, because the key is no longer remembered.
    func forgetText(at position: Position, _ database: Database) throws {
        try database.run("UPDATE journal SET key = NULL WHERE position = ?", position)
    }

    private func empty(snapshots: [(instance: InstanceID, seq: Seq)], _ database: Database) throws {
        var empty = try PreparedStatement(
            database,
            """
            UPDATE snapshot SET context = '{}', memory = '{}', armed = '[]', output = NULL, salt = NULL
            WHERE instance_id = ? AND seq = ?
            """)
        for (instance, seq) in snapshots {
            empty.bind(instance, seq)
            try empty.run()
        }
    }

    /// Clears the errors of the attempts at a row's effects. A row at p has its effects at p + 1, p + 2, …, before the
    /// next journal row.
    private func empty(attempts: [(instance: InstanceID, row: Position)], _ database: Database) throws {
        var empty = try PreparedStatement(
            database,
            """
            UPDATE attempt SET error = NULL WHERE error IS NOT NULL AND effect > ?1 AND instance_id = ?2 AND effect <
                coalesce((SELECT min(position) FROM journal WHERE position > ?1), 9223372036854775807)
            """)
        for (instance, row) in attempts {
            empty.bind(row, instance)
            try empty.run()
        }
    }

    /// Writes the columns of changed instances that are not part of their state. The state is written before.
    func updateNamed(_ instances: [InstanceRecord], _ database: Database) throws {
        var update = try PreparedStatement(
            database, "UPDATE instance SET name = ?, salt = ?, salt_from = ?, failure = ? WHERE id = ?",
            values: values)
        for instance in instances {
            update.bind(instance.name, instance.salt, instance.saltFrom, instance.failure, instance.id)
            try update.run()
        }
    }
}

/// Reads erasures.
enum ErasureQueries {
    /// Returns true if the schema has erasures. A file that is only read may have an earlier schema.
    static func isThere(in database: Database) throws -> Bool {
        try PreparedStatement.number(database, "SELECT count(*) FROM sqlite_schema WHERE name = 'erasure'") > 0
    }

    static func all(_ database: Database, after id: Int64?, limit: Int) throws -> [ErasureRecord] {
        guard try isThere(in: database) else { return [] }
        return try ErasureRecord.all(database, "WHERE id > ? ORDER BY id LIMIT ?", id ?? .min, limit)
    }
}

extension SQLiteReading {
    package func erasures(after id: Int64?, limit: Int) async throws(StoreError) -> [ErasureRecord] {
        try await readers.slice { database, _ in try ErasureQueries.all(database, after: id, limit: limit) }
    }
}
