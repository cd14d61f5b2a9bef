import Foundation
import GRDB
import SQLiteStore
import StoreSuite
import StoreTesting
import Testing
import WorkflowMigrations
import WorkflowStore

@Suite struct OpeningTests {
    @Test(arguments: [
        ("journal_mode", "wal"), ("synchronous", "2"), ("foreign_keys", "1"), ("trusted_schema", "0"),
        ("cell_size_check", "1"), ("wal_autocheckpoint", "0"), ("auto_vacuum", "2"), ("cache_size", "-32768"),
        ("secure_delete", "1"), ("application_id", "2003199025"), ("user_version", "\(Migrations.all.count)"),
        ("journal_size_limit", "71303168"),
    ])
    func productionPathSetsPragma(pragma: String, value: String) throws {
        let directory = try TemporaryDirectory()
        try SQLiteFileStore.sqlite(directory).writer().close()
        // A file that is there already goes another way than a new one.
        let store = try SQLiteFileStore.sqlite(directory)
        #expect(try store.pragma(pragma) == value)
        try store.writer().close()
    }

    @Test func pragmaThatDoesNotTakeIsNamed() throws {
        let directory = try TemporaryDirectory()
        var limits = StoreLimits()
        limits.writerCacheKiB = 5_000_000_000
        let error = #expect(throws: StoreError.self) { _ = try SQLiteFileStore.sqlite(directory, limits) }
        #expect(error?.code == .cannotOpen)
        #expect(
            error?.message.hasPrefix(
                "Cannot open '\(directory.store)': PRAGMA cache_size did not take: wanted -5000000000, found ") == true)
        // The failed opening closed the file again.
        try SQLiteFileStore.sqlite(directory).writer().close()
    }

    @Test func aMissingDirectoryIsNotCreatedForAPathThatSomebodyTyped() async throws {
        let directory = try TemporaryDirectory()
        let path = directory.path + "/a/b/store.db"
        let error = #expect(throws: StoreError.self) {
            try SQLiteFileStore.open(at: path, clock: Timestamp(rawValue: 1_700_000_000_000))
        }
        #expect(error?.code == .cannotOpen)
        #expect(
            error?.message
                == "Cannot open '\(path)': there is no folder '\(directory.path)/a/b'; make it, or correct the path")
        let restoration = StoreRestoration(backup: path, database: directory.store, verify: { _ in })
        await #expect(throws: StoreError.self) {
            try await restoration.run(clock: Timestamp(rawValue: 1_700_000_000_000))
        }
        #expect(try directory.names() == [])
    }

    @Test func newStoreIsCreatedWithItsDirectory() throws {
        let directory = try TemporaryDirectory()
        let path = directory.path + "/a/b/store.db"
        let store = try SQLiteFileStore.open(
            at: path, makingFolder: true, clock: Timestamp(rawValue: 1_700_000_000_000))
        let writer = try store.writer()
        #expect(store.recovered.wasCreated && store.recovered.schemaVersion == Migrations.all.count)
        #expect("\(store.recovered)" == "created, schema \(Migrations.all.count)")
        #expect(writer.numbers.nextPosition.rawValue == 1 && writer.numbers.nextMachine.rawValue == 1)
        #expect(store.identity.generation == 1 && store.identity.uuid.bytes[6] >> 4 == 7)
        let mode = try FileManager.default.attributesOfItem(atPath: directory.path + "/a")[.posixPermissions]
        #expect(mode as? Int == 0o700)
        #expect(try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int == 0o600)
        try writer.close()
    }

    @Test func unfinishedCreationIsDoneAgain() throws {
        let directory = try TemporaryDirectory()
        try directory.write(Data("half of a database".utf8), to: "store.db.creating")
        try directory.write(Data("its journal".utf8), to: "store.db.creating-journal")
        let store = try SQLiteFileStore.sqlite(directory)
        #expect(store.recovered.wasCreated)
        try store.writer().close()
        #expect(try directory.names() == ["store.db", "store.db.lock"])
    }

    @Test(arguments: ["store.db-wal", "store.db-journal"])
    func logWithoutItsDatabaseIsNotPlayedIntoANewOne(leftover: String) throws {
        let directory = try TemporaryDirectory()
        try directory.write(Data("old".utf8), to: leftover)
        let error = #expect(throws: StoreError.self) { _ = try SQLiteFileStore.sqlite(directory) }
        #expect(
            error?.message
                == "Cannot create '\(directory.store)': '\(directory.path)/\(leftover)' is there without its database; "
                + "restore the database, or move that file away")
        #expect(try directory.names() == [leftover, "store.db.lock"].sorted())
    }

    @Test func cleanStopLeavesOnlyTheFile() async throws {
        let directory = try TemporaryDirectory()
        let store = try SQLiteFileStore.sqlite(directory)
        let writer = try store.writer()
        let scribe = Scribe(writer)
        scribe.apply("order")
        scribe.start("order-1")
        try scribe.commit(writer)
        _ = try await store.instance(named: "order-1")
        #expect(try directory.names().contains("store.db-wal"))
        try writer.close()
        #expect(try directory.names() == ["store.db", "store.db.lock"])
        let again = try SQLiteFileStore.sqlite(directory)
        let againWriter = try again.writer()
        #expect("\(again.recovered)" == "closed in order, schema \(Migrations.all.count), 1 rows checked")
        #expect(again.identity == store.identity)
        #expect(againWriter.numbers == scribe.numbers)
        try againWriter.close()
    }

    @Test func crashLosesNothingAndIsTold() async throws {
        let directory = try TemporaryDirectory()
        let store = try SQLiteFileStore.sqlite(directory)
        let writer = try store.writer()
        let scribe = Scribe(writer)
        scribe.apply("order")
        scribe.start("order-1")
        try scribe.commit(writer)
        let crashed = try directory.copyAfterCrash()
        try writer.close()
        let log = try #require(crashed.size(of: "store.db-wal"))
        let again = try SQLiteFileStore.sqlite(crashed)
        #expect(
            "\(again.recovered)" == "not closed in order, a log of \(log) bytes, schema \(Migrations.all.count), "
                + "1 rows checked")
        #expect(try await again.instance(named: "order-1") == scribe.instances["order-1"])
        // The log was moved into the file; it holds no more than the commit that took the store over.
        #expect(try #require(crashed.size(of: "store.db-wal")) < log)
        try again.writer().close()
    }

    @Test func everyStartRaisesTheEpoch() throws {
        let directory = try TemporaryDirectory()
        for epoch in 1...3 {
            let store = try SQLiteFileStore.sqlite(directory)
            #expect(try RawFile(directory).value("SELECT epoch || ',' || clean FROM store") == "\(epoch),0")
            try store.writer().close()
            #expect(try RawFile(directory).value("SELECT clean FROM store") == "1")
        }
    }
}
