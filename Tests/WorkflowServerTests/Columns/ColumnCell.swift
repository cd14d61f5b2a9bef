import DaemonTesting
import GRDB
import WorkflowJSON

/// A value in one column of one row, and its replacement.
struct ColumnCell: CustomStringConvertible {
    let table: String
    let column: String
    /// The SQL of the replacement.
    let value: String
    /// The row's place in the order of the table's key.
    let row: Int

    var description: String { "\(table).\(column), row \(row): \(value.prefix(120))" }

    private static let numbers: [Int64] = [.max, .min, -1, 0, 1 << 53, 1 << 48, 253_402_300_800_000]

    private static let texts =
        ["''", "'x'", "'[]'", "'{}'", "'{'", "'9223372036854775807'", "CAST(x'61ff' AS TEXT)", "char(0)", "'-1,5-2'"]
        + ["printf('%.*c', 1000000, 'x')"]

    private static let blobs = ["x''", "x'00'", "zeroblob(16)", "zeroblob(32)", "zeroblob(1000000)"]

    /// Returns the cells of a file: every column of every table.
    ///
    /// - Parameter bound: The number of random values for each column; `nil` for all.
    static func all(of file: DatabaseFile, bound: Int?, seed: UInt64) throws -> [ColumnCell] {
        try file.read { database in
            var random = SeededRandom(seed: seed)
            let tables = try String.fetchAll(
                database, sql: "SELECT name FROM sqlite_master WHERE type = 'table' AND sql <> '' ORDER BY name")
            return try tables.flatMap { table in
                let count = try Int.fetchOne(database, sql: "SELECT count(*) FROM \(table)") ?? 0
                guard count > 0 else { throw TestingError("the table '\(table)' has no row: give it one") }
                let columns = try Row.fetchAll(
                    database, sql: "SELECT name, type FROM pragma_table_info('\(table)')")
                return try columns.flatMap { column in
                    var cells: [ColumnCell] = []
                    let rows = bound == nil ? Array(0..<min(count, 6)) : [Int.random(in: 0..<count, using: &random)]
                    for row in rows {
                        let values = try values(
                            of: column["name"], typed: column["type"], table, row, database
                        ).shuffled(using: &random)
                        cells += values.prefix(bound ?? .max).map {
                            ColumnCell(table: table, column: column["name"], value: $0, row: row)
                        }
                    }
                    return cells
                }
            }
        }
    }

    private static func values(
        of column: String, typed type: String, _ table: String, _ row: Int, _ database: Database
    ) throws -> [String] {
        switch type {
        case "INTEGER": return numbers.map { "\($0)" } + ["NULL"]
        case "BLOB": return blobs + ["NULL"]
        default:
            let text = try String.fetchOne(
                database,
                sql: "SELECT \(column) FROM \(table) ORDER BY \(try key(of: table, database)) LIMIT 1 OFFSET \(row)")
            return texts + ["NULL"] + (text.map(twisted) ?? [])
        }
    }

    /// Returns the same JSON with other numbers or names, or with less content; nothing for a text that is not JSON.
    private static func twisted(_ text: String) -> [String] {
        // For a text that is no JSON, the values that any text gets are enough.
        guard let json = try? JSONReader.value(from: text), json.object?.isEmpty ?? true == false || isList(json) else {
            return []
        }
        let twists: [(JSONValue) -> JSONValue] = [
            { json in if case .int = json { .int(.max) } else { json } },
            { json in if case .int = json { .int(.min) } else { json } },
            { json in if case .int = json { .int(-1) } else { json } },
            { json in if case .string = json { "no-such" } else { json } },
            { json in if case .string = json { .int(7) } else { json } },
            { json in if case .array(let elements) = json { .array(elements + elements) } else { json } },
            { json in if case .array = json { [] } else { json } },
            { json in
                guard let object = json.object else { return json }
                var less = JSONObject()
                for member in object.members.dropLast() { less[member.key] = member.value }
                return .object(less)
            },
        ]
        return twists.map { twist in
            "'\(JSONWriter.string(changed(json, twist)).replacing("'", with: "''"))'"
        }
    }

    private static func isList(_ json: JSONValue) -> Bool {
        if case .array(let elements) = json { !elements.isEmpty } else { false }
    }

    private static func changed(_ json: JSONValue, _ twist: (JSONValue) -> JSONValue) -> JSONValue {
        switch twist(json) {
        case .array(let elements): return .array(elements.map { changed($0, twist) })
        case .object(let object):
            var all = JSONObject()
            for member in object.members { all[member.key] = changed(member.value, twist) }
            return .object(all)
        case let value: return value
        }
    }

    private static func key(of table: String, _ database: Database) throws -> String {
        try String.fetchAll(database, sql: "SELECT name FROM pragma_table_info('\(table)') WHERE pk > 0 ORDER BY pk")
            .joined(separator: ", ")
    }
}

extension ColumnCell {
    /// Writes the value into a file past its schema, which is the same afterwards; false if SQLite does not accept the
    /// row.
    func forge(_ path: String) throws -> Bool {
        let schema = try onConnection(path) { database in
            let schema = try Row.fetchAll(database, sql: "SELECT * FROM sqlite_master WHERE sql <> ''")
            try database.execute(sql: "PRAGMA writable_schema = ON; DELETE FROM sqlite_master WHERE type = 'trigger'")
            try database.execute(
                sql: """
                    UPDATE sqlite_master
                    SET sql = replace(replace(replace(sql, 'IS NOT NULL', 'NOTNULL'), 'NOT NULL', ''),
                        ') STRICT', ') /**/')
                    WHERE type = 'table' AND sql LIKE '%) STRICT%'
                    """)
            // The comma behind STRICT would stand alone.
            try database.execute(sql: "UPDATE sqlite_master SET sql = replace(sql, ') /**/,', ')')")
            return schema
        }
        let isForged = try onConnection(path) { database in
            try database.execute(sql: "PRAGMA foreign_keys = OFF; PRAGMA ignore_check_constraints = ON")
            let key = try Self.key(of: table, database)
            do {
                try database.execute(
                    sql: """
                        UPDATE \(table) SET \(column) = \(value)
                        WHERE (\(key)) = (SELECT \(key) FROM \(table) ORDER BY \(key) LIMIT 1 OFFSET \(row))
                        """)
                return true
            } catch let error as DatabaseError where error.resultCode == .SQLITE_CONSTRAINT {
                return false
            } catch let error as DatabaseError where error.resultCode == .SQLITE_MISMATCH {
                return false
            }
        }
        try onConnection(path) { database in
            try database.execute(sql: "PRAGMA writable_schema = ON")
            for row in schema {
                try database.execute(
                    sql: "DELETE FROM sqlite_master WHERE name = ?", arguments: [row["name"] as String])
                try database.execute(
                    sql: "INSERT INTO sqlite_master VALUES (?, ?, ?, ?, ?)",
                    arguments: StatementArguments(row.databaseValues))
            }
        }
        return isForged
    }

    private func onConnection<Value>(_ path: String, _ body: (Database) throws -> Value) throws -> Value {
        let queue = try DatabaseQueue(path: path)
        let value = try queue.inDatabase(body)
        try queue.close()
        return value
    }
}
