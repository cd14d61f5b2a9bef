import WorkflowStore

/// A record that is a row of a table.
///
/// One line describes a column: its name, its value, and how it is read and checked.
protocol TableRow: Sendable {
    /// The table's name and columns.
    static var columns: Columns<Self> { get }

    /// Passes each column to a visitor, in the order in which columns are selected, written and read.
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
    ///   - read: Reads the next column of an answer into a row; throws if the value is one that no wfd writes.
    mutating func callAsFunction<Value: ColumnValue>(
        _ name: String, _ value: Value, _ read: (inout Row, inout AnswerRow) throws -> Void
    ) throws(Failure)
}

/// Collects the names and types of columns.
struct ColumnNames<Row>: ColumnVisitor {
    private(set) var names: [String] = []
    private(set) var elements: [ArrayColumn.Element] = []

    mutating func callAsFunction<Value: ColumnValue>(
        _ name: String, _ value: Value, _ read: (inout Row, inout AnswerRow) throws -> Void
    ) {
        names.append(name)
        elements.append(Value.element)
    }
}

/// Adds the values of rows to arrays, one for each column.
struct ColumnFiller<Row>: ColumnVisitor {
    private(set) var arrays: [ArrayColumn]
    private var next = 0

    init(_ elements: [ArrayColumn.Element]) {
        arrays = elements.map(ArrayColumn.init)
    }

    @inline(__always)
    mutating func callAsFunction<Value: ColumnValue>(
        _ name: String, _ value: Value, _ read: (inout Row, inout AnswerRow) throws -> Void
    ) {
        value.append(to: &arrays[next])
        next = next + 1 == arrays.count ? 0 : next + 1
    }
}

/// Reads the columns of an answer's row into a record.
private struct ColumnReader<Row>: ColumnVisitor {
    var row: Row
    var columns: AnswerRow

    @inline(__always)
    mutating func callAsFunction<Value: ColumnValue>(
        _ name: String, _ value: Value, _ read: (inout Row, inout AnswerRow) throws -> Void
    ) throws {
        try read(&row, &columns)
    }
}

/// The name of a table, the columns that a record has of it, and the statements made from them.
struct Columns<Row: TableRow>: Sendable, CustomStringConvertible {
    let table: String
    let names: [String]
    let elements: [ArrayColumn.Element]
    /// The column names, as a select list.
    let description: String
    /// An empty row, which reading fills.
    let blank: Row
    /// The values of arrays as rows: the source of each statement that writes several.
    private let unnested: String

    init(of table: String, blank: Row) {
        var visitor = ColumnNames<Row>()
        Row.describe(blank, &visitor)
        self.table = table
        self.blank = blank
        (names, elements) = (visitor.names, visitor.elements)
        description = names.joined(separator: ", ")
        unnested = "unnest(\(elements.enumerated().map { "$\($0 + 1)::\($1)[]" }.joined(separator: ", ")))"
    }

    /// Returns the request that inserts rows; `nil` for none.
    func insert(_ rows: [Row]) -> Request? { request("insert", rows) { insertion } }

    /// Returns the request that inserts rows, or replaces those with the same key; `nil` for none. No two rows may have
    /// the same key.
    func replace(_ rows: [Row], key: [String]) -> Request? {
        request("replace", rows) {
            let changes = names.filter { !key.contains($0) }.map { "\($0) = excluded.\($0)" }
            let conflict = "ON CONFLICT (\(key.joined(separator: ", "))) DO UPDATE SET"
            return "\(insertion) \(conflict) \(changes.joined(separator: ", "))"
        }
    }

    /// Returns the request that writes all columns of rows with the same key, all of which must be there; `nil` for
    /// none.
    func update(_ rows: [Row], key: String) -> Request? {
        request("update", rows, requiresAll: true) {
            let changes = names.filter { $0 != key }.map { "\($0) = u.\($0)" }.joined(separator: ", ")
            let source = "\(unnested) u (\(description))"
            return "UPDATE \(table) t SET \(changes) FROM \(source) WHERE t.\(key) = u.\(key)"
        }
    }

    private var insertion: String { "INSERT INTO \(table) (\(description)) SELECT * FROM \(unnested)" }

    private func request(
        _ verb: String, _ rows: [Row], requiresAll: Bool = false, _ sql: () -> String
    ) -> Request? {
        if rows.isEmpty { return nil }
        var filler = ColumnFiller<Row>(elements)
        for row in rows { Row.describe(row, &filler) }
        let statement = Statement(name: "\(verb)-\(table)", sql: sql())
        return Request(requiresAll ? statement.requiringAll : statement) { parameters in
            for array in filler.arrays { parameters.add(array) }
        }
    }

    /// Returns the select list with the name of a table before each column.
    func of(_ table: String) -> String { names.map { "\(table).\($0)" }.joined(separator: ", ") }

    /// Returns the statement that selects rows by a condition.
    func select(_ name: String, _ condition: String) -> Statement {
        Statement(name: name, sql: "SELECT \(description) FROM \(table) \(condition)")
    }
}

extension TableRow {
    /// Reads the columns of the table, starting with the next column.
    init(row: inout AnswerRow) throws {
        let blank = Self.columns.blank
        var reader = ColumnReader(row: blank, columns: row)
        try Self.describe(blank, &reader)
        self = reader.row
        row = reader.columns
    }
}
