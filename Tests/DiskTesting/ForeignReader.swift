import GRDB

/// A reader of a store, in the role of another program that takes its time.
package struct ForeignReader {
    private let connection: DatabaseQueue

    /// Begins a read transaction on the database at a path, and keeps it open.
    package init(_ path: String) throws {
        var configuration = Configuration()
        configuration.readonly = true
        configuration.allowsUnsafeTransactions = true
        connection = try DatabaseQueue(path: path, configuration: configuration)
        try connection.inDatabase { database in
            try database.beginTransaction(.deferred)
            _ = try Int.fetchOne(database, sql: "SELECT count(*) FROM journal")
        }
    }

    /// Ends the transaction and closes the connection.
    package func end() throws {
        try connection.inDatabase { database in try database.rollback() }
        try connection.close()
    }
}
