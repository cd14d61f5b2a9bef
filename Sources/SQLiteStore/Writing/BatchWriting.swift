import GRDB
import Statechart
import WorkflowStore

/// Writes the rows of batches inside a transaction that somebody else begins and ends.
struct BatchWriting {
    let epoch: Int64
    /// The place of the file, which a release of effects writes. Nil when nobody asks for it.
    var place: StorePlace?
    let values: BoundValues

    /// What is known about keys, and about what was deleted.
    struct Marks {
        var ledger: KeyLedger
        var backlog: PurgeBacklog
    }

    /// Writes batches, each on top of the one before. Returns what is known afterwards.
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
            try insert(batch.machines, database)
            try insert(batch.newInstances, database)
        }
        try updateInstances(of: batches, database)
        try updateTally(of: batches, database)
        for batch in batches {
            try insert(batch.journal, database)
            try insert(batch.snapshots, database)
            try delete(batch.endedTimers, database)
            try insert(batch.armedTimers, database)
            try writeEffects(of: batch, database)
            try write(batch.changedSettings, database)
            try writeHeld(of: batch, database)
            try writeRuns(of: batch, database)
            try insert(batch.keys, database)
            try insert(batch.purged, of: batch, database)
            try erase(batch.erasure, keysBelow: marks.ledger.floor, database)
        }
        return marks
    }

    /// Fence, allocator and clock mark in one write.
    ///
    /// - Parameter purged: Above all rows that were taken away.
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
        update.bind(numbers.nextPosition.rawValue)
        update.bind(numbers.nextInstance.rawValue)
        update.bind(numbers.nextMachine.rawValue)
        update.bind(numbers.last.rawValue)
        update.bind(ledger.floor.rawValue)
        update.bind(ledger.forgotten.rawValue)
        update.bind(ledger.count)
        update.bind(purged.rawValue)
        update.bind(epoch)
        try update.run()
        try requireEpoch(update)
    }

    /// Lets the highest time begin anew; the rows that are there count no more.
    func acceptClock(_ ledger: KeyLedger, on database: Database) throws {
        var update = try PreparedStatement(
            database,
            """
            UPDATE store SET last_ms = ?1, clock_ms = ?1, clock_position = ?2, dedupe_ms = ?3
            WHERE id = 1 AND epoch = ?4
            """)
        update.bind(ledger.begin.time.rawValue)
        update.bind(ledger.begin.position.rawValue)
        update.bind(ledger.forgotten.rawValue)
        update.bind(epoch)
        try update.run()
        try requireEpoch(update)
    }

    private func requireEpoch(_ update: PreparedStatement) throws {
        guard update.changes == 1 else {
            throw StoreError(.fenced, "Cannot write: another process has taken the store over; stop this one")
        }
    }

    private func insert(_ machines: [MachineRecord], _ database: Database) throws {
        guard !machines.isEmpty else { return }
        var insert = try PreparedStatement(
            database,
            "INSERT INTO machine (\(MachineRecord.columns), seal) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
            values: values)
        for machine in machines {
            insert.bind(machine.id.rawValue)
            insert.bind(machine.name.rawValue)
            insert.bind(machine.version.rawValue)
            insert.bind(machine.digest)
            insert.bind(machine.semantics)
            insert.bind(machine.source)
            insert.bind(machine.created.rawValue)
            insert.bind(machine.namespace.rawValue)
            insert.bind(Digest(sealing: machine))
            try insert.run()
        }
    }

    private func insert(_ instances: [InstanceRecord], _ database: Database) throws {
        guard !instances.isEmpty else { return }
        var insert = try PreparedStatement(
            database,
            """
            INSERT INTO instance (\(InstanceRecord.columns))
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """, values: values)
        for instance in instances {
            insert.bind(instance.id.rawValue)
            insert.bind(instance.uuid)
            insert.bind(instance.name.rawValue)
            insert.bind(instance.machineID.rawValue)
            insert.bind(instance.status.rawValue)
            insert.bind(instance.seq.rawValue)
            insert.bind(instance.head.rawValue)
            insert.bind(instance.state.configuration)
            insert.bind(instance.state.context)
            insert.bind(instance.state.memory)
            insert.bind(instance.state.armed)
            insert.bind(instance.state.output)
            insert.bind(instance.failure)
            insert.bind(instance.entered.rawValue)
            insert.bind(instance.salt)
            insert.bind(instance.saltFrom.rawValue)
            insert.bind(instance.digest)
            insert.bind(instance.created.rawValue)
            insert.bind(instance.updated.rawValue)
            insert.bind(instance.namespace.rawValue)
            try insert.run()
        }
    }

    private func insert(_ rows: [JournalRecord], _ database: Database) throws {
        guard !rows.isEmpty else { return }
        var insert = try PreparedStatement(
            database,
            """
            INSERT INTO journal (\(JournalRecord.columns)) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """, values: values)
        // By their places: a copy of a row would count the references of all of its texts.
        for place in rows.indices {
            insert.bind(rows[place].position.rawValue)
            insert.bind(rows[place].instanceID.rawValue)
            insert.bind(rows[place].machineID.rawValue)
            insert.bind(rows[place].seq.rawValue)
            insert.bind(rows[place].previous?.rawValue)
            insert.bind(rows[place].at.rawValue)
            insert.bind(rows[place].real?.rawValue)
            insert.bind(rows[place].kind.rawValue)
            insert.bind(rows[place].event)
            insert.bind(rows[place].storedData)
            insert.bind(rows[place].from)
            insert.bind(rows[place].to)
            insert.bind(rows[place].actor?.rawValue)
            insert.bind(rows[place].key)
            insert.bind(rows[place].note)
            insert.bind(rows[place].salt.stored)
            insert.bind(rows[place].digest)
            try insert.run()
        }
    }

    private func insert(_ snapshots: [SnapshotRecord], _ database: Database) throws {
        guard !snapshots.isEmpty else { return }
        var insert = try PreparedStatement(
            database,
            "INSERT INTO snapshot (\(SnapshotRecord.columns)) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            values: values)
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
            insert.bind(snapshot.salt?.bytes)
            insert.bind(snapshot.digest)
            try insert.run()
        }
    }
}

