import GRDB
package import WorkflowStore

extension SQLiteReading {
    package func machine(_ key: MachineKey, version: MachineVersion?) async throws(StoreError) -> MachineRecord? {
        try await readers.slice { database, _ in
            try StoreQueries.machine(database, key, version: version)
        }
    }

    package func machine(_ id: MachineID) async throws(StoreError) -> MachineRecord? {
        try await readers.slice { database, _ in try MachineRecord.first(database, "WHERE id = ?", id) }
    }

    package func instance(_ key: InstanceKey) async throws(StoreError) -> InstanceRecord? {
        try await readers.slice { database, _ in try StoreQueries.instance(database, key) }
    }

    package func instance(_ id: InstanceID) async throws(StoreError) -> InstanceRecord? {
        try await readers.slice { database, _ in
            try InstanceRecord.first(database, "WHERE id = ? AND status <> 'purging'", id)
        }
    }

    package func rows(at positions: [Position]) async throws(StoreError) -> [JournalRecord] {
        try await readers.slice { database, _ in
            try positions.compactMap { try JournalRecord.first(database, "WHERE position = ?", $0) }
        }
    }

    package func instanceNames(near key: InstanceKey, limit: Int) async throws(StoreError) -> [InstanceName] {
        guard limit > 0 else { return [] }
        let limit = min(limit, limits.suggestionRows)
        return try await readers.slice { database, _ in
            let before = try StoreQueries.instanceNames(database, before: true, key, limit: limit)
            let after = try StoreQueries.instanceNames(database, before: false, key, limit: limit)
            // Half of the names come from each side; if one side has fewer, the other fills the rest.
            let fewBefore = min(before.count, max(limit / 2, limit - after.count))
            return before.prefix(fewBefore).reversed() + after.prefix(limit - fewBefore)
        }
    }

    package func machines(
        in namespace: NamespaceID, after name: MachineName?, limit: Int
    ) async throws(StoreError) -> [MachineRecord] {
        var machines: [MachineRecord] = []
        var isLast = false
        while !isLast, machines.count < limit {
            let missing = limit - machines.count
            let last = machines.last?.name ?? name
            let slice = try await readers.slice { database, budget in
                try Self.machines(database, in: namespace, after: last, limit: missing, &budget)
            }
            machines += slice.machines
            isLast = slice.isLast
        }
        return machines
    }

    package func machineNames(in namespace: NamespaceID, limit: Int) async throws(StoreError) -> [MachineName] {
        let rows = min(limit * 10, limits.suggestionRows)
        return try await readers.slice { database, _ in
            var names: [MachineName] = []
            var seen: Set<MachineName> = []
            // Both columns precede the source, so SQLite reads no source.
            try database.forEachRow(
                "SELECT namespace_id, name FROM machine ORDER BY id DESC LIMIT ?", rows
            ) { row in
                guard row.integer() == namespace.rawValue else { return true }
                let name = try row.machineName()
                if seen.insert(name).inserted { names.append(name) }
                return names.count < limit
            }
            return names
        }
    }

    package func snapshot(
        of instance: InstanceID, atOrBefore seq: Seq
    ) async throws(StoreError) -> SnapshotRecord? {
        try await readers.slice { database, _ in
            try SnapshotRecord.first(
                database, "WHERE instance_id = ? AND seq <= ? AND salt IS NOT NULL ORDER BY seq DESC LIMIT 1", instance,
                seq)
        }
    }

    /// Steps from name to name; a single statement would pass every version of each.
    private static func machines(
        _ database: Database, in namespace: NamespaceID, after name: MachineName?, limit: Int,
        _ budget: inout SliceBudget
    ) throws -> (machines: [MachineRecord], isLast: Bool) {
        var machines: [MachineRecord] = []
        var last = name
        while machines.count < limit {
            guard let next = try StoreQueries.machineName(database, in: namespace, after: last),
                let machine = try StoreQueries.machine(database, MachineKey(next, in: namespace), version: nil)
            else { return (machines, true) }
            machines.append(machine)
            last = next
            if !budget.spend() { break }
        }
        return (machines, false)
    }
}
