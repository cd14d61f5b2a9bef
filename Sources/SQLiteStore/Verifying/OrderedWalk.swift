import GRDB

/// The order of a table's rows or of an index's entries.
struct KeyOrder: Sendable {
    let table: String
    /// Nil for the table's own order.
    let index: String?
    /// What it is ordered by; `rowid` is the number of a row.
    let columns: [String]
    /// How many of the first columns no two rows share.
    let unique: Int

    /// What messages call it.
    var name: String { index.map { "the index '\($0)'" } ?? "the table '\(table)'" }

    /// What stands last; nil when there is nothing.
    func last(_ database: Database) throws -> [StoredValue]? {
        let list = columns.joined(separator: ", ")
        let backwards = columns.map { "\($0) DESC" }.joined(separator: ", ")
        let way = index.map { "INDEXED BY \($0)" } ?? (columns == ["rowid"] ? "NOT INDEXED" : "")
        return try database.first(
            "SELECT \(list) FROM \(table) \(way) ORDER BY \(backwards) LIMIT 1"
        ) { row in columns.map { _ in row.value() } }
    }
}

/// A way through all that an order has, a slice at a time.
///
/// What is added behind its end is left out: whoever reads more slowly than a daemon writes would never arrive.
struct OrderedWalk: Sendable {
    /// What to do with the row that comes next.
    enum Step {
        case take
        /// It was added behind the end, and so was all that follows.
        case stop
        /// It cannot stand there. Where the way goes on from it nobody knows.
        case refuse(String)
    }

    /// The last row that was taken; nil before the first.
    private(set) var last: [StoredValue]?
    /// What stood last when the walk began.
    private var end: [StoredValue]?

    /// To be called before the rows of a slice.
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
            // Behind a row that was added stands none of before.
            let isLast = try order.last(database)?.lexicographicallyPrecedes(key) ?? true
            return isLast ? .refuse("\(order.name) is not in order") : .stop
        }
        last = key
        return .take
    }
}
