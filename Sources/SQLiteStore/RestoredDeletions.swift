import GRDB
import Statechart
import WorkflowStore

/// What a backup must not bring back of a database.
struct EarlierErasures {
    /// Of the store; nil where nothing is known of it.
    var store: UniqueID?
    var erasures: [ErasureRecord] = []
    var deletions: [EarlierDeletion] = []

    init() {}

    init(of row: StoreRow?, _ database: Database) throws {
        store = row?.uuid
        erasures = try ErasureQueries.all(database, after: nil, limit: .max)
        deletions = try EarlierDeletion.all(database)
    }
}

/// A deletion, as the database says it from which something was deleted.
struct EarlierDeletion {
    var audit: AuditRecord
    /// Of the machine version: numbers of rows differ from file to file. Nil where the version is missing.
    let seal: Digest?

    /// In their order.
    static func all(_ database: Database) throws -> [EarlierDeletion] {
        // A file of an earlier schema keeps nothing of what was deleted.
        guard try AuditQueries.isThere(in: database) else { return [] }
        var deletions: [EarlierDeletion] = []
        var select = try PreparedStatement(
            database,
            """
            SELECT \(AuditRecord.columns(of: "a")), m.seal FROM audit a LEFT JOIN machine m ON m.id = a.machine_id
            ORDER BY a.position
            """)
        try select.forEachRow { row in
            let audit = try AuditRecord(row: &row)
            deletions.append(EarlierDeletion(audit: audit, seal: try row.optionalDigest()))
            return true
        }
        return deletions
    }
}

/// Deletes from a copy of a backup what was deleted since, before anybody is served from it.
///
/// The rows of `audit` come along: also those of instances that the backup does not have, for a restore after this one.
/// An instance that it has becomes one whose last rows are gone already, and the sweep takes the others.
struct RestoredDeletions {
    /// Deletions that the copy does not know, in the order of their times.
    private let deletions: [EarlierDeletion]
    /// The instances of the copy that are to go.
    private let instances: [UniqueID: InstanceID]
    private let row: StoreRow
    private let database: Database
    private let writing = BatchWriting(epoch: 0, values: BoundValues())

    /// What came of it.
    struct Outcome {
        /// Instances that the copy had.
        var deleted = 0
        /// Deletions of others.
        var kept = 0
        /// The highest time that the copy knows.
        var last: Timestamp
    }

    /// - Parameter sources: The databases that say what was deleted.
    init(_ sources: [EarlierErasures], of row: StoreRow, in database: Database) throws {
        self.row = row
        self.database = database
        var known: Set<UniqueID> = []
        if try AuditQueries.isThere(in: database) {
            var select = try PreparedStatement(database, "SELECT uuid FROM audit")
            try select.forEachRow { row in
                known.insert(try row.uniqueID())
                return true
            }
        }
        var fresh = sources.flatMap { source in
            source.deletions.filter { known.insert($0.audit.uuid).inserted }.map { ($0, source.store == row.uuid) }
        }
        let instances = try InstanceQueries.living(Set(fresh.map(\.0.audit.uuid)), database)
        // Of another store only what is here concerns anybody.
        fresh.removeAll { deletion, isSameStore in !isSameStore && instances[deletion.audit.uuid] == nil }
        deletions = fresh.map(\.0).sorted { $0.audit.at < $1.audit.at }
        self.instances = instances
    }

    /// Whether there is anything to do.
    var isEmpty: Bool { deletions.isEmpty }

    /// Does it, in one transaction. The schema must be the newest.
    ///
    /// - Parameter latest: No deletion was later, by the clock of the copy.
    func carryOut(noLaterThan latest: Timestamp) throws -> Outcome {
        // Also a build of SQLite that does not do so by itself overwrites what goes.
        try database.execute(sql: "PRAGMA secure_delete = ON")
        var outcome = Outcome(last: row.last)
        try database.inTransaction(.immediate) {
            try write(&outcome, noLaterThan: latest)
            return .commit
        }
        return outcome
    }

