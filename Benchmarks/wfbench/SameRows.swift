import GRDB

/// Compares two files that must hold the same rows: what makes a floor believable.
enum SameRows {
    /// The columns that must be equal, row by row. Times, digests and what has times in it differ; of those the lengths
    /// must be equal in all.
    private static let tables: [(name: String, key: String, equal: [String])] = [
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
    ]

    /// Throws what is different.
    static func check(_ ours: String, _ floor: String) throws {
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

    private static func rows(of table: (name: String, key: String, equal: [String]), _ database: Database) throws {
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
}
