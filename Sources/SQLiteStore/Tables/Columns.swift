import GRDB
import WorkflowStore

/// A record that is a row of a table.
///
/// One line describes a column: its name, its value, and how it is read and checked. The compiler specialises these
/// lines for each visitor, so binding and reading look nothing up.
protocol TableRow: Sendable {
    /// The table's name and columns.
    static var columns: Columns<Self> { get }

    /// Passes each column to a visitor, in the order in which columns are selected, bound and read.
    static func describe<Visitor: ColumnVisitor<Self>>(_ row: Self, _ column: inout Visitor) throws(Visitor.Failure)
}

/// A visitor of the columns of a table.
protocol ColumnVisitor<Row> {
    associatedtype Row
    associatedtype Failure: Error

    /// Visits a column.
    ///
    /// - Parameters:
    ///   - value: The column's value in a row.
    ///   - read: Reads the next column of a statement into a row; throws if the value is one that no wfd writes.
    mutating func callAsFunction<Value: ColumnValue>(
        _ name: String, _ value: Value, _ read: (inout Row, inout StatementRow) throws -> Void
    ) throws(Failure)
}

/// Collects the names of columns.
struct ColumnNames<Row>: ColumnVisitor {
    private(set) var names: [String] = []

    mutating func callAsFunction<Value: ColumnValue>(
        _ name: String, _ value: Value, _ read: (inout Row, inout StatementRow) throws -> Void
    ) {
        names.append(name)
    }
}

/// Binds a row's values to a statement.
struct ColumnBinder<Row>: ColumnVisitor {
    var statement: PreparedStatement

    @inline(__always)
    mutating func callAsFunction<Value: ColumnValue>(
        _ name: String, _ value: Value, _ read: (inout Row, inout StatementRow) throws -> Void
    ) {
        value.bind(to: &statement)
    }
}

/// Reads the columns of a statement's current row into a record.
struct ColumnReader<Row>: ColumnVisitor {
    var row: Row
    var columns: StatementRow

    @inline(__always)
    mutating func callAsFunction<Value: ColumnValue>(
        _ name: String, _ value: Value, _ read: (inout Row, inout StatementRow) throws -> Void
    ) throws {
        try read(&row, &columns)
    }
}

/// The name of a table and the names of its columns.
struct Columns<Row: TableRow>: Sendable, CustomStringConvertible {
    let table: String
    let names: [String]
    /// The column names, as a select list.
    let description: String
    /// `SELECT … FROM …`
    let select: String
    /// `INTO … VALUES …`
    let into: String
    /// An empty row, which reading fills.
    let blank: Row

    init(of table: String, blank: Row) {
        var visitor = ColumnNames<Row>()
        Row.describe(blank, &visitor)
        self.table = table
        self.blank = blank
        names = visitor.names
        description = names.joined(separator: ", ")
        select = "SELECT \(description) FROM \(table)"
        into = "INTO \(table) (\(description)) VALUES (\(names.map { _ in "?" }.joined(separator: ", ")))"
    }

    /// Returns the column names qualified by a table name or alias, for a join with a table that shares some of them.
    func of(_ table: String) -> String { names.map { "\(table).\($0)" }.joined(separator: ", ") }

    /// Returns the index of a column, from 0.
    func place(of name: String) -> CInt {
        // Proof: callers name columns of the table.
        guard let place = names.firstIndex(of: name) else { preconditionFailure("no column '\(name)' in '\(table)'") }
        return CInt(place)
    }
}

extension TableRow {
    /// Reads the columns of the table, starting with the next column.
    init(row: inout StatementRow) throws {
        let blank = Self.columns.blank
        var reader = ColumnReader(row: blank, columns: row)
        try Self.describe(blank, &reader)
        self = reader.row
        row = reader.columns
    }

    /// Returns the first row of the table that matches a condition.
    static func first<each Value: ColumnValue>(
        _ database: Database, _ condition: String, _ value: repeat each Value
    ) throws -> Self? {
        try database.first("\(columns.select) \(condition)", repeat each value) { row in try Self(row: &row) }
    }

    /// Returns all rows of the table that match a condition.
    static func all<each Value: ColumnValue>(
        _ database: Database, _ condition: String, _ value: repeat each Value
    ) throws -> [Self] {
        try database.all("\(columns.select) \(condition)", repeat each value) { row in try Self(row: &row) }
    }

    /// Inserts rows into the table.
    ///
    /// - Parameter verb: The SQL verb, which decides what happens to a row with the same key.
    static func insert(
        _ rows: [Self], _ database: Database, _ verb: String = "INSERT", values: BoundValues? = nil
    ) throws {
        guard !rows.isEmpty else { return }
        let insert = try PreparedStatement(database, "\(verb) \(columns.into)", values: values)
        var binder = ColumnBinder<Self>(statement: insert)
        for row in rows {
            describe(row, &binder)
            try binder.statement.run()
        }
    }
}
