import GRDB
import Statechart
package import WorkflowStore

// What a batch says of instances that it deletes.

extension BatchWriting {
    /// Takes their names away, before a new instance is given one of them.
    func freeNames(of instances: [InstanceRecord], _ database: Database) throws {
        for place in instances.indices where instances[place].status == .purging {
            var update = try PreparedStatement(
                database,
                """
                UPDATE instance SET seq = ?, head = ?, configuration = ?, context = ?, memory = ?, armed = ?,
                    output = ?, entered_ms = ?, digest = ?, updated_ms = ?, machine_id = ?, status = ?, failure = ?,
                    name = ?
                WHERE id = ?
                """, values: values)
            bindState(of: instances, place, to: &update)
            update.bind(instances[place].machineID.rawValue)
            update.bind(instances[place].status.rawValue)
            update.bind(instances[place].failure)
            update.bind(instances[place].name.rawValue)
            update.bind(instances[place].id.rawValue)
            try update.run()
            guard update.changes == 1 else {
                throw StoreError(.constraint, "Cannot write: there is no instance to delete")
            }
        }
    }

    /// Writes what stays of them, and where their rows end.
    func insert(_ audits: [AuditRecord], of batch: StoreBatch, _ database: Database) throws {
        guard !audits.isEmpty else { return }
        try insert(audits, database)
        var heads: [InstanceID: Position] = [:]
        for instance in batch.newInstances + batch.changedInstances { heads[instance.id] = instance.head }
        for audit in audits {
            guard let head = heads[audit.instanceID] else {
                throw StoreError(.constraint, "Cannot write: an instance that is deleted is not in the batch")
            }
            try leave(to: head, Seq(rawValue: audit.rows), of: audit, database)
        }
    }

    /// Writes the rows of `audit` for instances that are deleted.
    func insert(_ audits: [AuditRecord], _ database: Database) throws {
        var insert = try PreparedStatement(
            database, "INSERT INTO audit (\(AuditRecord.columns)) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            values: values)
        for audit in audits {
            insert.bind(audit.position.rawValue)
            insert.bind(audit.instanceID.rawValue)
            insert.bind(audit.uuid)
            insert.bind(audit.namespace.rawValue)
            insert.bind(audit.machineID.rawValue)
            insert.bind(audit.rows)
            insert.bind(audit.digest)
            insert.bind(audit.at.rawValue)
            insert.bind(audit.actor?.rawValue)
            insert.bind(audit.reason)
            insert.bind(audit.key?.bytes ?? [])
            try insert.run()
        }
    }

    /// Lets the sweep remove a deleted instance's rows, up to a given row.
    func leave(to head: Position, _ seq: Seq, of audit: AuditRecord, _ database: Database) throws {
        var purge = try PreparedStatement(
            database, "INSERT INTO purge (waits, head, instance_id, seq, audit) VALUES (0, ?, ?, ?, ?)",
            values: values)
        purge.bind(head.rawValue)
        purge.bind(audit.instanceID.rawValue)
        purge.bind(seq.rawValue)
        purge.bind(audit.position.rawValue)
        try purge.run()
    }
}

extension AuditRecord {
    private static let names = [
        "position", "instance_id", "uuid", "namespace_id", "machine_id", "rows", "digest", "at_ms", "actor", "reason",
        "key",
    ]
    static let columns = names.joined(separator: ", ")

    /// `columns`, where another table has some of the same names.
    static func columns(of table: String) -> String { names.map { "\(table).\($0)" }.joined(separator: ", ") }

    init(row: inout StatementRow) throws {
        self.init(
            position: try row.position(), instanceID: try row.instanceID(), uuid: try row.uniqueID(),
            namespace: try row.namespaceID(), machineID: MachineID(rawValue: try row.count()), rows: try row.ordinal(),
            digest: try row.digest(), at: try row.time(), actor: try row.actor(), reason: try row.optionalText(),
            key: try row.optionalDigest())
    }
}

/// Reading what was deleted.
enum AuditQueries {
    /// Whether the schema has it: a file that is only read may be of an earlier one.
    static func isThere(in database: Database) throws -> Bool { try TallyInspection.isThere(in: database) }

    /// The deletion that was asked for with a key.
    static func audit(_ database: Database, key: Digest) throws -> AuditRecord? {
        var select = try PreparedStatement(
            database, "SELECT \(AuditRecord.columns) FROM audit WHERE key = ? ORDER BY position LIMIT 1")
        select.bind(key)
        return try select.first { row in try AuditRecord(row: &row) }
    }

    /// The latest deletion.
    static func last(_ database: Database) throws -> AuditRecord? {
        guard try isThere(in: database) else { return nil }
        var select = try PreparedStatement(
            database, "SELECT \(AuditRecord.columns) FROM audit ORDER BY position DESC LIMIT 1")
        return try select.first { row in try AuditRecord(row: &row) }
    }

    /// The position of the latest deletion, whatever else its row says.
    static func lastPosition(_ database: Database) throws -> Position? {
        guard try isThere(in: database) else { return nil }
        let positions = StoreNumbers.range
        let last = try PreparedStatement.number(
            database, "SELECT coalesce(max(position), 0) FROM audit WHERE position <= \(positions.upperBound)")
        return positions.contains(last) ? Position(rawValue: last) : nil
    }

    /// What is left of what was deleted; reads the whole table of it.
    static func backlog(_ database: Database, floor: Position) throws -> PurgeBacklog {
        var backlog = PurgeBacklog(floor: floor)
        guard try isThere(in: database) else { return backlog }
        var select = try PreparedStatement(
            database, "SELECT waits, head, seq FROM purge ORDER BY waits, head")
        try select.forEachRow { row in
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

extension SQLiteReading {
    package func audits(
        in namespace: NamespaceID, before position: Position?, limit: Int
    ) async throws(StoreError) -> [AuditRecord] {
        try await readers.slice { database, budget in
            guard try AuditQueries.isThere(in: database) else { return [] }
            var select = try PreparedStatement(
                database,
                """
                SELECT \(AuditRecord.columns) FROM audit WHERE position < ? AND namespace_id = ?
                ORDER BY position DESC LIMIT ?
                """)
            select.bind(position?.rawValue ?? .max)
            select.bind(namespace.rawValue)
            select.bind(Int64(min(limit, self.limits.historyRows)))
            var audits: [AuditRecord] = []
            try select.forEachRow { row in
                audits.append(try AuditRecord(row: &row))
                return true
            }
            return audits
        }
    }
}
