package import GRDB

/// A daemon's database, opened beside the daemon.
package struct DatabaseFile: Sendable {
    private let path: String

    package init(_ path: String) {
        self.path = path
    }

    /// Reads from the database on a separate connection.
    package func read<Value>(_ body: (Database) throws -> Value) throws -> Value {
        var configuration = Configuration()
        configuration.readonly = true
        configuration.busyMode = .timeout(5)
        let queue = try DatabaseQueue(path: path, configuration: configuration)
        let value = try queue.read(body)
        try queue.close()
        return value
    }

    /// Writes to the database on a separate connection; for files that no daemon has open.
    package func change(_ sql: String) throws {
        let queue = try DatabaseQueue(path: path)
        try queue.write { try $0.execute(sql: sql) }
        try queue.close()
    }

    /// Writes to the database on a separate connection without foreign keys and checks, as a careless person could.
    package func changeUnchecked(_ sql: String) throws {
        let queue = try DatabaseQueue(path: path)
        try queue.inDatabase { database in
            try database.execute(sql: "PRAGMA foreign_keys = OFF; PRAGMA ignore_check_constraints = ON")
            try database.execute(sql: sql)
        }
        try queue.close()
    }

    /// Returns every row of every table but `place`, one in each line. Files with equal content give equal lines,
    /// wherever they are.
    package func dump() throws -> [String] {
        try read { database in
            let tables = try String.fetchAll(
                database, sql: "SELECT name FROM sqlite_master WHERE type = 'table' AND name <> 'place' ORDER BY 1")
            return try tables.flatMap { table in
                try Row.fetchAll(database, sql: "SELECT * FROM \"\(table)\"").map { "\(table): \($0.description)" }
            }
        }
    }

    /// Returns the result of SQLite's own check: `ok`, or the mistakes.
    package func integrityCheck() throws -> String {
        try read { try String.fetchAll($0, sql: "PRAGMA integrity_check").joined(separator: "\n") }
    }

    /// Returns the only number in the result of a query.
    package func number(_ sql: String) throws -> Int64 {
        try read { try Int64.fetchOne($0, sql: sql) ?? 0 }
    }
}
