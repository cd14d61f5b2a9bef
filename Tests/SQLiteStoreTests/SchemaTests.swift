import Foundation
import GRDB
import SQLiteStore
import StoreSuite
import StoreTesting
import Testing
import WorkflowMigrations
import WorkflowStore

@Suite struct SchemaTests {
    private static let newest = Int64(Migrations.all.count)
    private static let later = [
        Migration(version: newest + 1, sql: "CREATE TABLE extra (id INTEGER NOT NULL PRIMARY KEY) STRICT"),
        Migration(
            version: newest + 2, sql: "ALTER TABLE extra ADD COLUMN name TEXT; INSERT INTO extra VALUES (1, 'one')"),
    ]

    private func open(_ directory: TemporaryDirectory, _ migrations: [Migration]) throws -> SQLiteFileStore {
        try SQLiteFileStore.open(
            at: directory.store, clock: Timestamp(rawValue: 1_700_000_000_000), limits: StoreLimits(),
            migrations: migrations)
    }

    @Test(arguments: [
        ("DROP INDEX instance_list", "the index 'instance_list' is missing"),
        ("CREATE INDEX mine ON instance (status)", "the index 'mine' is not ours; drop it"),
        ("DROP TRIGGER journal_delete", "the trigger 'journal_delete' is missing"),
        (
            "DROP INDEX instance_list; CREATE INDEX instance_list ON instance (status)",
            "the index 'instance_list' is another one"
        ),
    ])
    func changedSchemaIsNamed(change: String, difference: String) throws {
        let directory = try TemporaryDirectory()
        try SQLiteFileStore.sqlite(directory).writer().close()
        try RawFile(directory).execute(change)
        let error = #expect(throws: StoreError.self) { _ = try SQLiteFileStore.sqlite(directory) }
        #expect(error?.code == .damaged)
        #expect(
            error?.message
                == "Cannot open '\(directory.store)': its schema is not that of version \(Self.newest): \(difference)")
    }

    /// The file of a build before the first release has the same schema number, and other tables.
    @Test(arguments: [
        ("ALTER TABLE store DROP COLUMN next_machine", "the table 'store' is another one"),
        ("DROP TABLE restoration; DROP TRIGGER machine_update", "the table 'restoration' is missing"),
    ])
    func aFileOfAnOlderBuildIsRefusedUntouched(change: String, difference: String) throws {
        let directory = try TemporaryDirectory()
        let store = try SQLiteFileStore.sqlite(directory)
        let writer = try store.writer()
        let scribe = Scribe(writer)
        scribe.start("order-1", scribe.apply("order"))
        try scribe.commit(writer)
        try RawFile(directory).execute(change)
        let crashed = try directory.copyAfterCrash()
        try writer.close()
        let before = try crashed.contents()
        for _ in 1...2 {
            let error = #expect(throws: StoreError.self) { _ = try SQLiteFileStore.sqlite(crashed) }
            #expect(error?.code == .olderBuild)
            #expect(
                error?.message
                    == "Cannot open '\(crashed.store)': it was written by a build of wfd that was never released, "
                    + "or its tables were changed since (\(difference)); use that build, restore a backup, or begin "
                    + "with a new file")
        }
        let after = try crashed.contents()
        #expect(after["store.db"] == before["store.db"])
        #expect(after["store.db-wal"] == before["store.db-wal"])
    }

    @Test func statisticsOfAnalyzeAreNotADifference() throws {
        let directory = try TemporaryDirectory()
        try SQLiteFileStore.sqlite(directory).writer().close()
        try RawFile(directory).execute("ANALYZE")
        try SQLiteFileStore.sqlite(directory).writer().close()
    }

    @Test func olderSchemaIsBroughtUpToDate() async throws {
        let directory = try TemporaryDirectory()
        let store = try SQLiteFileStore.sqlite(directory)
        let writer = try store.writer()
        let scribe = Scribe(writer)
        scribe.apply("order")
        scribe.start("order-1")
        try scribe.commit(writer)
        try writer.close()
        let upgraded = try open(directory, Migrations.all + Self.later)
        #expect(upgraded.recovered.openedVersion == Self.newest)
        #expect(upgraded.recovered.schemaVersion == Self.newest + 2)
        #expect(try upgraded.pragma("user_version") == "\(Self.newest + 2)")
        #expect(try await upgraded.instance(named: "order-1") == scribe.instances["order-1"])
        try upgraded.writer().close()
        #expect(try RawFile(directory).value("SELECT name FROM extra") == "one")
        #expect(throws: StoreError.self) { _ = try SQLiteFileStore.sqlite(directory) }
        let again = try open(directory, Migrations.all + Self.later)
        #expect(again.recovered.openedVersion == Self.newest + 2)
        try again.writer().close()
    }

    @Test func stepThatFailsLeavesTheVersionBefore() throws {
        let directory = try TemporaryDirectory()
        try SQLiteFileStore.sqlite(directory).writer().close()
        let failing = [
            Self.later[0], Migration(version: Self.newest + 2, sql: "DROP TABLE extra; CREATE TABLE namespace (id)"),
        ]
        let error = #expect(throws: StoreError.self) { _ = try open(directory, Migrations.all + failing) }
        #expect(
            error?.message
                == "Cannot upgrade '\(directory.store)' to schema version \(Self.newest + 2): table namespace already "
                + "exists (SQLite 1)")
        let found = try open(directory, Migrations.all + [Self.later[0]])
        #expect(found.recovered.openedVersion == Self.newest + 1)
        try found.writer().close()
    }

    @Test(arguments: [
        "UPDATE journal SET event = 'other' WHERE position = 2",
        "UPDATE journal SET data = '{}' WHERE position = 2",
        "UPDATE journal SET data = NULL WHERE position = 2",
        "UPDATE journal SET salt = salt WHERE position = 2",
        "UPDATE journal SET note = 'x' WHERE position = 2",
        "UPDATE journal SET actor = 'x' WHERE position = 2",
        "UPDATE journal SET key = NULL WHERE position = 3",
        "UPDATE journal SET salt = zeroblob(8) WHERE position = 2",
        "UPDATE journal SET salt = zeroblob(16), data = NULL WHERE position = 2",
        "UPDATE journal SET salt = zeroblob(16), key = NULL WHERE position = 3",
        "UPDATE journal SET salt = X'' WHERE position = 2",
        "UPDATE journal SET salt = X'', data = NULL WHERE position = 2",
        "UPDATE journal SET salt = X'', data = '{}' WHERE position = 2",
        "UPDATE journal SET data = \(commitment) WHERE position = 2",
        "UPDATE journal SET salt = X'', data = upper(\(commitment)) WHERE position = 2",
        "UPDATE journal SET salt = X'', data = substr(\(commitment), 2) WHERE position = 2",
        "UPDATE journal SET salt = X'', data = substr(\(commitment), 1, 65) || 'z\"' WHERE position = 2",
        "UPDATE journal SET salt = X'', data = \(commitment) || ' ' WHERE position = 2",
        "UPDATE journal SET salt = X'', data = \(commitment), to_state = 'x' WHERE position = 2",
        "UPDATE journal SET salt = X'', data = \(commitment), digest = zeroblob(32) WHERE position = 2",
        "UPDATE journal SET salt = X'', data = \(commitment), note = 'x' WHERE position = 2",
        "UPDATE journal SET salt = X'', data = \(commitment), key = X'41' WHERE position = 2",
        // A UUID says nothing of who used it, and stays.
        "UPDATE journal SET salt = X'', data = \(commitment), key = NULL WHERE position = 3",
        "UPDATE journal SET position = 99 WHERE position = 2",
        "DELETE FROM journal WHERE position = 2",
        "UPDATE machine SET source = 'id: other'",
        "UPDATE machine SET semantics = 2",
        "UPDATE machine SET name = 'other'",
        "DELETE FROM machine",
        "DELETE FROM instance WHERE id IN (SELECT instance_id FROM snapshot)",
        "UPDATE store SET id = 2",
        "UPDATE journal SET kind = 'odd'", "UPDATE instance SET status = 'odd'",
        "UPDATE instance SET digest = x'00'", "UPDATE instance SET context = x'00'",
        "UPDATE instance SET salt = x'00'", "UPDATE instance SET salt_from = 0",
        "UPDATE instance SET entered_ms = NULL",
        "UPDATE snapshot SET salt = x''", "UPDATE snapshot SET status = 'purging'", "UPDATE store SET held = 2",
    ])
    func historyCannotBeRewritten(sql: String) throws {
        let directory = try TemporaryDirectory()
        try write(directory, rows: 300)
        let error = #expect(throws: DatabaseError.self) { try RawFile(directory).execute(sql) }
        #expect(error?.resultCode == .SQLITE_CONSTRAINT)
    }

    @Test func aSaltIsKeptOnceAndARowRedactedOnce() throws {
        let directory = try TemporaryDirectory()
        try write(directory, rows: 5)
        let file = RawFile(directory)
        func refuse(_ sql: String) {
            #expect(throws: DatabaseError.self) { try file.execute("UPDATE journal SET \(sql)") }
        }
        // The salt and the data change in one statement.
        try file.execute("UPDATE journal SET salt = X'', data = \(Self.commitment) WHERE position = 2")
        refuse("salt = NULL WHERE position = 2")
        refuse("salt = X'' WHERE position = 2")
        refuse("data = '{}' WHERE position = 2")
        // Its salt was kept before; the key is a UUID and stays, the one at position 4 is none and goes.
        try file.execute("UPDATE journal SET salt = zeroblob(16) WHERE position IN (3, 4)")
        refuse("salt = zeroblob(16) WHERE position = 3")
        refuse("salt = NULL WHERE position = 3")
        try file.execute("UPDATE journal SET salt = X'', data = \(Self.commitment), note = NULL WHERE position = 3")
        try file.execute("UPDATE journal SET salt = X'', data = \(Self.commitment), key = NULL WHERE position = 4")
        #expect(try file.value("SELECT group_concat(coalesce(length(salt), '-')) FROM journal") == "-,0,0,0,-")
        #expect(try file.value("SELECT count(*) FROM journal WHERE key IS NOT NULL") == "1")
    }

    /// The text that a redacted row has in the place of its data.
    private static let commitment = "'\"\(String(repeating: "0a", count: 32))\"'"

    @Test func rowsOfAPurgingInstanceMayBeDeleted() throws {
        let directory = try TemporaryDirectory()
        try write(directory, rows: 3)
        try RawFile(directory).execute("UPDATE instance SET status = 'purging'; DELETE FROM journal WHERE position = 2")
        #expect(try RawFile(directory).value("SELECT count(*) FROM journal") == "2")
    }

    private func write(_ directory: TemporaryDirectory, rows: Int) throws {
        let store = try SQLiteFileStore.sqlite(directory)
        let writer = try store.writer()
        let scribe = Scribe(writer)
        scribe.apply("order")
        scribe.start("order-1")
        for number in 1..<rows {
            scribe.send("order-1", key: number == 2 ? Array(1...16) : number == 3 ? [0, 0x41] : nil)
        }
        try scribe.commit(writer)
        try writer.close()
    }
}
