import GRDB
import GRDBSQLite
import WorkflowStore

/// The pragmas of a connection, in the order in which they are set. Each is read back.
struct ConnectionSettings: Sendable {
    struct Setting: Sendable {
        let pragma: String
        /// The value that reading back must return.
        let value: String
    }

    let settings: [Setting]
    let isReader: Bool
    /// The longest value in bytes; `nil` keeps SQLite's own limit.
    var valueBytes: CInt?

    /// Returns the configuration for exclusive use of a copy that is flushed at the end. There is no index of a log
    /// beside the copy, and no flush in between.
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

    /// Returns the settings of the one connection that writes and checkpoints.
    static func writer(_ limits: StoreLimits) -> ConnectionSettings {
        ConnectionSettings(
            settings: [
                // The timeout comes first, because reaching WAL may need a lock.
                Setting(pragma: "busy_timeout", value: "\(limits.busyMilliseconds)"),
                Setting(pragma: "journal_mode", value: "wal"),
                // FULL: an fsync for every commit.
                Setting(pragma: "synchronous", value: "2"),
                Setting(pragma: "foreign_keys", value: "1"),
                Setting(pragma: "trusted_schema", value: "0"),
                Setting(pragma: "cell_size_check", value: "1"),
                // Only `maintain` and `close` checkpoint. The pragma also removes SQLite's own hook from the log.
                Setting(pragma: "wal_autocheckpoint", value: "0"),
                // The log's file is truncated when the log starts over after a peak.
                Setting(pragma: "journal_size_limit", value: "\(limits.logBytes)"),
                // SQLite overwrites erased data; some builds do so by default.
                Setting(pragma: "secure_delete", value: "1"),
                Setting(pragma: "cache_size", value: "-\(limits.writerCacheKiB)"),
            ], isReader: false, valueBytes: limits.valueBytes)
    }

    /// Returns the settings of a read-only connection.
    static func reader(_ limits: StoreLimits) -> ConnectionSettings {
        ConnectionSettings(
            settings: [
                Setting(pragma: "busy_timeout", value: "\(limits.busyMilliseconds)"),
                Setting(pragma: "trusted_schema", value: "0"),
                Setting(pragma: "cell_size_check", value: "1"),
                Setting(pragma: "cache_size", value: "-\(limits.readerCacheKiB)"),
            ], isReader: true)
    }

    /// Returns the GRDB configuration of a connection to `file`.
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

    /// Returns the value of a pragma.
    static func value(of pragma: String, on database: Database) throws -> String? {
        var select = try PreparedStatement(database, "PRAGMA \(pragma)")
        // SQLite converts a number to text.
        return try select.first { row in try row.text() }
    }
}
