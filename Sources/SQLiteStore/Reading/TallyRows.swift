import GRDB
import Statechart
package import WorkflowStore

// The numbers of instances per state.

extension BatchWriting {
    /// Adds the changes of batches to the counts. A wrong count stops nobody: `verify` finds it.
    func updateTally(of batches: [StoreBatch], _ database: Database) throws {
        guard var changes = batches.first?.tally else { return }
        for batch in batches.dropFirst() { changes.merge(batch.tally, uniquingKeysWith: +) }
        if changes.isEmpty { return }
        var add = try PreparedStatement(
            database,
            """
            INSERT INTO tally (machine_id, status, state, n) VALUES (?, ?, ?, ?)
            ON CONFLICT DO UPDATE SET n = CASE WHEN n BETWEEN -\(Self.counted) AND \(Self.counted)
                THEN n + excluded.n ELSE n END
            """, values: values)
        var isEmptied = false
        for (key, change) in changes where change != 0 {
            add.bind(key)
            add.bind(change)
            try add.run()
            isEmptied = isEmptied || change < 0
        }
        if isEmptied { try removeEmptied(changes, database) }
    }

    /// The largest absolute value of a count of ours. Adding to a count beyond it could overflow.
    private static let counted = StoreNumbers.range.upperBound

    private func removeEmptied(_ changes: [TallyKey: Int64], _ database: Database) throws {
        var remove = try PreparedStatement(
            database, "DELETE FROM tally WHERE machine_id = ? AND status = ? AND state = ? AND n = 0", values: values)
        for (key, change) in changes where change < 0 {
            remove.bind(key)
            try remove.run()
        }
    }
}

extension SQLiteReading {
    package func tally(_ query: TallyQuery, in namespace: NamespaceID) async throws(StoreError) -> [TallyRecord] {
        var found: [TallyRecord] = []
        var next: TallyKey? = query.after
        repeat {
            let missing = query.limit - found.count
            let slice = try await readers.slice { [next] database, budget in
                try Self.tally(database, query, in: namespace, after: next, limit: missing, &budget)
            }
            found += slice.found
            next = slice.next
        } while next != nil && found.count < query.limit
        return found
    }

    /// Returns one slice of the counts. Counts of other machines are skipped, and cost as much of the slice.
    private static func tally(
        _ database: Database, _ query: TallyQuery, in namespace: NamespaceID, after key: TallyKey?, limit: Int,
        _ budget: inout SliceBudget
    ) throws -> (found: [TallyRecord], next: TallyKey?) {
        guard limit > 0, try Table.tally.isThere(in: database) else { return ([], nil) }
        var found: [TallyRecord] = []
        var next: TallyKey?
        try database.forEachRow(
            """
            SELECT t.machine_id, t.status, t.state, t.n, m.namespace_id, m.name, m.version, m.semantics
            FROM tally t CROSS JOIN machine m ON m.id = t.machine_id
            WHERE (t.machine_id, t.status, t.state) > (?, ?, ?) ORDER BY t.machine_id, t.status, t.state
            """, key?.machineID.rawValue ?? 0, key?.status.rawValue ?? "", key?.configuration ?? ""
        ) { row in
            let key = TallyKey(
                machineID: try row.machineID(), status: try row.status(), configuration: try row.text())
            let count = try row.count()
            let isWanted = row.integer() == namespace.rawValue && key.status != .purging
            let machine = try row.machineName()
            if isWanted, query.takes(machine) {
                let version = try row.version()
                let semantics = try row.ordinal()
                if query.semanticsBelow.map({ semantics < $0 }) ?? true {
                    found.append(
                        TallyRecord(
                            key: key, machine: machine, version: version, semantics: semantics, count: count))
                }
            }
            if found.count == limit { return false }
            if budget.spend() { return true }
            next = key
            return false
        }
        return (found, next)
    }
}
