import GRDB

extension Database {
    /// Runs a statement once.
    func run<each Value: ColumnValue>(
        _ sql: String, _ value: repeat each Value, values: BoundValues? = nil
    ) throws {
        var statement = try PreparedStatement(self, sql, repeat each value, values: values)
        try statement.run()
    }

    /// Returns the first row of a statement, converted to a value; `nil` if there is no row.
    func first<T, each Value: ColumnValue>(
        _ sql: String, _ value: repeat each Value, read: (inout StatementRow) throws -> T
    ) throws -> T? {
        var statement = try PreparedStatement(self, sql, repeat each value)
        return try statement.first(read)
    }

    /// Calls `body` with each row of a statement until `body` returns false.
    func forEachRow<each Value: ColumnValue>(
        _ sql: String, _ value: repeat each Value, body: (inout StatementRow) throws -> Bool
    ) throws {
        var statement = try PreparedStatement(self, sql, repeat each value)
        try statement.forEachRow(body)
    }

    /// Returns all rows of a statement, each converted to a value.
    func all<T, each Value: ColumnValue>(
        _ sql: String, _ value: repeat each Value, read: (inout StatementRow) throws -> T
    ) throws -> [T] {
        var statement = try PreparedStatement(self, sql, repeat each value)
        return try statement.all(read)
    }
}