    private func write(_ outcome: inout Outcome, noLaterThan latest: Timestamp) throws {
        let machines = try machines()
        let earliest = try AuditQueries.last(database)?.at
        var numbers = row.numbers
        var tally = StoreBatch(numbers: numbers)
        var gone: [InstanceRecord] = []
        var audits: [AuditRecord] = []
        var ends: [(audit: AuditRecord, head: Position, seq: Seq)] = []
        for deletion in deletions {
            var audit = deletion.audit
            audit.machineID = deletion.seal.flatMap { machines[$0] } ?? AuditRecord.noMachine
            // Times of deletions rise.
            audit.at = min(audit.at, latest)
            if let earliest { audit.at = max(audit.at, earliest) }
            let instance = try instances[audit.uuid].map(record)
            if let instance {
                gone.append(Self.gone(instance, &audit))
                tally.tally[TallyKey(instance), default: 0] -= 1
            } else {
                audit.instanceID = numbers.nextInstance
                numbers.nextInstance = InstanceID(rawValue: numbers.nextInstance.rawValue + 1)
                // As many positions as it had rows are behind every deletion.
                numbers.nextPosition = Position(rawValue: numbers.nextPosition.rawValue + audit.rows)
            }
            audit.position = numbers.nextPosition.next
            numbers.nextPosition = audit.position.next
            numbers.last = max(numbers.last, audit.at)
            guard numbers.arePlausible else { throw SQLiteFailure.damage("what was deleted has no numbers left") }
            audits.append(audit)
            if let instance { ends.append((audit, instance.head, instance.seq)) }
        }
        try writing.freeNames(of: gone, database)
        try writing.insert(audits, database)
        for (audit, head, seq) in ends { try writing.leave(to: head, seq, of: audit, database) }
        try writing.updateTally(of: [tally], database)
        try deleteParts(of: gone)
        try update(numbers)
        outcome.deleted = gone.count
        outcome.kept = audits.count - gone.count
        outcome.last = numbers.last
    }

    /// An instance whose last rows are gone, where the backup is older than the deletion; and what says so.
    private static func gone(_ instance: InstanceRecord, _ audit: inout AuditRecord) -> InstanceRecord {
        var record = instance.purging
        audit.instanceID = instance.id
        if audit.machineID == AuditRecord.noMachine { audit.machineID = instance.machineID }
        // The backup may be of another line of restores.
        if audit.rows < instance.seq.rawValue { (audit.rows, audit.digest) = (instance.seq.rawValue, instance.digest) }
        record.machineID = audit.machineID
        record.seq = Seq(rawValue: audit.rows)
        record.digest = audit.digest
        return record
    }

    private func record(_ id: InstanceID) throws -> InstanceRecord {
        var select = try PreparedStatement(database, "SELECT \(InstanceRecord.columns) FROM instance WHERE id = ?")
        select.bind(id.rawValue)
        guard let record = try select.first({ row in try InstanceRecord(row: &row) }) else {
            throw SQLiteFailure.damage("an instance is found by one way only")
        }
        return record
    }

    private func machines() throws -> [Digest: MachineID] {
        var machines: [Digest: MachineID] = [:]
        var select = try PreparedStatement(database, "SELECT id, seal FROM machine")
        try select.forEachRow { row in
            let (id, seal) = (try row.machineID(), try row.digest())
            machines[seal] = id
            return true
        }
        return machines
    }

    /// Timers and effects have no index by instance: each table is gone through once.
    private func deleteParts(of instances: [InstanceRecord]) throws {
        if instances.isEmpty { return }
        try database.execute(sql: "CREATE TEMP TABLE gone (id INTEGER NOT NULL PRIMARY KEY)")
        var insert = try PreparedStatement(database, "INSERT INTO temp.gone (id) VALUES (?)")
        for instance in instances {
            insert.bind(instance.id.rawValue)
            try insert.run()
        }
        for table in ["timer", "effect"] {
            try database.execute(
                sql: "DELETE FROM \(table) WHERE instance_id IN (SELECT id FROM temp.gone)")
        }
    }

    /// Below the last deletion any row may be gone.
    private func update(_ numbers: StoreNumbers) throws {
        var update = try PreparedStatement(
            database,
            """
            UPDATE store SET next_position = ?1, next_instance = ?2, last_ms = ?3, purge_floor = ?1 - 1 WHERE id = 1
            """)
        update.bind(numbers.nextPosition.rawValue)
        update.bind(numbers.nextInstance.rawValue)
        update.bind(numbers.last.rawValue)
        try update.run()
    }
}

extension TallyKey {
    fileprivate init(_ instance: InstanceRecord) {
        self.init(
            machineID: instance.machineID, status: instance.status, configuration: instance.state.configuration)
    }
}

/// Looking for instances by what has no index.
enum InstanceQueries {
    /// Those that are not deleted and have one of some UUIDs: all are looked at once.
    static func living(_ uuids: Set<UniqueID>, _ database: Database) throws -> [UniqueID: InstanceID] {
        var found: [UniqueID: InstanceID] = [:]
        if uuids.isEmpty { return found }
        var select = try PreparedStatement(database, "SELECT id, uuid FROM instance WHERE status <> 'purging'")
        try select.forEachRow { row in
            let id = try row.instanceID()
            let uuid = try row.uniqueID()
            if uuids.contains(uuid) { found[uuid] = id }
            return true
        }
        return found
    }
}
