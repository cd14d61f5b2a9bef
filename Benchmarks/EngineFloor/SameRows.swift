import GRDB

/// Compares two files that must have the same rows, which makes a floor credible.
package enum SameRows {
    private typealias Table = (name: String, key: String, equal: [String])

    /// The columns that must be equal, row by row. Times, digests and values with times in them differ; their lengths
    /// must be equal.
    private static let tables: [Table] = [
        (
            "journal", "position",
            [
                "instance_id", "machine_id", "seq", "previous", "real_ms", "kind", "event", "from_state", "to_state",
                "actor", "key", "data",
            ]
        ),
        (
            "instance", "id",
            [
                "name", "machine_id", "status", "seq", "head", "configuration", "context", "memory", "output",
            ]
        ),
        (
            "snapshot", "instance_id, seq",
            ["position", "status", "configuration", "context", "memory", "output"]
        ),
        ("dedupe", "key, scope", ["position"]),
        // The time that a timer is due stands in its key.
        ("timer", "", []),
        (
            "effect", "id",
            [
                "instance_id", "seq", "number", "name", "queue", "state", "priority", "attempts", "earlier", "round",
                "worker", "progress", "error", "answer", "request",
            ]
        ),
        ("attempt", "", []),
        ("queue", "", []),
    ]

    /// Throws for the first difference.
    ///
    /// - Parameter hasSameKeys: False if keys are random: their lengths must be equal, and their uses.
    package static func check(_ ours: String, _ floor: String, hasSameKeys: Bool = true) throws {
        var tables = tables
        if !hasSameKeys {
            for place in tables.indices {
                tables[place].equal.removeAll { $0 == "key" }
                if tables[place].name == "dedupe" { tables[place] = ("dedupe", "", ["position", "scope"]) }
            }
        }
        let database = try DatabaseQueue(path: ours, configuration: .init())
        try database.writeWithoutTransaction { database in
            try database.execute(sql: "ATTACH ? AS floor", arguments: [floor])
            for table in tables {
                try sums(of: table.name, database)
                if !table.equal.isEmpty { try rows(of: table, database) }
            }
        }
        try database.close()
    }

    private static func sums(of table: String, _ database: Database) throws {
        let columns = try Row.fetchAll(database, sql: "PRAGMA main.table_info(\(table))")
        let sums = columns.map { row in
            let name: String = row["name"]
            let isNumber = row["type"] == "INTEGER"
            return isNumber ? "count(\(name))" : "total(length(CAST(\(name) AS BLOB)))"
        }
        let select = "SELECT count(*), " + sums.joined(separator: ", ") + " FROM "
        let ours = try Row.fetchOne(database, sql: select + "main.\(table)")
        let floor = try Row.fetchOne(database, sql: select + "floor.\(table)")
        guard ours == floor else {
            throw BenchmarkError(
                "'\(table)' is not the same: ours \(ours?.description ?? ""), floor \(floor?.description ?? "")")
        }
    }

    private static func rows(of table: Table, _ database: Database) throws {
        if table.key.isEmpty { return try sets(of: table, database) }
        let different = table.equal.map { "ours.\($0) IS NOT theirs.\($0)" }.joined(separator: " OR ")
        let sql = """
            SELECT count(*), count(*) FILTER (WHERE \(different))
            FROM main.\(table.name) AS ours JOIN floor.\(table.name) AS theirs USING (\(table.key))
            """
        let found = try Row.fetchOne(database, sql: sql)
        let all = try Int.fetchOne(database, sql: "SELECT count(*) FROM main.\(table.name)")
        guard found?[0] == all, found?[1] == 0 else {
            throw BenchmarkError("'\(table.name)' has rows that are not the same: \(found?.description ?? "none")")
        }
    }

    /// Compares rows that no key finds. Both files have the same number of them.
    private static func sets(of table: Table, _ database: Database) throws {
        let columns = table.equal.joined(separator: ", ")
        let sql = """
            SELECT count(*)
            FROM (SELECT \(columns) FROM main.\(table.name) EXCEPT SELECT \(columns) FROM floor.\(table.name))
            """
        guard try Int.fetchOne(database, sql: sql) == 0 else {
            throw BenchmarkError("'\(table.name)' has rows that are not the same")
        }
    }
}
