import GRDB
import Statechart
import WorkflowStore

/// The reads that the readers and the writer share.
enum StoreQueries {
    // What an index leads to is compared with what was asked for. The row is read through its number: SQLite takes the
    // columns that an index has from the index (where.c, sqlite3WhereEnd), which would be compared with itself.

    static func machine(_ database: Database, _ key: MachineKey, version: MachineVersion?) throws -> MachineRecord? {
        var select = try PreparedStatement(
            database,
            """
            SELECT \(MachineRecord.columns) FROM (
                SELECT id AS found FROM machine
                WHERE namespace_id = ?1 AND name = ?2 AND (?3 IS NULL OR version = ?3)
                ORDER BY version DESC LIMIT 1
            ) LEFT JOIN machine ON id = found
            """)
        select.bind(key.namespace.rawValue)
        select.bind(key.name.rawValue)
        select.bind(version?.rawValue)
        let machine = try select.first { row in
            guard row.integer(at: MachineRecord.namespaceColumn) == key.namespace.rawValue,
                try row.text(at: 1).utf8.elementsEqual(key.name.rawValue.utf8)
            else { throw misled("machines' names") }
            return try MachineRecord(row: &row)
        }
        if let machine, let version, machine.version != version { throw misled("machines' names") }
        return machine
    }

    private static func misled(_ index: String) -> SQLiteFailure {
        .damage("the index of \(index) leads to a row that does not have it")
    }

    static func machine(_ database: Database, _ id: MachineID) throws -> MachineRecord? {
        var select = try PreparedStatement(
            database, "SELECT \(MachineRecord.columns) FROM machine WHERE id = ?")
        select.bind(id.rawValue)
        return try select.first { row in try MachineRecord(row: &row) }
    }

    static func instance(_ database: Database, _ key: InstanceKey) throws -> InstanceRecord? {
        var select = try PreparedStatement(
            database,
            """
            SELECT \(InstanceRecord.columns) FROM (
                SELECT id AS found FROM instance WHERE namespace_id = ? AND name = ?
            ) LEFT JOIN instance ON id = found
            WHERE status IS NOT 'purging'
            """)
        select.bind(key.namespace.rawValue)
        select.bind(key.name.rawValue)
        return try select.first { row in
            guard row.integer(at: InstanceRecord.namespaceColumn) == key.namespace.rawValue,
                try row.text(at: 2).utf8.elementsEqual(key.name.rawValue.utf8)
            else { throw misled("instances' names") }
            return try InstanceRecord(row: &row)
        }
    }

    /// The name of the machine of a namespace that comes next in the order of bytes.
    static func machineName(
        _ database: Database, in namespace: NamespaceID, after name: MachineName?
    ) throws -> MachineName? {
        var select = try PreparedStatement(
            database,
            "SELECT name FROM machine WHERE namespace_id = ? AND name > ? ORDER BY name LIMIT 1")
        select.bind(namespace.rawValue)
        // No name is empty.
        select.bind(name?.rawValue ?? "")
        return try select.first { row in try row.machineName() }
    }

    /// Names of instances of the same namespace that stand before (`<`) or from (`>=`) a name on in the order of bytes,
    /// the nearest first.
    static func instanceNames(
        _ database: Database, before isBefore: Bool, _ key: InstanceKey, limit: Int
    ) throws -> [InstanceName] {
        var select = try PreparedStatement(
            database,
            """
            SELECT name FROM instance
            WHERE namespace_id = ? AND name \(isBefore ? "<" : ">=") ? AND status <> 'purging'
            ORDER BY name \(isBefore ? "DESC" : "ASC") LIMIT ?
            """)
        select.bind(key.namespace.rawValue)
        select.bind(key.name.rawValue)
        select.bind(Int64(limit))
        var names: [InstanceName] = []
        try select.forEachRow { row in
            names.append(try row.instanceName())
            return true
        }
        return names
    }

