import GRDB
import Statechart
import WorkflowStore

/// Writes the rows of batches inside a transaction that its caller begins and ends.
struct BatchWriting {
    let epoch: Int64
    /// The place of the file, which a release of effects writes; `nil` if the place need not be written.
    var place: StorePlace?
    let values: BoundValues

    /// The ledger of keys, and the backlog of deleted instances.
    struct Marks {
        var ledger: KeyLedger
        var backlog: PurgeBacklog
    }

    /// Writes batches, each on top of the one before. Returns the ledger and the backlog afterwards.
    func write(_ batches: [StoreBatch], _ marks: Marks, on database: Database) throws -> Marks {
        var marks = marks
        var floor = Position(rawValue: 0)
        for batch in batches {
            if let retention = batch.retention { marks.ledger = try forgetKeys(retention, marks.ledger, database) }
            if let order = batch.sweep {
                var sweep = try PurgeSweep(order, marks.ledger, marks.backlog, values: values, database)
                try sweep.run()
                marks = Marks(ledger: sweep.ledger, backlog: sweep.backlog)
                floor = max(floor, sweep.floor)
            }
        }
        for batch in batches {
            marks.ledger.count += Int64(batch.keys.count)
            marks.backlog.instances += Int64(batch.purged.count)
            marks.backlog.rows += batch.purged.reduce(0) { $0 + $1.rows }
        }
        marks.backlog.floor = marks.ledger.floor
        if let last = batches.last { try updateStore(last.numbers, marks.ledger, purged: floor, database) }
        for batch in batches where !batch.purged.isEmpty { try freeNames(of: batch.changedInstances, database) }
        for batch in batches {
            try MachineRecord.insertSealed(batch.machines, database, values: values)
            try InstanceRecord.insert(batch.newInstances, database, values: values)
        }
        try updateInstances(of: batches, database)
        try updateTally(of: batches, database)
        for batch in batches {
            try JournalRecord.insert(batch.journal, database, values: values)
            try SnapshotRecord.insert(batch.snapshots, database, values: values)
            try delete(batch.endedTimers, database)
            try TimerRecord.insert(batch.armedTimers, database, values: values)
            try writeEffects(of: batch, database)
            try write(batch.changedSettings, database)
            try writeHeld(of: batch, database)
            try writeRuns(of: batch, database)
            try KeyRecord.insert(batch.keys, database, values: values)
            try insert(batch.purged, of: batch, database)
            try ChangeRecord.insert(batch.changes, database, values: values)
            try erase(batch.erasure, keysBelow: marks.ledger.floor, database)
        }
        return marks
    }

    /// Updates the fence, the next numbers and the highest time in one write.
    ///
    /// - Parameter purged: The position above all removed rows.
    private func updateStore(
        _ numbers: StoreNumbers, _ ledger: KeyLedger, purged: Position, _ database: Database
    ) throws {
        var update = try PreparedStatement(
            database,
            """
            UPDATE store SET next_position = ?, next_instance = ?, next_machine = ?, last_ms = ?, dedupe_floor = ?,
                dedupe_ms = ?, dedupe_count = ?, purge_floor = max(purge_floor, ?)
            WHERE id = 1 AND epoch = ?
            """)
        update.bind(numbers.nextPosition)
        update.bind(numbers.nextInstance)
        update.bind(numbers.nextMachine)
        update.bind(numbers.last)
        update.bind(ledger.floor)
        update.bind(ledger.forgotten)
        update.bind(ledger.count)
        update.bind(purged)
        update.bind(epoch)
        try update.run()
        try requireEpoch(update)
    }

    /// Restarts the highest time at the accepted clock's begin. The times of existing rows no longer count.
    ///
    /// - Parameter change: The record of the change, at the begin's position.
    func acceptClock(_ ledger: KeyLedger, _ change: ChangeRecord, on database: Database) throws {
        var update = try PreparedStatement(
            database,
            """
            UPDATE store SET last_ms = ?1, clock_ms = ?1, clock_position = ?2, dedupe_ms = ?3, next_position = ?4
            WHERE id = 1 AND epoch = ?5
            """, ledger.begin.time, ledger.begin.position, ledger.forgotten, change.position.next, epoch)
        try update.run()
        try requireEpoch(update)
        try ChangeRecord.insert([change], database)
    }

    private func requireEpoch(_ update: PreparedStatement) throws {
        guard update.changes == 1 else {
            throw StoreError(.fenced, "Cannot write: another process has taken the store over; stop this one")
        }
    }
}

