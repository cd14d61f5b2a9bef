import GRDB
import Statechart
import WorkflowStore

/// The reads that the readers and the writer share.
enum StoreQueries {
    // The row behind an index entry is compared with the request. The row is read through its number: SQLite takes the
    // columns that an index has from the index (where.c, sqlite3WhereEnd), which would compare the index with itself.

    static func machine(_ database: Database, _ key: MachineKey, version: MachineVersion?) throws -> MachineRecord? {
        let machine = try database.first(
            """
            SELECT \(MachineRecord.columns) FROM (
                SELECT id AS found FROM machine
                WHERE namespace_id = ?1 AND name = ?2 AND (?3 IS NULL OR version = ?3)
                ORDER BY version DESC LIMIT 1
            ) LEFT JOIN machine ON id = found
            """, key, version
        ) { row in
            guard row.integer(at: MachineRecord.places.namespace) == key.namespace.rawValue,
                try row.text(at: MachineRecord.places.name).utf8.elementsEqual(key.name.rawValue.utf8)
            else { throw misled("machines' names") }
            return try MachineRecord(row: &row)
        }
        if let machine, let version, machine.version != version { throw misled("machines' names") }
        return machine
    }

    private static func misled(_ index: String) -> SQLiteFailure {
        .damage("the index of \(index) leads to a row that does not have it")
    }

    static func instance(_ database: Database, _ key: InstanceKey) throws -> InstanceRecord? {
        return try database.first(
            """
            SELECT \(InstanceRecord.columns) FROM (
                SELECT id AS found FROM instance WHERE namespace_id = ? AND name = ?
            ) LEFT JOIN instance ON id = found
            WHERE status IS NOT 'purging'
            """, key
        ) { row in
            guard row.integer(at: InstanceRecord.places.namespace) == key.namespace.rawValue,
                try row.text(at: InstanceRecord.places.name).utf8.elementsEqual(key.name.rawValue.utf8)
            else { throw misled("instances' names") }
            return try InstanceRecord(row: &row)
        }
    }

    /// Returns the name of a namespace's next machine in the order of bytes.
    static func machineName(
        _ database: Database, in namespace: NamespaceID, after name: MachineName?
    ) throws -> MachineName? {
        // No name is empty.
        try database.first(
            "SELECT name FROM machine WHERE namespace_id = ? AND name > ? ORDER BY name LIMIT 1", namespace, name ?? ""
        ) { row in try row.machineName() }
    }

    /// Returns names of instances of the same namespace before (`<`) or from (`>=`) a name in the order of bytes, the
    /// nearest first.
    static func instanceNames(
        _ database: Database, before isBefore: Bool, _ key: InstanceKey, limit: Int
    ) throws -> [InstanceName] {
        return try database.all(
            """
            SELECT name FROM instance
            WHERE namespace_id = ? AND name \(isBefore ? "<" : ">=") ? AND status <> 'purging'
            ORDER BY name \(isBefore ? "DESC" : "ASC") LIMIT ?
            """, key, limit
        ) { row in try row.instanceName() }
    }

    static func instances(_ database: Database, _ ids: [InstanceID]) throws -> [InstanceRecord] {
        try database.all(
            """
            SELECT \(InstanceRecord.columns) FROM (SELECT value AS wanted FROM json_each(?))
            CROSS JOIN instance ON instance.id = wanted WHERE status <> 'purging'
            """, "[\(ids.map { String($0.rawValue) }.joined(separator: ","))]"
        ) { row in try InstanceRecord(row: &row) }
    }

    static func instanceKey(_ database: Database, _ id: InstanceID) throws -> InstanceKey? {
        return try database.first(
            "SELECT namespace_id, name FROM instance WHERE id = ? AND status <> 'purging'", id
        ) { row in
            let namespace = try row.namespaceID()
            return InstanceKey(try row.instanceName(), in: namespace)
        }
    }

    /// Returns the running instances whose last row has a later time; reads all instances.
    static func ahead(_ database: Database, of now: Timestamp) throws -> AcceptedClock {
        var ahead = AcceptedClock(ahead: 0, names: [])
        try database.forEachRow(
            "SELECT name FROM instance WHERE updated_ms > ? AND status = 'running' ORDER BY id", now
        ) { row in
            if ahead.ahead < 3 { ahead.names.append(try row.instanceName()) }
            ahead.ahead += 1
            return true
        }
        return ahead
    }

    static func position(_ database: Database, of key: RequestKey, in scope: KeyScope) throws -> Position? {
        var select = try PreparedStatement(database, "SELECT position FROM dedupe WHERE key = ? AND scope = ?")
        select.bind(key)
        select.bind(scope)
        return try select.first { row in try row.position() }
    }

    /// Returns the scope in which a row's key names one request; `nil` if the row's machine is missing.
    static func scope(_ database: Database, of row: JournalRecord) throws -> KeyScope? {
        guard row.kind == .started else { return .instance(row.instanceID) }
        return try firstVersion(database, of: row.machineID).map(KeyScope.machine)
    }

    /// Returns the first version of the machine that a version belongs to.
    static func firstVersion(_ database: Database, of machine: MachineID) throws -> MachineID? {
        return try database.first(
            """
            SELECT first.id FROM machine CROSS JOIN machine AS first
                ON first.namespace_id = machine.namespace_id AND first.name = machine.name AND first.version = 1
            WHERE machine.id = ?
            """, machine
        ) { row in try row.machineID() }
    }
}
