import GRDB
import Statechart
import WorkflowStore

extension BatchWriting {
    func insert(_ keys: [KeyRecord], _ database: Database) throws {
        guard !keys.isEmpty else { return }
        var insert = try PreparedStatement(
            database, "INSERT INTO dedupe (key, scope, position) VALUES (?, ?, ?)", values: values)
        for key in keys {
            insert.bind(key.key.bytes)
            insert.bind(key.scope.rawValue)
            insert.bind(key.position.rawValue)
            try insert.run()
        }
    }

    /// Walks the journal from where it stopped last, and forgets keys until it meets one that is to be kept.
    func forgetKeys(_ retention: KeyRetention, _ ledger: KeyLedger, _ database: Database) throws -> KeyLedger {
        var ledger = ledger
        var select = try PreparedStatement(
            database,
            """
            SELECT position, instance_id, machine_id, coalesce(real_ms, at_ms), kind, key FROM journal
            WHERE position >= ? ORDER BY position LIMIT ?
            """)
        select.bind(ledger.floor.rawValue)
        select.bind(Int64(retention.rows))
        try select.forEachRow { row in
            let position = Position(rawValue: row.integer())
            let instance = InstanceID(rawValue: row.integer())
            let machine = MachineID(rawValue: row.integer())
            let used = ledger.begin.time(Timestamp(rawValue: row.integer()), of: position)
            let isStart = row.text() == JournalKind.started.rawValue
            let isOld = retention.oldest.map { used < $0 } ?? false
            guard isOld || ledger.count > retention.count else { return false }
            if let bytes = row.optionalBytes() {
                let key = RequestKey(bytes: bytes)
                // What looks new would be taken for new.
                if let time = key.time, time >= retention.newest { return false }
                let scope = isStart ? try self.scope(of: machine, database) : .instance(instance)
                try delete(key, scope, position, database)
                ledger.count -= 1
                ledger.forgotten = max(ledger.forgotten, key.time ?? ledger.forgotten)
            }
            ledger.floor = position.next
            return true
        }
        return ledger
    }

    private func delete(_ key: RequestKey, _ scope: KeyScope, _ position: Position, _ database: Database) throws {
        var delete = try PreparedStatement(
            database, "DELETE FROM dedupe WHERE key = ? AND scope = ? AND position = ?", values: values)
        delete.bind(key.bytes)
        delete.bind(scope.rawValue)
        delete.bind(position.rawValue)
        try delete.run()
        guard delete.changes == 1 else {
            throw StoreError(.constraint, "Cannot write: a key that is to be forgotten is not in the store")
        }
    }

    private func scope(of machine: MachineID, _ database: Database) throws -> KeyScope {
        guard let first = try StoreQueries.firstVersion(database, of: machine) else {
            throw StoreError(.constraint, "Cannot write: the machine of a key is not in the store")
        }
        return .machine(first)
    }
}