    static func instance(_ database: Database, _ id: InstanceID) throws -> InstanceRecord? {
        var select = try PreparedStatement(
            database, "SELECT \(InstanceRecord.columns) FROM instance WHERE id = ? AND status <> 'purging'")
        select.bind(id.rawValue)
        return try select.first { row in try InstanceRecord(row: &row) }
    }

    static func instances(_ database: Database, _ ids: [InstanceID]) throws -> [InstanceRecord] {
        var select = try PreparedStatement(
            database,
            """
            SELECT \(InstanceRecord.columns) FROM (SELECT value AS wanted FROM json_each(?))
            CROSS JOIN instance ON instance.id = wanted WHERE status <> 'purging'
            """)
        select.bind("[\(ids.map { String($0.rawValue) }.joined(separator: ","))]")
        var found: [InstanceRecord] = []
        found.reserveCapacity(ids.count)
        try select.forEachRow { row in
            found.append(try InstanceRecord(row: &row))
            return true
        }
        return found
    }

    static func instanceKey(_ database: Database, _ id: InstanceID) throws -> InstanceKey? {
        var select = try PreparedStatement(
            database,
            "SELECT namespace_id, name FROM instance WHERE id = ? AND status <> 'purging'")
        select.bind(id.rawValue)
        return try select.first { row in
            let namespace = try row.namespaceID()
            return InstanceKey(try row.instanceName(), in: namespace)
        }
    }

    /// Running instances whose last row is of a later time; reads all of them.
    static func ahead(_ database: Database, of now: Timestamp) throws -> AcceptedClock {
        var select = try PreparedStatement(
            database, "SELECT name FROM instance WHERE updated_ms > ? AND status = 'running' ORDER BY id")
        select.bind(now.rawValue)
        var ahead = AcceptedClock(ahead: 0, names: [])
        try select.forEachRow { row in
            if ahead.ahead < 3 { ahead.names.append(try row.instanceName()) }
            ahead.ahead += 1
            return true
        }
        return ahead
    }

    static func row(_ database: Database, at position: Position) throws -> JournalRecord? {
        var select = try PreparedStatement(
            database, "SELECT \(JournalRecord.columns) FROM journal WHERE position = ?")
        select.bind(position.rawValue)
        return try select.first { row in try JournalRecord(row: &row) }
    }

    static func timers(_ database: Database, limit: Int) throws -> [TimerRecord] {
        var select = try PreparedStatement(
            database,
            "SELECT \(TimerRecord.columns) FROM timer ORDER BY due_ms, position, ordinal LIMIT ?")
        select.bind(Int64(limit))
        var timers: [TimerRecord] = []
        try select.forEachRow { row in
            timers.append(try TimerRecord(row: &row))
            return true
        }
        return timers
    }

    static func position(_ database: Database, of key: RequestKey, in scope: KeyScope) throws -> Position? {
        var select = try PreparedStatement(database, "SELECT position FROM dedupe WHERE key = ? AND scope = ?")
        select.bind(key.bytes)
        select.bind(scope.rawValue)
        return try select.first { row in try row.position() }
    }

    /// Within what a row's key names one request; nil where its machine is missing.
    static func scope(_ database: Database, of row: JournalRecord) throws -> KeyScope? {
        guard row.kind == .started else { return .instance(row.instanceID) }
        return try firstVersion(database, of: row.machineID).map(KeyScope.machine)
    }

    /// The first version of the machine that a version belongs to.
    static func firstVersion(_ database: Database, of machine: MachineID) throws -> MachineID? {
        var select = try PreparedStatement(
            database,
            """
            SELECT first.id FROM machine CROSS JOIN machine AS first
                ON first.namespace_id = machine.namespace_id AND first.name = machine.name AND first.version = 1
            WHERE machine.id = ?
            """)
        select.bind(machine.rawValue)
        return try select.first { row in try row.machineID() }
    }
}
