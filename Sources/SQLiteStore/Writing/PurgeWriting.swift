import GRDB
import Statechart
import WorkflowStore

// The rows that a batch writes for deleted instances.

extension BatchWriting {
    /// Takes the names of deleted instances away, before a new instance gets one of them.
    func freeNames(of instances: [InstanceRecord], _ database: Database) throws {
        for instance in instances where instance.status == .purging {
            let statement = try PreparedStatement(
                database,
                "\(InstanceRecord.updateStep), machine_id = ?, status = ?, failure = ?, name = ? WHERE id = ?",
                values: values)
            var update = ColumnBinder<InstanceRecord>(statement: statement)
            InstanceRecord.describeStep(instance, &update)
            update.statement.bind(instance.machineID, instance.status, instance.failure, instance.name, instance.id)
            try update.statement.run()
            try update.statement.requireChange("there is no instance to delete")
        }
    }

    /// Writes the deletions, and the last row of each deleted instance.
    func insert(_ audits: [AuditRecord], of batch: StoreBatch, _ database: Database) throws {
        guard !audits.isEmpty else { return }
        try AuditRecord.insert(audits, database, values: values)
        var heads: [InstanceID: Position] = [:]
        for instance in batch.newInstances + batch.changedInstances { heads[instance.id] = instance.head }
        for audit in audits {
            guard let head = heads[audit.instanceID] else {
                throw StoreError(.constraint, "Cannot write: an instance that is deleted is not in the batch")
            }
            try leave(to: head, Seq(rawValue: audit.rows), of: audit, database)
        }
    }

    /// Lets the sweep remove a deleted instance's rows, up to a given row.
    func leave(to head: Position, _ seq: Seq, of audit: AuditRecord, _ database: Database) throws {
        let left = PurgeRecord(
            waits: false, head: head, instanceID: audit.instanceID, seq: seq, audit: audit.position)
        try PurgeRecord.insert([left], database, values: values)
    }
}

/// Reads deletions, and the rows that are left to delete.
enum AuditQueries {
    /// Returns the latest deletion.
    static func last(_ database: Database) throws -> AuditRecord? {
        try Table.audit.isThere(in: database) ? AuditRecord.first(database, "ORDER BY position DESC LIMIT 1") : nil
    }

    /// Returns the position of the latest deletion, whatever the rest of its row contains.
    static func lastPosition(_ database: Database) throws -> Position? {
        guard try Table.audit.isThere(in: database) else { return nil }
        let positions = StoreNumbers.range
        let last = try PreparedStatement.number(
            database, "SELECT coalesce(max(position), 0) FROM audit WHERE position <= \(positions.upperBound)")
        return positions.contains(last) ? Position(rawValue: last) : nil
    }

    /// Returns the backlog of deleted instances; reads the whole table `purge`.
    static func backlog(_ database: Database, floor: Position) throws -> PurgeBacklog {
        var backlog = PurgeBacklog(floor: floor)
        guard try Table.audit.isThere(in: database) else { return backlog }
        try database.forEachRow(
            "SELECT waits, head, seq FROM purge ORDER BY waits, head"
        ) { row in
            let (waits, head, seq) = (try row.flag(), try row.position(), try row.ordinal())
            if waits {
                backlog.waiting += 1
                backlog.firstWaiting = backlog.firstWaiting ?? head
            } else {
                backlog.instances += 1
                backlog.rows += min(seq, StoreNumbers.range.upperBound - backlog.rows)
            }
            return true
        }
        return backlog
    }
}
