import GRDB
import ManualTesting
import SQLiteStore
import StoreSuite
import Testing
import WorkflowStore

/// `docs/tables.md` has every table with its columns, and its queries run.
@Suite struct TablesPageTests {
    private static let page = ManualPage.page("docs/tables.md")

    /// Opens a new file with a few rows.
    private func file() throws -> DatabaseQueue {
        let directory = try TemporaryDirectory()
        let writer = try SQLiteFileStore.sqlite(directory).writer()
        let scribe = Scribe(writer)
        scribe.start("order-1042", scribe.apply("order"))
        for _ in 1...3 { scribe.send("order-1042") }
        try scribe.commit(writer)
        try writer.close()
        // In memory, so that it stays when the folder is gone.
        let copy = try DatabaseQueue()
        try DatabaseQueue(path: directory.store).backup(to: copy)
        return copy
    }

    @Test func everyColumnIsDescribed() throws {
        var described: [String: [String]] = [:]
        var name = ""
        for line in Self.page.lines {
            if let heading = line.wholeMatch(of: /### (\w+)/) { name = String(heading.1) }
            guard let row = line.wholeMatch(of: /\| (`.*?`) \| .* \|/) else { continue }
            described[name, default: []] += row.1.matches(of: /`(\w+)`/).map { String($0.1) }
        }
        let columns = try file().read { database in
            let names = try String.fetchAll(
                database,
                sql: "SELECT name FROM sqlite_master WHERE type IN ('table', 'view') AND name <> 'sqlite_stat1'")
            return try Dictionary(
                uniqueKeysWithValues: names.map { name in
                    (
                        name,
                        try String.fetchAll(database, sql: "SELECT name FROM pragma_table_info(?)", arguments: [name])
                    )
                })
        }
        for name in Set(described.keys).union(columns.keys) {
            #expect(described[name]?.sorted() == columns[name]?.sorted(), "\(name)")
        }
    }

    /// The page promises that these never change.
    @Test func theViewsKeepTheirColumns() throws {
        let promised = [
            "instances": [
                "instance", "machine", "version", "status", "state", "seq", "context", "output", "failure",
                "created_at", "entered_at", "updated_at", "uuid",
            ],
            "history": [
                "position", "instance", "machine", "version", "seq", "at", "kind", "event", "from_state", "to_state",
                "data", "note", "actor", "redacted",
            ],
        ]
        for (view, columns) in promised {
            let found = try file().read { database in
                try database.makeStatement(sql: "SELECT * FROM \(view)").columnNames
            }
            #expect(found == columns)
        }
    }

    @Test func theQueriesRun() throws {
        let queries = Self.page.blocks.filter { $0.kind == "sql" }.map(\.text)
        #expect(queries.count >= 4)
        let file = try file()
        for query in queries { _ = try file.read { try Row.fetchAll($0, sql: query) } }
        let chain = try #require(queries.first { $0.contains("RECURSIVE") })
        #expect(try file.read { try Int.fetchAll($0, sql: chain) } == [1, 2, 3, 4])
    }

    @Test func theViewsSayWhatTheTablesDo() async throws {
        let directory = try TemporaryDirectory()
        let store = try SQLiteFileStore.sqlite(directory)
        let writer = try store.writer()
        let scribe = Scribe(writer)
        scribe.start("order-1", scribe.apply("order"))
        scribe.send("order-1")
        try scribe.commit(writer)
        try writer.close()
        let file = RawFile(directory)
        #expect(try file.value("SELECT group_concat(seq || kind) FROM history") == "1started,2event")
        #expect(try file.value("SELECT instance || machine || version || seq FROM instances") == "order-1order12")
        #expect(
            try file.value(
                "SELECT strftime('%s', updated_at) * 1000 = updated_ms / 1000 * 1000 FROM instances, instance")
                == "1")
        // A redacted row has lost its data, and an instance that is being deleted is in neither view.
        try file.execute(
            """
            UPDATE journal SET salt = X'', data = '"' || lower(hex(zeroblob(32))) || '"' WHERE seq = 2
            """)
        #expect(try file.value("SELECT data IS NULL AND redacted FROM history WHERE seq = 2") == "1")
        try file.execute("UPDATE instance SET status = 'purging'")
        #expect(try file.value("SELECT (SELECT count(*) FROM instances) + (SELECT count(*) FROM history)") == "0")
    }
}
