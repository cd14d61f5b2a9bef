import GRDB
import WorkflowStore

/// The reads that applying a command needs, on any connection.
protocol SQLiteLookup: StoreLookup {
    func read<T>(_ body: (Database) throws -> T) throws(StoreError) -> T
}

extension SQLiteLookup {
    /// A lookup is a prepared statement in this process.
    package var prefetch: (any StorePrefetch)? { nil }

    package func machine(_ key: MachineKey, version: MachineVersion?) throws(StoreError) -> MachineRecord? {
        try read { database in try StoreQueries.machine(database, key, version: version) }
    }

    package func machine(_ id: MachineID) throws(StoreError) -> MachineRecord? {
        try read { database in try MachineRecord.first(database, "WHERE id = ?", id) }
    }

    package func instance(_ key: InstanceKey) throws(StoreError) -> InstanceRecord? {
        try read { database in try StoreQueries.instance(database, key) }
    }

    package func instances(_ ids: [InstanceID]) throws(StoreError) -> [InstanceRecord] {
        try read { database in try StoreQueries.instances(database, ids) }
    }

    package func instanceKey(_ id: InstanceID) throws(StoreError) -> InstanceKey? {
        try read { database in try StoreQueries.instanceKey(database, id) }
    }

    package func position(of key: RequestKey, in scope: KeyScope) throws(StoreError) -> Position? {
        try read { database in try StoreQueries.position(database, of: key, in: scope) }
    }

    package func audit(key: Digest) throws(StoreError) -> AuditRecord? {
        try read { database in try AuditRecord.first(database, "WHERE key = ? ORDER BY position LIMIT 1", key) }
    }

    package func lastChangeNumber() throws(StoreError) -> Int64? {
        try read { database in try ChangeQueries.lastNumber(database) }
    }

    package func effect(_ id: Position) throws(StoreError) -> EffectRecord? {
        try read { database in try EffectRecord.first(database, "WHERE id = ?", id) }
    }

    package func attempt(_ number: Int64, of effect: Position) throws(StoreError) -> AttemptRecord? {
        try read { database in try AttemptRecord.first(database, "WHERE effect = ? AND attempt = ?", effect, number) }
    }

    package func row(at position: Position) throws(StoreError) -> JournalRecord? {
        try read { database in try JournalRecord.first(database, "WHERE position = ?", position) }
    }

    package func openErasure(of instance: InstanceID) throws(StoreError) -> ErasureRecord? {
        try read { database in
            try ErasureRecord.first(database, "WHERE instance_id = ? AND seq IS NOT NULL ORDER BY id LIMIT 1", instance)
        }
    }

    package func readyEffects(
        in partition: PartitionID, queue: String, due: Timestamp, limit: Int, except isLeftOut: (Position) -> Bool
    ) throws(StoreError) -> [EffectRecord] {
        guard partition == .first else { return [] }
        return try read { database in
            try EffectQueries.ready(database, queue: queue, due: due, limit: limit, except: isLeftOut)
        }
    }

    package func nextReady(
        in partition: PartitionID, queue: String, after time: Timestamp?
    ) throws(StoreError) -> Timestamp? {
        guard partition == .first else { return nil }
        return try read { database in try EffectQueries.nextReady(database, queue: queue, after: time) }
    }

    package func leasedEffects(
        in partition: PartitionID, after id: Position?, limit: Int
    ) throws(StoreError) -> [EffectRecord] {
        guard partition == .first else { return [] }
        return try read { database in try EffectQueries.all(database, in: .leased, after: id, limit: limit) }
    }

    package func heldEffects(
        in partition: PartitionID, after id: Position?, limit: Int
    ) throws(StoreError) -> [EffectRecord] {
        guard partition == .first else { return [] }
        return try read { database in try EffectQueries.all(database, in: .held, after: id, limit: limit) }
    }

    package func queueRecords(after queue: String?, limit: Int) throws(StoreError) -> [QueueRecord] {
        try read { database in
            // No name is empty.
            try QueueRecord.all(database, "WHERE name > ? ORDER BY name LIMIT ?", queue ?? "", limit)
        }
    }

    package func machineSettings(after key: MachineKey?, limit: Int) throws(StoreError) -> [MachineSetting] {
        try read { database in try SettingQueries.settings(database, after: key, limit: limit) }
    }

    package func isHeld() throws(StoreError) -> Bool {
        try read { database in try PreparedStatement.number(database, "SELECT held FROM store WHERE id = 1") != 0 }
    }

    package func bulkRun(_ key: BulkKey) throws(StoreError) -> BulkRecord? {
        try read { database in try BulkRecord.first(database, BulkKey.condition, key) }
    }

    package func queues(in partition: PartitionID, after queue: String?, limit: Int) throws(StoreError) -> [String] {
        guard partition == .first else { return [] }
        return try read { database in try EffectQueries.queues(database, after: queue, limit: limit) }
    }
}
