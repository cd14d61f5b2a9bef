import GRDB
package import WorkflowStore

extension SQLiteReading {
    package func oldestRunning(
        in namespace: NamespaceID, atMost bound: Int
    ) async throws(StoreError) -> [OldestInState] {
        var oldest: [AgedState: Timestamp] = [:]
        var next: InstanceID? = InstanceID(rawValue: 0)
        while let last = next {
            let slice = try await readers.slice { database, budget in
                try Self.oldestRunning(database, in: namespace, after: last, &budget)
            }
            for (state, entered) in slice.oldest {
                guard let known = oldest[state] else {
                    if oldest.count < bound { oldest[state] = entered }
                    continue
                }
                oldest[state] = min(known, entered)
            }
            next = slice.next
        }
        return oldest.map { state, entered in
            OldestInState(machineID: state.machineID, configuration: state.configuration, entered: entered)
        }
    }

    /// Walks along the table itself: an index would lead to rows all over the table.
    private static func oldestRunning(
        _ database: Database, in namespace: NamespaceID, after last: InstanceID, _ budget: inout SliceBudget
    ) throws -> (oldest: [AgedState: Timestamp], next: InstanceID?) {
        var oldest: [AgedState: Timestamp] = [:]
        var next: InstanceID?
        try database.forEachRow(
            """
            SELECT id, namespace_id, status, machine_id, configuration, entered_ms FROM instance
            WHERE id > ? ORDER BY id
            """, last
        ) { row in
            let id = try row.instanceID()
            let isOwn = row.integer() == namespace.rawValue
            if try row.status() == .running, isOwn {
                let state = AgedState(machineID: try row.machineID(), configuration: try row.text())
                let entered = try row.time()
                oldest[state] = min(entered, oldest[state] ?? entered)
            }
            if budget.spend() { return true }
            next = id
            return false
        }
        return (oldest, next)
    }
}

/// A machine version and one of its configurations.
private struct AgedState: Hashable {
    let machineID: MachineID
    let configuration: String
}
