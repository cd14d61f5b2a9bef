import GRDB
import WorkflowStore

/// The reads and writes of the one row in `place`.
enum PlaceQueries {
    private static let columns = "filesystem, inode, machine"

    /// The place of the file when its effects were last let start; nil when it has no such row.
    static func read(_ database: Database) throws -> StorePlace? {
        guard try isThere(in: database) else { return nil }
        var select = try PreparedStatement(database, "SELECT \(columns) FROM place WHERE id = 1")
        return try select.first { row in
            let fileSystem = try row.optionalPart()
            let inode = row.optionalInteger().map { UInt64(bitPattern: $0) }
            return StorePlace(fileSystem: fileSystem, inode: inode, machine: try row.optionalPart())
        }
    }

    /// Writes the place of the file, inside a transaction or outside. Does nothing in a file of an earlier schema,
    /// which has no such table.
    static func write(_ place: StorePlace, _ database: Database) throws {
        guard try isThere(in: database) else { return }
        var insert = try PreparedStatement(
            database, "INSERT OR REPLACE INTO place (id, \(columns)) VALUES (1, ?, ?, ?)")
        insert.bind(place.fileSystem)
        insert.bind(place.inode.map { Int64(bitPattern: $0) })
        insert.bind(place.machine)
        try insert.run()
    }

    /// False for a file of an earlier schema: a file that is only read, or one that is not upgraded yet.
    private static func isThere(in database: Database) throws -> Bool {
        try PreparedStatement.number(database, "SELECT count(*) FROM sqlite_schema WHERE name = 'place'") > 0
    }
}

extension StatementRow {
    /// Reads a part that is text: one line of at most 200 bytes.
    fileprivate mutating func optionalPart() throws(SQLiteFailure) -> String? {
        if isNull { return skipNull() }
        let part = try name()
        guard part.utf8.count <= 200 else { throw implausible }
        return part
    }
}
