import Foundation
import GRDB
import SQLiteStore
import Testing
import ThreadTesting
import WorkflowEngine
import WorkflowStore

/// A change of one value in one row by a person.
private struct Edit: Sendable {
    let column: String
    let sql: String
}

/// Changes one value after another, of each kind of row in each table, and verifies the file each time.
///
/// Every 24th change is tried; `CASE_STRIDE=1` tries all.
@Suite(.tags(.heavy), .timeLimit(.minutes(40)), .ownThreads) struct EveryEditTests {
    /// The most kinds of rows of a table that are edited.
    private static let kinds = 12
    /// The expressions that are 0 for rows of a separate kind. These are edited in addition to the others, of which
    /// there may be more.
    private static let apart = ["journal": "event <> 'clock'"]

    @Test func whatIsNotSeenIsOnThePage() async throws {
        let bytes = try await EveryRowFile.make()
        let file = try Self.copy(of: bytes)
        #expect(try await file.findings() == [])
        let edits = sample(try file.read { try Self.edits($0) }, every: 24)
        var seen: [String: [Bool]] = [:]
        try await withThrowingTaskGroup(of: [(String, Bool)].self) { group in
            for part in 0..<2 {
                group.addTask {
                    let file = try Self.copy(of: bytes)
                    var seen: [(String, Bool)] = []
                    for place in stride(from: part, to: edits.count, by: 2) {
                        try bytes.write(to: URL(filePath: file.path))
                        // A change that the schema itself refuses is no edit.
                        do { try file.forge(edits[place].sql) } catch is DatabaseError { continue }
                        seen.append((edits[place].column, try await Self.isSeen(file)))
                    }
                    return seen
                }
            }
            for try await part in group { for (column, isSeen) in part { seen[column, default: []].append(isSeen) } }
        }
        let table = seen.sorted { $0.key < $1.key }.map { column, seen in
            "\(column): seen \(seen.count { $0 }), unseen \(seen.count { !$0 }) of \(seen.count)"
        }
        print("\(seen.values.reduce(0) { $0 + $1.count }) edits\n\(table.joined(separator: "\n"))")
        let listed = try Self.listed()
        #expect(seen.filter { $0.value.contains(false) && !listed.contains($0.key) }.keys.sorted() == [])
    }

    private static func copy(of bytes: Data) throws -> WrittenFile {
        let file = WrittenFile(in: try StoreFolder(isInMemory: true))
        try bytes.write(to: URL(filePath: file.path))
        return file
    }

    private struct Seen: Error {}

    /// Returns true if `wfd verify` finds anything.
    private static func isSeen(_ file: WrittenFile) async throws -> Bool {
        let opened: SQLiteFile
        do { opened = try SQLiteFile.open(at: file.path) } catch { return true }
        defer { try? opened.close() }
        do {
            _ = try await Verification(of: opened).run { event in
                if case .inconsistency = event { throw Seen() }
            }
            return false
        } catch is Seen {
            return true
        } catch is StoreError {
            return true
        }
    }

    /// Returns the columns that `docs/operations.md` lists, in its order.
    private static func listed() throws -> [String] {
        let root = (0..<4).reduce(URL(filePath: #filePath)) { url, _ in url.deletingLastPathComponent() }
        let page = try String(contentsOf: root.appending(path: "docs/operations.md"), encoding: .utf8)
        return page.split(separator: "\n").compactMap { line in
            line.firstMatch(of: /^\| `([a-z_]+\.[a-z_]+)` \|/).map { String($0.1) }
        }
    }
}

// MARK: What is edited

extension EveryEditTests {
    private static func edits(_ database: Database) throws -> [Edit] {
        let tables = try Row.fetchAll(
            database,
            sql: """
                SELECT name, wr FROM pragma_table_list
                WHERE schema = 'main' AND type = 'table' AND substr(name, 1, 7) <> 'sqlite_' ORDER BY name
                """)
        return try tables.flatMap { row in try edits(of: row["name"], isWithoutNumbers: row["wr"], database) }
    }

    private static func edits(
        of table: String, isWithoutNumbers: Bool, _ database: Database
    ) throws -> [Edit] {
        let columns = try Row.fetchAll(database, sql: "SELECT * FROM pragma_table_info(?)", arguments: [table])
        let names: [String] = columns.map { $0["name"] }
        let key = isWithoutNumbers ? columns.filter { ($0["pk"] as Int) > 0 }.map { $0["name"] as String } : ["rowid"]
        let rows = try kinds(of: table, columns, key, database)
        try #require(!rows.isEmpty, "the file has no row in '\(table)'")
        var edits: [Edit] = []
        for row in rows {
            let place = key.map { "\($0) IS \(row["key_\($0)"] as String)" }.joined(separator: " AND ")
            for (column, name) in zip(columns, names) {
                for value in try values(of: name, column, of: table, where: place, database) {
                    edits.append(
                        Edit(column: "\(table).\(name)", sql: "UPDATE \(table) SET \(name) = \(value) WHERE \(place)"))
                }
            }
        }
        return edits
    }

    /// Returns one row of each kind. Rows are of the same kind if the same columns are NULL, their blobs are equally
    /// long, and their words and flags are equal.
    private static func kinds(
        of table: String, _ columns: [Row], _ key: [String], _ database: Database
    ) throws -> [Row] {
        var signature = [apart[table]].compactMap(\.self)
        let bound = kinds + signature.count
        if let apart = signature.first {
            let count = try Int.fetchOne(database, sql: "SELECT count(*) FROM \(table) WHERE NOT (\(apart))") ?? 0
            try #require(count > 0, "every row of '\(table)' has \(apart)")
        }
        for column in columns {
            let name: String = column["name"]
            let count = try Int.fetchOne(database, sql: "SELECT count(DISTINCT \(name)) FROM \(table)") ?? 0
            let isWord = (column["type"] as String) == "TEXT" && count <= 16 || isFlag(name)
            signature.append(isWord ? "quote(\(name))" : "typeof(\(name))")
            if column["type"] == "BLOB" { signature.append("coalesce(length(\(name)), -1)") }
        }
        let keys = key.map { "quote(\($0)) AS key_\($0)" }.joined(separator: ", ")
        return try Row.fetchAll(
            database,
            sql: """
                SELECT \(keys) FROM (SELECT *, \(key == ["rowid"] ? "rowid, " : "") row_number() OVER (
                    PARTITION BY \(signature.joined(separator: ", ")) ORDER BY \(key.joined(separator: ", "))) AS nth
                FROM \(table)) WHERE nth = 1 ORDER BY \(signature.joined(separator: ", ")) LIMIT \(bound)
                """)
    }

    private static func isFlag(_ name: String) -> Bool { ["waits", "paused", "priority"].contains(name) }

    /// Returns the replacements of a value as SQL: other values of its type, another one of its column, and none.
    private static func values(
        of name: String, _ column: Row, of table: String, where place: String, _ database: Database
    ) throws -> [String] {
        let value = try DatabaseValue.fetchOne(database, sql: "SELECT \(name) FROM \(table) WHERE \(place)")
        var values: [String] = []
        switch value?.storage {
        case .int64?: values += ["\(name) + 1", "\(name) - 1"]
        case .string(let text)?:
            values += ["\(name) || 'x'", "'~' || substr(\(name), 2)"]
            if text.contains("1") { values.append("replace(\(name), '1', '2')") }
        case .blob(var data)? where !data.isEmpty:
            data[data.count - 1] ^= 1
            values.append("X'\(data.map { String(format: "%02x", $0) }.joined())'")
        case .blob?: values.append("zeroblob(16)")
        default:
            switch column["type"] as String {
            case "INTEGER": values.append("1")
            case "BLOB": values.append("X'78'")
            default: values.append("'x'")
            }
        }
        let other = try String.fetchOne(
            database,
            sql: """
                SELECT quote(\(name)) FROM \(table)
                WHERE \(name) IS NOT NULL AND \(name) IS NOT (SELECT \(name) FROM \(table) WHERE \(place)) LIMIT 1
                """)
        if case .string? = value?.storage, let other { values.append(other) }
        let isNullable = (column["notnull"] as Int) == 0 && (column["pk"] as Int) == 0
        if isNullable, value?.isNull == false { values.append("NULL") }
        return values
    }
}