extension BatchWriting {
    /// Without `machine_id` and `status`: naming them would rewrite the list index for every event, because SQLite
    /// decides by the statement's columns, not by the values. `failure` is NULL before and after: only an instance
    /// that fails has one, and what it fails from and to is another status, or written with `updateMoved`.
    private static let updateInPlace = """
        UPDATE instance SET seq = ?, head = ?, configuration = ?, context = ?, memory = ?, armed = ?, output = ?,
            entered_ms = ?, digest = ?, updated_ms = ?
        WHERE id = ? AND machine_id = ? AND status = ?
        """

    private static let updateMoved = """
        UPDATE instance SET seq = ?, head = ?, configuration = ?, context = ?, memory = ?, armed = ?, output = ?,
            entered_ms = ?, digest = ?, updated_ms = ?, machine_id = ?, status = ?, failure = ?
        WHERE id = ?
        """

    /// Writes each changed instance once, as the last of the batches has it.
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
        var inPlace = try PreparedStatement(database, Self.updateInPlace, values: values)
        for place in instances.indices where isWanted(instances[place].id) {
            // Written before the names of new ones.
            if instances[place].status == .purging { continue }
            if instances[place].failure != nil {
                try updateMoved(instances, place, database)
                continue
            }
            bindState(of: instances, place, to: &inPlace)
            inPlace.bind(instances[place].id.rawValue)
            inPlace.bind(instances[place].machineID.rawValue)
            inPlace.bind(instances[place].status.rawValue)
            try inPlace.run()
            if inPlace.changes == 0 { try updateMoved(instances, place, database) }
        }
    }

    private func updateMoved(_ instances: [InstanceRecord], _ place: Int, _ database: Database) throws {
        let instance = instances[place]
        var update = try PreparedStatement(database, Self.updateMoved, values: values)
        bindState(of: instances, place, to: &update)
        update.bind(instance.machineID.rawValue)
        update.bind(instance.status.rawValue)
        update.bind(instance.failure)
        update.bind(instance.id.rawValue)
        try update.run()
        guard update.changes == 1 else {
            throw StoreError(.constraint, "Cannot write: there is no instance '\(instance.name)' to change")
        }
    }

    func bindState(
        of instances: [InstanceRecord], _ place: Int, to statement: inout PreparedStatement
    ) {
        statement.bind(instances[place].seq.rawValue)
        statement.bind(instances[place].head.rawValue)
        statement.bind(instances[place].state.configuration)
        statement.bind(instances[place].state.context)
        statement.bind(instances[place].state.memory)
        statement.bind(instances[place].state.armed)
        statement.bind(instances[place].state.output)
        statement.bind(instances[place].entered.rawValue)
        statement.bind(instances[place].digest)
        statement.bind(instances[place].updated.rawValue)
    }
}

// MARK: Timers

extension BatchWriting {
    func insert(_ timers: [TimerRecord], _ database: Database) throws {
        guard !timers.isEmpty else { return }
        var insert = try PreparedStatement(
            database, "INSERT INTO timer (\(TimerRecord.columns)) VALUES (?, ?, ?, ?, ?)", values: values)
        for timer in timers {
            bind(timer.key, to: &insert)
            insert.bind(timer.instanceID.rawValue)
            insert.bind(timer.event)
            try insert.run()
        }
    }

    func delete(_ timers: [TimerKey], _ database: Database) throws {
        guard !timers.isEmpty else { return }
        var delete = try PreparedStatement(
            database, "DELETE FROM timer WHERE due_ms = ? AND position = ? AND ordinal = ?", values: values)
        for key in timers {
            bind(key, to: &delete)
            try delete.run()
            guard delete.changes == 1 else {
                throw StoreError(.constraint, "Cannot write: a timer that ended is not in the store")
            }
        }
    }

    private func bind(_ key: TimerKey, to statement: inout PreparedStatement) {
        statement.bind(key.due.rawValue)
        statement.bind(key.position.rawValue)
        statement.bind(key.ordinal)
    }
}

// MARK: Keys

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
            SELECT position, instance_id, machine_id, coalesce(real_ms, at_ms), kind, key, salt FROM journal
            WHERE position >= ? ORDER BY position LIMIT ?
            """)
        select.bind(ledger.floor.rawValue)
        select.bind(Int64(retention.rows))
        try select.forEachRow { row in
            let (position, instance, machine) = (try row.position(), try row.instanceID(), try row.machineID())
            let used = ledger.begin.time(try row.time(), of: position)
            let isStart = try row.text() == JournalKind.started.rawValue
            let isOld = retention.oldest.map { used < $0 } ?? false
            guard isOld || ledger.count > retention.count else { return false }
            if let bytes = row.optionalBytes() {
                let key = RequestKey(bytes: bytes)
                // What looks new would be taken for new.
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
