import GRDB
import GRDBSQLite
import WorkflowStore

/// The pragmas of a connection, in the order in which they are set; each is read back.
struct ConnectionSettings: Sendable {
    struct Setting: Sendable {
        let pragma: String
        /// What reading it back must give.
        let value: String
    }

    let settings: [Setting]
    let isReader: Bool
    /// The bound; nil keeps SQLite's own.
    var valueBytes: CInt?

    /// Alone with a copy that is flushed at the end: no index of a log beside it, and no flushing between.
    static func ofCopy() -> Configuration {
        var configuration = Configuration()
        configuration.prepareDatabase { database in
            try database.execute(
                sql: """
                    PRAGMA locking_mode = EXCLUSIVE;
                    PRAGMA synchronous = OFF;
                    PRAGMA trusted_schema = OFF;
                    PRAGMA cell_size_check = ON;
                    """)
        }
        return configuration
    }

    /// The one connection that writes and checkpoints.
    static func writer(_ limits: StoreLimits) -> ConnectionSettings {
        ConnectionSettings(
            settings: [
                // First, because reaching WAL may need a lock.
                Setting(pragma: "busy_timeout", value: "\(limits.busyMilliseconds)"),
                Setting(pragma: "journal_mode", value: "wal"),
                // FULL: an fsync for every commit.
                Setting(pragma: "synchronous", value: "2"),
                Setting(pragma: "foreign_keys", value: "1"),
                Setting(pragma: "trusted_schema", value: "0"),
                Setting(pragma: "cell_size_check", value: "1"),
                // Only `maintain` and `close` checkpoint. It also takes SQLite's own hook off the log.
                Setting(pragma: "wal_autocheckpoint", value: "0"),
                // The log's file is cut when the log starts over after a peak.
                Setting(pragma: "journal_size_limit", value: "\(limits.logBytes)"),
                // What is erased is overwritten; some builds of SQLite do it by themselves.
                Setting(pragma: "secure_delete", value: "1"),
                Setting(pragma: "cache_size", value: "-\(limits.writerCacheKiB)"),
            ], isReader: false, valueBytes: limits.valueBytes)
    }

    /// A read-only connection.
    static func reader(_ limits: StoreLimits) -> ConnectionSettings {
        ConnectionSettings(
            settings: [
                Setting(pragma: "busy_timeout", value: "\(limits.busyMilliseconds)"),
                Setting(pragma: "trusted_schema", value: "0"),
                Setting(pragma: "cell_size_check", value: "1"),
                Setting(pragma: "cache_size", value: "-\(limits.readerCacheKiB)"),
            ], isReader: true)
    }

    /// What GRDB needs to know to open the connection to `file`.
    func configuration(_ label: String, _ file: StoreFile) -> Configuration {
        var configuration = Configuration()
        configuration.readonly = isReader
        configuration.label = label
        // A transaction that SQLite could not end stays open until the next attempt; GRDB would stop the process.
        configuration.allowsUnsafeTransactions = true
        configuration.prepareDatabase { database in try self.apply(to: database, file) }
        return configuration
    }

    /// Sets every pragma and reads it back.
    private func apply(to database: Database, _ file: StoreFile) throws {
        if let valueBytes { sqlite3_limit(database.sqliteConnection, SQLITE_LIMIT_LENGTH, valueBytes) }
        for setting in settings {
            try database.execute(sql: "PRAGMA \(setting.pragma) = \(setting.value)")
            let found = try Self.value(of: setting.pragma, on: database)
            guard found == setting.value else {
                throw StoreError(
                    .cannotOpen,
                    "Cannot open '\(file.given)': PRAGMA \(setting.pragma) did not take: wanted \(setting.value), "
                        + "found \(found ?? "nothing")")
            }
        }
    }

    /// What a pragma without argument answers.
    static func value(of pragma: String, on database: Database) throws -> String? {
        var select = try PreparedStatement(database, "PRAGMA \(pragma)")
        // SQLite gives the text of a number too.
        return try select.first { row in try row.text() }
    }
}
