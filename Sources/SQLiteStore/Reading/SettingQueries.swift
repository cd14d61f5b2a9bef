import GRDB
package import WorkflowStore

/// The reads and writes of what is set for machines.
enum SettingQueries {
    static func setting(_ database: Database, of key: MachineKey) throws -> MachineSetting? {
        var select = try PreparedStatement(
            database, "SELECT \(MachineSetting.columns) FROM machine_setting WHERE namespace_id = ? AND name = ?")
        select.bind(key.namespace.rawValue)
        select.bind(key.name.rawValue)
        return try select.first { row in try MachineSetting(row: &row) }
    }

    static func settings(_ database: Database, after key: MachineKey?, limit: Int) throws -> [MachineSetting] {
        var select = try PreparedStatement(
            database,
            """
            SELECT \(MachineSetting.columns) FROM machine_setting WHERE (namespace_id, name) > (?, ?)
            ORDER BY namespace_id, name LIMIT ?
            """)
        // No id of a namespace is as small, and no name is empty.
        select.bind(key?.namespace.rawValue ?? 0)
        select.bind(key?.name.rawValue ?? "")
        select.bind(Int64(limit))
        return try select.all { row in try MachineSetting(row: &row) }
    }

    static func settings(
        _ database: Database, in namespace: NamespaceID, after name: MachineName?, limit: Int
    ) throws -> [MachineSetting] {
        var select = try PreparedStatement(
            database,
            """
            SELECT \(MachineSetting.columns) FROM machine_setting WHERE namespace_id = ? AND name > ?
            ORDER BY name LIMIT ?
            """)
        select.bind(namespace.rawValue)
        select.bind(name?.rawValue ?? "")
        select.bind(Int64(limit))
        return try select.all { row in try MachineSetting(row: &row) }
    }
}

extension PreparedStatement {
    fileprivate mutating func all<T>(_ body: (inout StatementRow) throws -> T) throws -> [T] {
        var found: [T] = []
        try forEachRow { row in
            found.append(try body(&row))
            return true
        }
        return found
    }
}

extension SQLiteReading {
    package func machineSetting(of key: MachineKey) async throws(StoreError) -> MachineSetting? {
        try await readers.slice { database, _ in try SettingQueries.setting(database, of: key) }
    }

    package func machineSettings(
        in namespace: NamespaceID, after name: MachineName?, limit: Int
    ) async throws(StoreError) -> [MachineSetting] {
        try await readers.slice { database, _ in
            try SettingQueries.settings(database, in: namespace, after: name, limit: limit)
        }
    }
}

extension BatchWriting {
    func write(_ settings: [MachineSetting], _ database: Database) throws {
        for setting in settings {
            guard !setting.isStandard else {
                var delete = try PreparedStatement(
                    database, "DELETE FROM machine_setting WHERE namespace_id = ? AND name = ?", values: values)
                delete.bind(setting.key.namespace.rawValue)
                delete.bind(setting.key.name.rawValue)
                try delete.run()
                continue
            }
            var insert = try PreparedStatement(
                database,
                "INSERT OR REPLACE INTO machine_setting (\(MachineSetting.columns)) VALUES (?, ?, ?, ?, ?, ?, ?)",
                values: values)
            insert.bind(setting.key.namespace.rawValue)
            insert.bind(setting.key.name.rawValue)
            insert.bind(setting.active?.rawValue)
            insert.bind(setting.retention)
            insert.bind(setting.suspension?.at.rawValue)
            insert.bind(setting.suspension?.actor?.rawValue)
            insert.bind(setting.suspension?.reason)
            try insert.run()
        }
    }
}

extension MachineSetting {
    static let columns = "namespace_id, name, active, retention_ms, suspended_ms, suspended_by, suspended_why"

    init(row: inout StatementRow) throws {
        let namespace = try row.namespaceID()
        self.init(
            of: MachineKey(try row.machineName(), in: namespace),
            active: try row.optionalInteger(in: StoreNumbers.range).map(MachineVersion.init(rawValue:)),
            retention: try row.optionalInteger(in: 1...Timestamp.range.upperBound))
        let since = try row.optionalTime()
        let (actor, reason) = (try row.actor(), try row.optionalText())
        suspension = since.map { MachineSuspension(at: $0, by: actor, reason: reason) }
    }
}

/// What is set for machines, compared with their versions.
enum SettingInspection {
    /// What is read of each: its key first.
    static let rows = """
        SELECT \(MachineSetting.columns), EXISTS (
            SELECT 1 FROM machine m WHERE m.namespace_id = s.namespace_id AND m.name = s.name
            AND m.version = coalesce(s.active, m.version))
        FROM machine_setting s
        """

    /// What is wrong with a row; nil when its machine has the version that it names.
    static func inconsistency(of row: inout StatementRow) throws -> Inconsistency? {
        let setting = try MachineSetting(row: &row)
        if row.integer() == 1 { return nil }
        let version = setting.active.map { "version \($0) of " } ?? ""
        return Inconsistency("something is set for \(version)machine '\(setting.key.name)', which is not there")
    }
}
