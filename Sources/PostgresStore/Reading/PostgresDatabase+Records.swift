import Statechart
package import WorkflowStore

// The reads of single rows, and of short lists of them.

extension PostgresDatabase {
    /// Returns the rows of a statement.
    func all<Row: TableRow>(
        _ statement: Statement, _ fill: @Sendable (inout Parameters) -> Void
    ) async throws(StoreError) -> [Row] {
        try await readers.readOnce { snapshot in try snapshot.all(statement, fill) }
    }

    /// Returns the first row of a statement.
    func first<Row: TableRow>(
        _ statement: Statement, _ fill: @Sendable (inout Parameters) -> Void
    ) async throws(StoreError) -> Row? {
        try await readers.readOnce { snapshot in try snapshot.first(statement, fill) }
    }

    package func machine(_ key: MachineKey, version: MachineVersion?) async throws(StoreError) -> MachineRecord? {
        try await first(MachineRecord.byVersion) {
            $0.add(key.namespace.rawValue)
            $0.add(key.name.rawValue)
            $0.add(version?.rawValue)
        }
    }

    package func machine(_ id: MachineID) async throws(StoreError) -> MachineRecord? {
        try await first(MachineRecord.byID) { $0.add(id.rawValue) }
    }

    package func machines(
        in namespace: NamespaceID, after name: MachineName?, limit: Int
    ) async throws(StoreError) -> [MachineRecord] {
        try await all(MachineRecord.latest) {
            $0.add(namespace.rawValue)
            // No name is empty.
            $0.add(name?.rawValue ?? "")
            $0.add(Int64(limit))
        }
    }

    package func machineNames(in namespace: NamespaceID, limit: Int) async throws(StoreError) -> [MachineName] {
        let rows = min(limit * 10, limits.suggestionRows)
        return try await readers.readOnce { snapshot in
            let request = Request(MachineRecord.newestNames) {
                $0.add(namespace.rawValue)
                $0.add(Int64(rows))
            }
            let names = try snapshot.read(request) { answer in try answer.all { row in try row.machineName() } }
            var seen: Set<MachineName> = []
            return Array(names.filter { seen.insert($0).inserted }.prefix(limit))
        }
    }

    package func machineSetting(of key: MachineKey) async throws(StoreError) -> MachineSetting? {
        try await first(MachineSetting.byKey) {
            $0.add(key.namespace.rawValue)
            $0.add(key.name.rawValue)
        }
    }

    package func machineSettings(
        in namespace: NamespaceID, after name: MachineName?, limit: Int
    ) async throws(StoreError) -> [MachineSetting] {
        try await all(MachineSetting.ofNamespace) {
            $0.add(namespace.rawValue)
            $0.add(name?.rawValue ?? "")
            $0.add(Int64(limit))
        }
    }

    package func instance(_ key: InstanceKey) async throws(StoreError) -> InstanceRecord? {
        try await first(InstanceRecord.byName) {
            $0.add(key.namespace.rawValue)
            $0.add(key.name.rawValue)
        }
    }

    package func instance(_ id: InstanceID) async throws(StoreError) -> InstanceRecord? {
        try await first(InstanceRecord.byIDs) { $0.add(ArrayColumn([id.rawValue])) }
    }

    package func snapshot(of instance: InstanceID, atOrBefore seq: Seq) async throws(StoreError) -> SnapshotRecord? {
        try await first(SnapshotRecord.atOrBefore) {
            $0.add(instance.rawValue)
            $0.add(seq.rawValue)
        }
    }

    package func rows(at positions: [Position]) async throws(StoreError) -> [JournalRecord] {
        try await all(JournalRecord.byPositions) { $0.add(ArrayColumn(positions.map(\.rawValue))) }
    }

    package func erasures(after id: Int64?, limit: Int) async throws(StoreError) -> [ErasureRecord] {
        try await all(ErasureRecord.after) {
            $0.add(id ?? .min)
            $0.add(Int64(limit))
        }
    }

    package func bulkRun(_ key: BulkKey) async throws(StoreError) -> BulkRecord? {
        try await first(BulkRecord.byKey) { key.add(to: &$0) }
    }

    package func bulkRuns(after key: BulkKey?, limit: Int) async throws(StoreError) -> [BulkRecord] {
        let first = BulkKey("", in: NamespaceID(rawValue: .min), partition: PartitionID(rawValue: .min))
        return try await all(BulkRecord.after) {
            (key ?? first).add(to: &$0)
            $0.add(Int64(limit))
        }
    }

    package func bulkNames(of key: BulkKey, from number: Int64) async throws(StoreError) -> [InstanceName] {
        let piece: RunNames? = try await first(RunNames.byPiece) {
            key.add(to: &$0)
            $0.add(number / Int64(BulkRecord.namesOfPiece))
        }
        return piece.map { RunNames.names(in: $0.instances, from: number) } ?? []
    }
}
