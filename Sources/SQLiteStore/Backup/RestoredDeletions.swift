import GRDB
import Statechart
import WorkflowStore

/// The erasures and deletions that a database records; a backup must not bring their data back.
struct EarlierErasures {
    /// The store's UUID; `nil` if it cannot be read.
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

/// A deletion, as the database in which it happened records it.
struct EarlierDeletion {
    var audit: AuditRecord
    /// The seal of the machine version, because the version's id differs between files; `nil` if the version is
    /// missing.
    let seal: Digest?

    /// Reads all deletions, in the order in which they happened.
    static func all(_ database: Database) throws -> [EarlierDeletion] {
        // A file of an earlier schema records no deletions.
        guard try Table.audit.isThere(in: database) else { return [] }
        return try database.all(
            """
            SELECT \(AuditRecord.columns.of("a")), m.seal FROM audit a LEFT JOIN machine m ON m.id = a.machine_id
            ORDER BY a.position
            """
        ) { row in
            let audit = try AuditRecord(row: &row)
            return EarlierDeletion(audit: audit, seal: try row.optionalDigest())
        }
    }
}

/// Deletes from a copy of a backup the instances that were deleted since, before anybody is served from the copy.
///
/// The rows of `audit` are copied too, also for instances that the backup does not have: a later restore needs them. A
/// deleted instance of the backup loses its timers and effects here; the sweep removes its other rows later.
struct RestoredDeletions {
    /// The deletions that the copy does not record, in the order of their times.
    private let deletions: [EarlierDeletion]
    /// The instances of the copy that are to be deleted.
    private let instances: [UniqueID: InstanceID]
    private let row: StoreRow
    private let database: Database
    private let writing = BatchWriting(epoch: 0, values: BoundValues())

    /// The counts of the completed deletions.
    struct Outcome {
        /// The number of instances that were deleted from the copy.
        var deleted = 0
        /// The number of deletions whose instances the copy does not have.
        var kept = 0
        /// The highest time in the copy.
        var last: Timestamp
    }

    /// Collects the deletions that the copy does not record.
    ///
    /// - Parameter sources: The databases that record deletions.
    init(_ sources: [EarlierErasures], of row: StoreRow, in database: Database) throws {
        self.row = row
        self.database = database
        var known: Set<UniqueID> = []
        if try Table.audit.isThere(in: database) {
            var select = try PreparedStatement(database, "SELECT uuid FROM audit")
            known = Set(try select.all { row in try row.uniqueID() })
        }
        var fresh = sources.flatMap { source in
            source.deletions.filter { known.insert($0.audit.uuid).inserted }.map { ($0, source.store == row.uuid) }
        }
        let instances = try InstanceQueries.living(Set(fresh.map(\.0.audit.uuid)), database)
        // From another store, only the deletions of instances that the copy has are taken.
        fresh.removeAll { deletion, isSameStore in !isSameStore && instances[deletion.audit.uuid] == nil }
        deletions = fresh.map(\.0).sorted { $0.audit.at < $1.audit.at }
        self.instances = instances
    }

    /// True if there is nothing to delete or to record.
    var isEmpty: Bool { deletions.isEmpty }

    /// Carries out all deletions in one transaction. The copy must have the newest schema.
    ///
    /// - Parameter latest: The latest time that a deletion may have, by the clock of the copy.
    func carryOut(noLaterThan latest: Timestamp) throws -> Outcome {
        // Deleted bytes are overwritten, also by a build of SQLite that does not do so by default.
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
            // Times of deletions increase.
            audit.at = min(audit.at, latest)
            if let earliest { audit.at = max(audit.at, earliest) }
            let instance = try instances[audit.uuid].map(record)
            if let instance {
                gone.append(Self.gone(instance, &audit))
                tally.tally[TallyKey(instance), default: 0] -= 1
            } else {
                audit.instanceID = numbers.nextInstance
                numbers.nextInstance = InstanceID(rawValue: numbers.nextInstance.rawValue + 1)
                // Leaves as many positions before a deletion as the instance had rows.
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
        try AuditRecord.insert(audits, database)
        for (audit, head, seq) in ends { try writing.leave(to: head, seq, of: audit, database) }
        try writing.updateTally(of: [tally], database)
        try deleteParts(of: gone)
        try update(numbers)
        outcome.deleted = gone.count
        outcome.kept = audits.count - gone.count
        outcome.last = numbers.last
    }

    /// Returns an instance of the copy as it is after its deletion, and completes the row of `audit`. The backup may be
    /// older than the deletion; the instance then counts rows that the copy does not have.
    private static func gone(_ instance: InstanceRecord, _ audit: inout AuditRecord) -> InstanceRecord {
        var record = instance.purging
        audit.instanceID = instance.id
        if audit.machineID == AuditRecord.noMachine { audit.machineID = instance.machineID }
        // The backup may belong to another line of restores.
        if audit.rows < instance.seq.rawValue { (audit.rows, audit.digest) = (instance.seq.rawValue, instance.digest) }
        record.machineID = audit.machineID
        record.seq = Seq(rawValue: audit.rows)
        record.digest = audit.digest
        return record
    }

    private func record(_ id: InstanceID) throws -> InstanceRecord {
        guard let record = try InstanceRecord.first(database, "WHERE id = ?", id) else {
            throw SQLiteFailure.damage("an instance is found by one way only")
        }
        return record
    }

    private func machines() throws -> [Digest: MachineID] {
        let machines = try database.all("SELECT id, seal FROM machine") { row in
            let id = try row.machineID()
            return (try row.digest(), id)
        }
        return Dictionary(machines) { _, last in last }
    }

    /// Deletes the timers and effects of instances. These tables have no index by instance, so each is read once.
    private func deleteParts(of instances: [InstanceRecord]) throws {
        if instances.isEmpty { return }
        try database.execute(sql: "CREATE TEMP TABLE gone (id INTEGER NOT NULL PRIMARY KEY)")
        var insert = try PreparedStatement(database, "INSERT INTO temp.gone (id) VALUES (?)")
        for instance in instances {
            insert.bind(instance.id)
            try insert.run()
        }
        for table in ["timer", "effect"] {
            try database.execute(
                sql: "DELETE FROM \(table) WHERE instance_id IN (SELECT id FROM temp.gone)")
        }
    }

    /// Writes the next numbers, and records that any row before the last deletion may be missing.
    private func update(_ numbers: StoreNumbers) throws {
        try database.run(
            """
            UPDATE store SET next_position = ?1, next_instance = ?2, last_ms = ?3, purge_floor = ?1 - 1 WHERE id = 1
            """, numbers.nextPosition, numbers.nextInstance, numbers.last)
    }
}

/// Searches for instances by columns without an index.
enum InstanceQueries {
    /// Finds the instances that have one of some UUIDs and are not deleted. Reads the table once.
    static func living(_ uuids: Set<UniqueID>, _ database: Database) throws -> [UniqueID: InstanceID] {
        var found: [UniqueID: InstanceID] = [:]
        if uuids.isEmpty { return found }
        try database.forEachRow("SELECT id, uuid FROM instance WHERE status <> 'purging'") { row in
            let id = try row.instanceID()
            let uuid = try row.uniqueID()
            if uuids.contains(uuid) { found[uuid] = id }
            return true
        }
        return found
    }
}
