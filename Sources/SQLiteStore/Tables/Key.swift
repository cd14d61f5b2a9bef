import GRDB
import Statechart
import WorkflowStore

extension KeyRecord {
    static func insert(_ keys: [KeyRecord], _ database: Database, values: BoundValues? = nil) throws {
        guard !keys.isEmpty else { return }
        var insert = try PreparedStatement(
            database, "INSERT INTO dedupe (key, scope, position) VALUES (?, ?, ?)", values: values)
        for key in keys {
            insert.bind(key.key)
            insert.bind(key.scope)
            insert.bind(key.position)
            try insert.run()
        }
    }
}

extension Table {
    /// The table of remembered keys, checked for keys that no journal row was written with.
    static let key = Table(
        "dedupe", key: ["key", "scope"], rows: "SELECT key, scope, position FROM dedupe",
        end: { inspection in
            let keys = inspection.store.keys
            // If the ledger has changed since the table was begun, the counts prove nothing.
            guard inspection.isInOrder, inspection.ledger == keys, inspection.counts.keys != keys.count else { return }
            inspection.slice.inconsistencies.append(
                Inconsistency(
                    "the store says that it remembers \(keys.count) keys, but there are \(inspection.counts.keys)"))
        }
    ) { row, inspection in
        inspection.slice.keys += 1
        inspection.counts.keys += 1
        // Proof: these are looked up, and nothing counts with them.
        let (key, scope, position) = (row.bytes(), row.integer(), Position(rawValue: row.integer()))
        let found: JournalRecord?
        do {
            found = try JournalRecord.first(inspection.database, "WHERE position = ?", position)
        } catch let failure as SQLiteFailure where failure.isCorrupt {
            // The inspection of the instance reports the damage.
            return nil
        }
        let instance = scope > 0 ? InstanceID(rawValue: scope) : found?.instanceID
        guard position >= inspection.store.keys.floor else {
            return Inconsistency(instance: instance, position: position, "a key is remembered that should be forgotten")
        }
        if let found, found.key == key, try StoreQueries.scope(inspection.database, of: found)?.rawValue == scope {
            return nil
        }
        return Inconsistency(
            instance: instance, position: position, "a key is remembered for a row that does not have it")
    }
}
