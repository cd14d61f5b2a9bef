import GRDB

/// An index: an order in which the rows of a table are found.
struct SearchTree: Sendable {
    let table: String
    let index: String
    /// The columns of the order; `rowid` is the number of a row.
    let columns: [String]
    /// The number of leading columns that are unique together.
    let unique: Int
    /// The columns that identify a row in the table's own order.
    let own: [String]

    /// Returns the order in which a comparison walks through the index, or through the table's rows.
    func order(ofRows isRows: Bool) -> KeyOrder {
        isRows
            ? KeyOrder(table: table, index: nil, columns: own, unique: own.count)
            : KeyOrder(table: table, index: index, columns: columns, unique: unique)
    }

    /// Returns the indexes of all tables from the schema, so that a later index is included automatically. A table
    /// without an index has none; its order is checked when its rows are compared.
    static func all(_ database: Database) throws -> [SearchTree] {
        let tables = try Row.fetchAll(
            database,
            sql: """
                SELECT name, wr FROM pragma_table_list
                WHERE schema = 'main' AND type = 'table' AND substr(name, 1, 7) <> 'sqlite_' ORDER BY name
                """)
        return try tables.flatMap { row in try trees(of: row["name"], isWithoutNumbers: row["wr"], database) }
    }

    private static func trees(of table: String, isWithoutNumbers: Bool, _ database: Database) throws -> [SearchTree] {
        let own =
            isWithoutNumbers
            ? try String.fetchAll(
                database, sql: "SELECT name FROM pragma_table_info(?) WHERE pk > 0 ORDER BY pk", arguments: [table])
            : ["rowid"]
        let indexes = try Row.fetchAll(
            database,
            sql: "SELECT name, \"unique\" AS isUnique FROM pragma_index_list(?) WHERE NOT (origin = 'pk' AND ?)",
            arguments: [table, isWithoutNumbers])
        return try indexes.map { row in try tree(row["name"], of: table, isUnique: row["isUnique"], own, database) }
    }

    private static func tree(
        _ index: String, of table: String, isUnique: Bool, _ own: [String], _ database: Database
    ) throws -> SearchTree {
        // The number of a row has no name in the list, and may be listed twice.
        let rows = try Row.fetchAll(
            database,
            sql: "SELECT coalesce(name, 'rowid') AS name, \"key\" AS isKey FROM pragma_index_xinfo(?) ORDER BY seqno",
            arguments: [index])
        var columns: [String] = []
        for row in rows where !columns.contains(row["name"]) { columns.append(row["name"]) }
        let keys = rows.count { $0["isKey"] as Bool }
        return SearchTree(
            table: table, index: index, columns: columns, unique: isUnique ? keys : columns.count, own: own)
    }

    /// Returns the SQL that selects the index's entries, all of them or those after a place. The last column is true if
    /// the row has the values of its entry.
    func entries(after place: Bool) -> String {
        let list = columns.map { "e.\($0)" }.joined(separator: ", ")
        let same = Set(columns + own).sorted().map { "r.\($0) = e.\($0)" }.joined(separator: " AND ")
        return """
            SELECT \(list), EXISTS (SELECT 1 FROM \(table) AS r NOT INDEXED WHERE \(same))
            FROM \(table) AS e INDEXED BY \(index)
            \(place ? "WHERE (\(list)) > (\(columns.map { _ in "?" }.joined(separator: ", ")))" : "") ORDER BY \(list)
            """
    }

    /// Returns the SQL that selects the table's rows in their own order, all of them or those after a place. The last
    /// column is true if the index leads to the row.
    func rows(after place: Bool) -> String {
        let list = own.map { "r.\($0)" }.joined(separator: ", ")
        let same = Set(columns + own).sorted().map { "e.\($0) = r.\($0)" }.joined(separator: " AND ")
        return """
            SELECT \(list), EXISTS (SELECT 1 FROM \(table) AS e INDEXED BY \(index) WHERE \(same))
            FROM \(table) AS r NOT INDEXED
            \(place ? "WHERE (\(list)) > (\(own.map { _ in "?" }.joined(separator: ", ")))" : "") ORDER BY \(list)
            """
    }
}
