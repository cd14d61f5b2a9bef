import GRDB

/// The store's file as another program sees it.
struct RawFile {
    let path: String

    init(_ directory: TemporaryDirectory) {
        path = directory.store
    }

    /// Runs SQL on a separate connection, and closes it.
    func execute(_ sql: String) throws {
        let connection = try DatabaseQueue(path: path)
        try connection.inDatabase { database in try database.execute(sql: sql) }
        try connection.close()
    }

    /// Runs SQL while an index is hidden, so that the index stays as it was.
    func execute(_ sql: String, behind index: String) throws {
        let row = try change { database in
            let row = try Row.fetchOne(database, sql: "SELECT * FROM sqlite_master WHERE name = ?", arguments: [index])
            try database.execute(sql: "DELETE FROM sqlite_master WHERE name = ?", arguments: [index])
            return row
        }
        try execute(sql)
        guard let row else { throw DatabaseError(message: "there is no index '\(index)'") }
        try change { database in
            try database.execute(
                sql: "INSERT INTO sqlite_master VALUES (?, ?, ?, ?, ?)",
                arguments: StatementArguments(row.databaseValues))
        }
    }

    /// Changes the rows of the schema.
    private func change<Value>(_ body: (Database) throws -> Value) throws -> Value {
        let connection = try DatabaseQueue(path: path)
        let value = try connection.inDatabase { database in
            try database.execute(sql: "PRAGMA writable_schema = ON")
            return try body(database)
        }
        try connection.close()
        return value
    }

    /// Returns the first value of a query, as text.
    func value(_ sql: String) throws -> String? {
        let connection = try DatabaseQueue(path: path)
        let value = try connection.inDatabase { database in
            try String.fetchOne(database, sql: "SELECT CAST((\(sql)) AS TEXT)")
        }
        try connection.close()
        return value
    }

    /// Runs SQL without the triggers of a table, and puts them back word for word.
    func forge(_ table: String, _ sql: String) throws {
        let connection = try DatabaseQueue(path: path)
        try connection.inDatabase { database in
            let triggers = try Row.fetchAll(
                database, sql: "SELECT name, sql FROM sqlite_master WHERE type = 'trigger' AND tbl_name = ?",
                arguments: [table])
            try database.execute(sql: "PRAGMA foreign_keys = OFF")
            for trigger in triggers { try database.execute(sql: "DROP TRIGGER \(trigger["name"] as String)") }
            try database.execute(sql: sql)
            for trigger in triggers { try database.execute(sql: trigger["sql"]) }
        }
        try connection.close()
    }
}
