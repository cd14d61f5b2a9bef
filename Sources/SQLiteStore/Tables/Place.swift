import GRDB
import WorkflowStore

extension StorePlace: TableRow {
    static let columns = Columns(of: "place", blank: StorePlace())

    static func describe<Visitor: ColumnVisitor<Self>>(_ row: Self, _ column: inout Visitor) throws(Visitor.Failure) {
        // The table has one row.
        try column("id", 1) { $1.skip() }
        try column("filesystem", row.fileSystem) { $0.fileSystem = try $1.optionalPart() }
        try column("inode", row.inode.map { Int64(bitPattern: $0) }) { $0.inode = $1.optionalBits() }
        try column("machine", row.machine) { $0.machine = try $1.optionalPart() }
    }
}

/// Reads and writes the one row of the table `place`.
enum PlaceQueries {
    /// Returns the place of the file when effects were last allowed to start; `nil` if the file has no such row.
    static func read(_ database: Database) throws -> StorePlace? {
        try isThere(in: database) ? StorePlace.first(database, "WHERE id = 1") : nil
    }

    /// Writes the place of the file, inside a transaction or outside. Does nothing in a file of an earlier schema,
    /// which has no such table.
    static func write(_ place: StorePlace, _ database: Database) throws {
        guard try isThere(in: database) else { return }
        try StorePlace.insert([place], database, "INSERT OR REPLACE")
    }

    /// Returns false for a file of an earlier schema: a file that is only read, or that is not upgraded yet.
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

    /// Reads an unsigned number of 64 bits.
    fileprivate mutating func optionalBits() -> UInt64? { optionalInteger().map { UInt64(bitPattern: $0) } }
}