extension BatchWriting {
    /// The update leaves out `machine_id` and `status`. Naming them would rewrite the list index for every event,
    /// because SQLite decides by the statement's columns, not by the values. `failure` is NULL before and after: only a
    /// failed instance has one. An instance that fails or recovers changes its status, or is written with
    /// `updateMoved`.
    private static let updateInPlace = "\(InstanceRecord.updateStep) WHERE id = ? AND machine_id = ? AND status = ?"

    private static let updateMoved =
        "\(InstanceRecord.updateStep), machine_id = ?, status = ?, failure = ? WHERE id = ?"

    /// Writes each changed instance once, in the state after the last batch.
    private func updateInstances(of batches: [StoreBatch], _ database: Database) throws {
        var written: Set<InstanceID> = []
        for batch in batches.reversed() {
            try update(batch.changedInstances, database) { batches.count == 1 || written.insert($0).inserted }
        }
        for batch in batches where !batch.erasure.instances.isEmpty {
            try updateNamed(batch.changedInstances.filter { batch.erasure.instances.contains($0.id) }, database)
        }
    }

    private func update(
        _ instances: [InstanceRecord], _ database: Database, where isWanted: (InstanceID) -> Bool
    ) throws {
        guard !instances.isEmpty else { return }
        let statement = try PreparedStatement(database, Self.updateInPlace, values: values)
        var inPlace = ColumnBinder<InstanceRecord>(statement: statement)
        for place in instances.indices where isWanted(instances[place].id) {
            // `freeNames` has written a deleted instance before any new name.
            if instances[place].status == .purging { continue }
            if instances[place].failure != nil {
                try updateMoved(instances[place], database)
                continue
            }
            InstanceRecord.describeStep(instances[place], &inPlace)
            inPlace.statement.bind(instances[place].id)
            inPlace.statement.bind(instances[place].machineID)
            inPlace.statement.bind(instances[place].status)
            try inPlace.statement.run()
            if inPlace.statement.changes == 0 { try updateMoved(instances[place], database) }
        }
    }

    private func updateMoved(_ instance: InstanceRecord, _ database: Database) throws {
        let statement = try PreparedStatement(database, Self.updateMoved, values: values)
        var update = ColumnBinder<InstanceRecord>(statement: statement)
        InstanceRecord.describeStep(instance, &update)
        update.statement.bind(instance.machineID, instance.status, instance.failure, instance.id)
        try update.statement.run()
        try update.statement.requireChange("there is no instance '\(instance.name)' to change")
    }
}

// MARK: Timers

extension BatchWriting {
    func delete(_ timers: [TimerKey], _ database: Database) throws {
        guard !timers.isEmpty else { return }
        var delete = try PreparedStatement(
            database, "DELETE FROM timer WHERE due_ms = ? AND position = ? AND ordinal = ?", values: values)
        for key in timers {
            delete.bind(key)
            try delete.run()
            try delete.requireChange("a timer that ended is not in the store")
        }
    }
}

// MARK: Keys

extension BatchWriting {
    /// Walks the journal from the last stop and forgets keys until a key must be kept.
    func forgetKeys(_ retention: KeyRetention, _ ledger: KeyLedger, _ database: Database) throws -> KeyLedger {
        var ledger = ledger
        try database.forEachRow(
            """
            SELECT position, instance_id, machine_id, coalesce(real_ms, at_ms), kind, key, salt FROM journal
            WHERE position >= ? ORDER BY position LIMIT ?
            """, ledger.floor, retention.rows
        ) { row in
            let (position, instance, machine) = (try row.position(), try row.instanceID(), try row.machineID())
            let used = ledger.begin.time(try row.time(), of: position)
            let isStart = try row.text() == JournalKind.started.rawValue
            let isOld = retention.oldest.map { used < $0 } ?? false
            guard isOld || ledger.count > retention.count else { return false }
            if let bytes = row.optionalBytes() {
                let key = RequestKey(bytes: bytes)
                // A forgotten key with so recent a time would be accepted as a new key.
                if let time = key.time, time >= retention.newest { return false }
                let isRedacted = row.optionalBytes()?.isEmpty ?? false
                if isRedacted, key.isText { try forgetText(at: position, database) }
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
            database, "DELETE FROM dedupe WHERE key = ? AND scope = ? AND position = ?", key, scope, position,
            values: values)
        try delete.run()
        try delete.requireChange("a key that is to be forgotten is not in the store")
    }

    private func scope(of machine: MachineID, _ database: Database) throws -> KeyScope {
        guard let first = try StoreQueries.firstVersion(database, of: machine) else {
            throw StoreError(.constraint, "Cannot write: the machine of a key is not in the store")
        }
        return .machine(first)
    }
}
