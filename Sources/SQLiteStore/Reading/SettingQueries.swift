import GRDB
package import WorkflowStore

/// The reads of machine settings.
enum SettingQueries {
    static func settings(_ database: Database, after key: MachineKey?, limit: Int) throws -> [MachineSetting] {
        // No namespace has so small an id, and no name is empty.
        try MachineSetting.all(
            database, "WHERE (namespace_id, name) > (?, ?) ORDER BY namespace_id, name LIMIT ?",
            key ?? MachineKey("", in: NamespaceID(rawValue: 0)), limit)
    }

    static func settings(
        _ database: Database, in namespace: NamespaceID, after name: MachineName?, limit: Int
    ) throws -> [MachineSetting] {
        try MachineSetting.all(
            database, "WHERE namespace_id = ? AND name > ? ORDER BY name LIMIT ?", namespace, name ?? "", limit)
    }
}

extension SQLiteReading {
    package func machineSetting(of key: MachineKey) async throws(StoreError) -> MachineSetting? {
        try await readers.slice { database, _ in
            try MachineSetting.first(database, "WHERE namespace_id = ? AND name = ?", key)
        }
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
            if setting.isStandard {
                try database.run(
                    "DELETE FROM machine_setting WHERE namespace_id = ? AND name = ?", setting.key, values: values)
            } else {
                try MachineSetting.insert([setting], database, "INSERT OR REPLACE", values: values)
            }
        }
    }
}
