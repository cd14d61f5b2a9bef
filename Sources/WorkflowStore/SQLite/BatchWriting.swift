import GRDB
import Statechart

/// Writes the rows of a batch inside a transaction that somebody else begins and ends.
struct BatchWriting {
    let epoch: Int64

    /// Returns what is known about keys afterwards.
    func write(_ batch: StoreBatch, _ ledger: KeyLedger, on database: Database) throws -> KeyLedger {
        var ledger = ledger
        if let retention = batch.retention { ledger = try forgetKeys(retention, ledger, database) }
        ledger.count += Int64(batch.keys.count)
        try updateStore(batch.numbers, ledger, database)
        try insert(batch.machines, database)
        try insert(batch.newInstances, database)
        try update(batch.changedInstances, database)
        try insert(batch.journal, database)
        try insert(batch.snapshots, database)
        try delete(batch.endedTimers, database)
        try insert(batch.armedTimers, database)
        try insert(batch.keys, database)
        return ledger
    }

    /// Fence, allocator and clock mark in one write.
    private func updateStore(_ numbers: StoreNumbers, _ ledger: KeyLedger, _ database: Database) throws {
        var update = try PreparedStatement(
            database,
            """
            UPDATE store SET next_position = ?, next_instance = ?, last_ms = ?, dedupe_floor = ?, dedupe_ms = ?,
                dedupe_count = ?
            WHERE id = 1 AND epoch = ?
            """)
        update.bind(numbers.nextPosition.rawValue)
        update.bind(numbers.nextInstance.rawValue)
        update.bind(numbers.last.rawValue)
        update.bind(ledger.floor.rawValue)
        update.bind(ledger.forgotten.rawValue)
        update.bind(ledger.count)
        update.bind(epoch)
        try update.run()
        guard update.changes == 1 else {
            throw StoreError(.fenced, "Cannot write: another process has taken the store over; stop this one")
        }
    }

    private func insert(_ machines: [MachineRecord], _ database: Database) throws {
        guard !machines.isEmpty else { return }
        var insert = try PreparedStatement(
            database,
            "INSERT INTO machine (namespace_id, \(MachineRecord.columns)) VALUES (1, ?, ?, ?, ?, ?, ?, ?)")
        for machine in machines {
            insert.bind(machine.id.rawValue)
            insert.bind(machine.name)
            insert.bind(machine.version)
            insert.bind(machine.digest.bytes)
            insert.bind(machine.semantics)
            insert.bind(machine.source)
            insert.bind(machine.created.rawValue)
            try insert.run()
        }
    }

    private func insert(_ instances: [InstanceRecord], _ database: Database) throws {
        guard !instances.isEmpty else { return }
        var insert = try PreparedStatement(
            database,
            """
            INSERT INTO instance (namespace_id, \(InstanceRecord.columns))
            VALUES (1, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """)
        for instance in instances {
            insert.bind(instance.id.rawValue)
            insert.bind(instance.uuid.bytes)
            insert.bind(instance.name)
            insert.bind(instance.machineID.rawValue)
            insert.bind(instance.status.rawValue)
            insert.bind(instance.seq.rawValue)
            insert.bind(instance.head.rawValue)
            insert.bind(instance.state.configuration)
            insert.bind(instance.state.context)
            insert.bind(instance.state.memory)
            insert.bind(instance.state.armed)
            insert.bind(instance.state.output)
            insert.bind(instance.armedAt.listText)
            insert.bind(instance.digest.bytes)
            insert.bind(instance.created.rawValue)
            insert.bind(instance.updated.rawValue)
            try insert.run()
        }
    }

    private func insert(_ rows: [JournalRecord], _ database: Database) throws {
        guard !rows.isEmpty else { return }
        var insert = try PreparedStatement(
            database,
            """
            INSERT INTO journal (\(JournalRecord.columns)) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """)
        for row in rows {
            insert.bind(row.position.rawValue)
            insert.bind(row.instanceID.rawValue)
            insert.bind(row.machineID.rawValue)
            insert.bind(row.seq.rawValue)
            insert.bind(row.previous?.rawValue)
            insert.bind(row.at.rawValue)
            insert.bind(row.real?.rawValue)
            insert.bind(row.kind.rawValue)
            insert.bind(row.event)
            insert.bind(row.data)
            insert.bind(row.from)
            insert.bind(row.to)
            insert.bind(row.actor)
            insert.bind(row.key)
            insert.bind(row.digest.bytes)
            try insert.run()
        }
    }

    private func insert(_ snapshots: [SnapshotRecord], _ database: Database) throws {
        guard !snapshots.isEmpty else { return }
        var insert = try PreparedStatement(
            database,
            "INSERT INTO snapshot (\(SnapshotRecord.columns), digest) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")
        for snapshot in snapshots {
            insert.bind(snapshot.instanceID.rawValue)
            insert.bind(snapshot.seq.rawValue)
            insert.bind(snapshot.position.rawValue)
            insert.bind(snapshot.status.rawValue)
            insert.bind(snapshot.state.configuration)
            insert.bind(snapshot.state.context)
            insert.bind(snapshot.state.memory)
            insert.bind(snapshot.state.armed)
            insert.bind(snapshot.state.output)
            insert.bind(Digest(snapshot: snapshot).bytes)
            try insert.run()
        }
    }
}

extension BatchWriting {
    /// Without `machine_id` and `status`: naming them would rewrite the list index for every event, because SQLite
    /// decides by the statement's columns, not by the values.
    private static let updateInPlace = """
        UPDATE instance SET seq = ?, head = ?, configuration = ?, context = ?, memory = ?, armed = ?, output = ?,
            armed_at = ?, digest = ?, updated_ms = ?
        WHERE id = ? AND machine_id = ? AND status = ?
        """

    private static let updateMoved = """
        UPDATE instance SET seq = ?, head = ?, configuration = ?, context = ?, memory = ?, armed = ?, output = ?,
            armed_at = ?, digest = ?, updated_ms = ?, machine_id = ?, status = ?
        WHERE id = ?
        """

    private func update(_ instances: [InstanceRecord], _ database: Database) throws {
        guard !instances.isEmpty else { return }
        var inPlace = try PreparedStatement(database, Self.updateInPlace)
        for instance in instances {
            bindState(instance, to: &inPlace)
            inPlace.bind(instance.id.rawValue)
            inPlace.bind(instance.machineID.rawValue)
            inPlace.bind(instance.status.rawValue)
            try inPlace.run()
            if inPlace.changes == 0 { try updateMoved(instance, database) }
        }
    }

    private func updateMoved(_ instance: InstanceRecord, _ database: Database) throws {
        var update = try PreparedStatement(database, Self.updateMoved)
        bindState(instance, to: &update)
        update.bind(instance.machineID.rawValue)
        update.bind(instance.status.rawValue)
        update.bind(instance.id.rawValue)
        try update.run()
        guard update.changes == 1 else {
            throw StoreError(.constraint, "Cannot write: there is no instance '\(instance.name)' to change")
        }
    }

    private func bindState(_ instance: InstanceRecord, to statement: inout PreparedStatement) {
        statement.bind(instance.seq.rawValue)
        statement.bind(instance.head.rawValue)
        statement.bind(instance.state.configuration)
        statement.bind(instance.state.context)
        statement.bind(instance.state.memory)
        statement.bind(instance.state.armed)
        statement.bind(instance.state.output)
        statement.bind(instance.armedAt.listText)
        statement.bind(instance.digest.bytes)
        statement.bind(instance.updated.rawValue)
    }
}
