import GRDB

/// The order of a table's rows or of an index's entries.
struct KeyOrder: Sendable {
    let table: String
    /// The index; `nil` for the table's own order.
    let index: String?
    /// The columns of the order; `rowid` is the number of a row.
    let columns: [String]
    /// The number of leading columns that are unique together.
    let unique: Int

    /// The name in messages.
    var name: String { index.map { "the index '\($0)'" } ?? "the table '\(table)'" }

    /// Returns the last key in the order; `nil` if there is none.
    func last(_ database: Database) throws -> [StoredValue]? {
        let list = columns.joined(separator: ", ")
        let backwards = columns.map { "\($0) DESC" }.joined(separator: ", ")
        let way = index.map { "INDEXED BY \($0)" } ?? (columns == ["rowid"] ? "NOT INDEXED" : "")
        return try database.first(
            "SELECT \(list) FROM \(table) \(way) ORDER BY \(backwards) LIMIT 1"
        ) { row in columns.map { _ in row.value() } }
    }
}

/// A walk through all rows in an order, a slice at a time.
///
/// Rows that are added after the walk's end are left out: a walk that is slower than the daemon's writes would never
/// finish.
struct OrderedWalk: Sendable {
    /// The action for the next row.
    enum Step {
        case take
        /// The row was added after the end, and so were all rows that follow.
        case stop
        /// The row is out of order, so the walk cannot continue from it.
        case refuse(String)
    }

    /// The key of the last row that was taken; `nil` before the first.
    private(set) var last: [StoredValue]?
    /// The last key in the order when the walk began.
    private var end: [StoredValue]?

    /// Notes the end of the order; called before the rows of a slice.
    mutating func begin(_ order: KeyOrder, _ database: Database) throws {
        if last == nil { end = try order.last(database) }
    }

    mutating func step(_ key: [StoredValue], _ order: KeyOrder, _ database: Database) throws -> Step {
        if let last {
            let (before, now) = (last.prefix(order.unique), key.prefix(order.unique))
            if before.elementsEqual(now) { return .refuse("\(order.name) has a row twice") }
            guard before.lexicographicallyPrecedes(now) else { return .refuse("\(order.name) is not in order") }
        }
        if let end, end.lexicographicallyPrecedes(key) {
            // No earlier row stands after an added row.
            let isLast = try order.last(database)?.lexicographicallyPrecedes(key) ?? true
            return isLast ? .refuse("\(order.name) is not in order") : .stop
        }
        last = key
        return .take
    }
}
