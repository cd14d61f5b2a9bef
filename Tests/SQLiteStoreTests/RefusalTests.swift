import Foundation
import GRDB
import SQLiteStore
import StoreSuite
import Testing
import WorkflowMigrations
import WorkflowStore

@Suite struct RefusalTests {
    private static let now = Timestamp(rawValue: 1_700_000_000_000)

    /// Expects that opening fails with an error, and leaves every byte and every name as it was.
    private func expectRefusal(
        _ directory: TemporaryDirectory, _ code: StoreError.Code, _ message: String, mayLock: Bool = false,
        location: SourceLocation = #_sourceLocation
    ) throws {
        let before = try directory.contents()
        let error = #expect(throws: StoreError.self, sourceLocation: location) {
            _ = try SQLiteFileStore.sqlite(directory)
        }
        #expect(error?.code == code, sourceLocation: location)
        #expect(error?.message == "Cannot open '\(directory.store)': \(message)", sourceLocation: location)
        var after = try directory.contents()
        if mayLock { after["store.db.lock"] = nil }
        #expect(after == before, sourceLocation: location)
    }

    @Test func emptyFileIsRefused() throws {
        let directory = try TemporaryDirectory()
        try directory.write(Data(), to: "store.db")
        try expectRefusal(directory, .foreignFile, "it is empty; remove it to create a store there")
    }

    @Test(arguments: [50, 100, 5_000])
    func whatIsNotADatabaseIsRefused(size: Int) throws {
        let directory = try TemporaryDirectory()
        try directory.write(Data(repeating: 65, count: size), to: "store.db")
        try expectRefusal(directory, .foreignFile, "it is not an SQLite database")
    }

    @Test(arguments: ["delete", "wal"])
    func databaseOfAnotherProgramIsRefused(mode: String) throws {
        let directory = try TemporaryDirectory()
        try RawFile(directory).execute(
            "PRAGMA journal_mode = \(mode); CREATE TABLE theirs (a); PRAGMA user_version = 1")
        try expectRefusal(directory, .foreignFile, "it is a database of another program")
    }

    @Test func directoryIsRefused() throws {
        let directory = try TemporaryDirectory()
        try FileManager.default.createDirectory(atPath: directory.store, withIntermediateDirectories: false)
        let error = #expect(throws: StoreError.self) { _ = try SQLiteFileStore.sqlite(directory) }
        #expect(error?.message == "Cannot open '\(directory.store)': it is not a file")
        #expect(try directory.names() == ["store.db"])
    }

    @Test func newerSchemaIsRefused() throws {
        let directory = try TemporaryDirectory()
        try SQLiteFileStore.sqlite(directory).writer().close()
        try RawFile(directory).execute("PRAGMA user_version = 99")
        try FileManager.default.removeItem(atPath: directory.store + ".lock")
        try expectRefusal(
            directory, .newerSchema,
            "its schema version 99 is newer than \(Migrations.all.count), the newest that this wfd knows; "
                + "run a newer wfd")
    }

    /// The header in the file still has version 1; the newer version is only in the log.
    @Test func newerSchemaInTheLogIsRefused() throws {
        let directory = try TemporaryDirectory()
        try SQLiteFileStore.sqlite(directory).writer().close()
        let connection = try DatabaseQueue(path: directory.store)
        try connection.inDatabase { database in try database.execute(sql: "PRAGMA user_version = 99") }
        let crashed = try directory.copyAfterCrash()
        try connection.close()
        try #require(crashed.size(of: "store.db-wal") ?? 0 > 0)
        try expectRefusal(
            crashed, .newerSchema,
            "its schema version 99 is newer than \(Migrations.all.count), the newest that this wfd knows; "
                + "run a newer wfd", mayLock: true)
    }

    @Test func secondDaemonIsToldThePid() throws {
        let directory = try TemporaryDirectory()
        let store = try SQLiteFileStore.sqlite(directory)
        let writer = try store.writer()
        let error = #expect(throws: StoreError.self) { _ = try SQLiteFileStore.sqlite(directory) }
        #expect(error?.code == .locked)
        let pid = ProcessInfo.processInfo.processIdentifier
        #expect(error?.message == "Cannot open '\(directory.store)': it is in use by process \(pid)")
        // The first goes on.
        let scribe = Scribe(writer)
        scribe.apply("order")
        try scribe.commit(writer)
        try writer.close()
        try SQLiteFileStore.sqlite(directory).writer().close()
    }

    @Test func anotherNameOfTheFileHasTheSameLock() throws {
        let directory = try TemporaryDirectory()
        let store = try SQLiteFileStore.sqlite(directory)
        let link = directory.path + "/link.db"
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: directory.store)
        #expect(throws: StoreError.self) { _ = try SQLiteFileStore.open(at: link, clock: Self.now) }
        #expect(try !directory.names().contains("link.db.lock"))
        try store.writer().close()
    }

    @Test(arguments: ["", ".", "/", "no/such/../"])
    func pathThatNamesNoFileIsRefused(path: String) {
        #expect { _ = try SQLiteFileStore.open(at: path, clock: Self.now) } throws: { error in
            [.cannotOpen, .foreignFile].contains((error as? StoreError)?.code)
        }
    }
}
