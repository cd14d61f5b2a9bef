import GRDB

/// Another program that reads the store and takes its time.
struct ForeignReader {
    private let connection: DatabaseQueue

    /// Begins a read transaction and stays in it.
    init(_ directory: TemporaryDirectory) throws {
        var configuration = Configuration()
        configuration.readonly = true
        configuration.allowsUnsafeTransactions = true
        connection = try DatabaseQueue(path: directory.store, configuration: configuration)
        try connection.inDatabase { database in
            try database.beginTransaction(.deferred)
            _ = try Int.fetchOne(database, sql: "SELECT count(*) FROM journal")
        }
    }

    func end() throws {
        try connection.inDatabase { database in try database.rollback() }
        try connection.close()
    }
}
