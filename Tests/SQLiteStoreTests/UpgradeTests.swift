import Foundation
import SQLiteStore
import StoreSuite
import StoreTesting
import Synchronization
import Testing
import WorkflowMigrations
import WorkflowStore

/// An older file is upgraded, and a copy of it as it was stays beside it.
@Suite struct UpgradeTests {
    private static let now = Timestamp(rawValue: 1_700_000_000_000)
    private static let first = [Migrations.all[0]]
    private static let copy = "store.db.before-\(Migrations.all.count)"

    /// Collects the messages of an upgrade.
    private final class Messages: Sendable {
        private let lines = Mutex<[String]>([])
        var all: [String] { lines.withLock { $0 } }
        func add(_ line: String) { lines.withLock { $0.append(line) } }
    }

    private func open(
        _ directory: TemporaryDirectory, keepsCopy: Bool = true, limits: StoreLimits = StoreLimits(),
        migrations: [Migration] = Migrations.all, telling messages: Messages = Messages()
    ) throws -> SQLiteFileStore {
        try SQLiteFileStore.open(
            at: directory.store, clock: Self.now, upgrade: UpgradeOptions(keepsCopy: keepsCopy) { messages.add($0) },
            limits: limits, migrations: migrations)
    }

    /// Writes a file of the first schema with one instance.
    private func old(killed: Bool = false) throws -> TemporaryDirectory {
        let directory = try TemporaryDirectory()
        let writer = try open(directory, migrations: Self.first).writer()
        let scribe = Scribe(writer)
        scribe.start("order-1", scribe.apply("order"))
        var batch = scribe.take()
        // That schema counts nothing.
        batch.tally = [:]
        try writer.commit(batch)
        let crashed = killed ? try directory.copyAfterCrash() : nil
        try writer.close()
        return crashed ?? directory
    }

    /// The older wfd opens the copy, also when the file was not closed in order, and finds its instances.
    @Test(arguments: [false, true])
    func theCopyIsTheFileAsItWas(killed: Bool) async throws {
        let directory = try old(killed: killed)
        let messages = Messages()
        let store = try open(directory, telling: messages)
        let path = "\(directory.path)/\(Self.copy)"
        #expect(store.recovered.openedVersion == 1 && store.recovered.schemaVersion == Migrations.all.count)
        #expect(store.recovered.copiesBeforeUpgrades == [path])
        #expect(
            messages.all == [
                "'\(directory.store)' is being upgraded from schema version 1 to \(Migrations.all.count)",
                "the file as it was is '\(path)'; remove it when you no longer need to go back",
            ])
        #expect(store.upkeep?.keptCopies() == [path])
        try store.writer().close()
        #expect(try directory.names() == ["store.db", Self.copy, "store.db.lock"].sorted())
        let back = try TemporaryDirectory()
        try FileManager.default.moveItem(atPath: path, toPath: back.store)
        let older = try open(back, migrations: Self.first)
        #expect(older.recovered.wasClean && older.recovered.openedVersion == 1)
        #expect(try await older.instance(named: "order-1") != nil)
        try older.writer().close()
        #expect(store.upkeep?.keptCopies() == [])
    }

    @Test func withoutACopyNothingIsKept() throws {
        let directory = try old()
        let store = try open(directory, keepsCopy: false)
        #expect(store.recovered.copiesBeforeUpgrades == [])
        try store.writer().close()
        #expect(try directory.names() == ["store.db", "store.db.lock"])
    }

    /// The next start tells of the copy again, and makes none.
    @Test func theCopyIsToldUntilItIsRemoved() throws {
        let directory = try old()
        try open(directory).writer().close()
        let messages = Messages()
        let again = try open(directory, telling: messages)
        #expect(again.recovered.copiesBeforeUpgrades == ["\(directory.path)/\(Self.copy)"])
        #expect(messages.all == [])
        try again.writer().close()
        try FileManager.default.removeItem(atPath: "\(directory.path)/\(Self.copy)")
        let last = try open(directory)
        #expect(last.recovered.copiesBeforeUpgrades == [])
        try last.writer().close()
    }

    @Test func withoutRoomTheFileStaysAsItIs() throws {
        let directory = try old()
        let before = try directory.contents()["store.db"]
        var limits = StoreLimits()
        limits.upgradeReserveBytes = 1 << 60
        let error = #expect(throws: StoreError.self) { _ = try open(directory, limits: limits) }
        #expect(error?.code == .unavailable)
        #expect(
            error?.message.hasPrefix(
                "Cannot keep a copy of '\(directory.store)' before its upgrade: the copy needs ") == true)
        #expect(error?.message.hasSuffix("with '--no-copy' wfd keeps none") == true)
        #expect(try directory.names() == ["store.db", "store.db.lock"])
        #expect(try directory.contents()["store.db"] == before)
        try open(directory, keepsCopy: false, limits: limits).writer().close()
    }

    /// A kill in the middle leaves an unfinished copy; the file of a person stays.
    @Test func anUnfinishedCopyIsMadeAgain() throws {
        let directory = try old()
        try directory.write(Data("half".utf8), to: Self.copy + ".partial")
        try directory.write(Data("mine".utf8), to: "store.db.before-lunch.partial")
        try open(directory).writer().close()
        #expect(
            try directory.names()
                == ["store.db", Self.copy, "store.db.before-lunch.partial", "store.db.lock"].sorted())
    }

    /// A step that fails leaves the copy of this same file, and the next start goes on with it.
    @Test func theCopyOfAStoppedUpgradeIsUsed() throws {
        let directory = try old()
        let newest = Migrations.all.count
        let failing =
            Array(Migrations.all.dropLast())
            + [Migration(version: Int64(newest), sql: "CREATE TABLE namespace (id)")]
        #expect(throws: StoreError.self) { _ = try open(directory, migrations: failing) }
        let copy = try directory.contents()[Self.copy]
        #expect(copy != nil)
        let messages = Messages()
        try open(directory, telling: messages).writer().close()
        #expect(try directory.contents()[Self.copy] == copy)
        // The copy is named, and the version that the stopped upgrade has reached.
        #expect(messages.all.count == 2 && messages.all[0].hasSuffix("from schema version \(newest - 1) to \(newest)"))
        #expect(messages.all[1].hasPrefix("the file as it was is '\(directory.path)/\(Self.copy)'"))
    }

    /// The copy of an earlier upgrade may be all that is left of something.
    @Test(arguments: [nil, "mine", ""])
    func theCopyOfAnotherFileIsNotOverwritten(text: String?) throws {
        let directory = try old()
        let other = try text.map { Data($0.utf8) } ?? old().contents()["store.db"] ?? Data()
        try directory.write(other, to: Self.copy)
        let error = #expect(throws: StoreError.self) { _ = try open(directory) }
        #expect(error?.code == .cannotOpen)
        #expect(error?.message.contains("\(Self.copy)' is there already, of an earlier upgrade; move it away") == true)
        #expect(try directory.contents()[Self.copy] == other)
        try open(directory, keepsCopy: false).writer().close()
        #expect(try directory.contents()[Self.copy] == other)
    }

    /// Builds that were never released wrote later tables under the number 3.
    @Test func aFileOfAnUnreleasedBuildIsRefused() throws {
        let directory = try TemporaryDirectory()
        try open(directory).writer().close()
        try RawFile(directory).execute("DROP VIEW instances; DROP VIEW history; PRAGMA user_version = 3")
        let before = try directory.contents()
        let error = #expect(throws: StoreError.self) { _ = try open(directory) }
        #expect(error?.code == .olderBuild)
        #expect(
            error?.message
                == "Cannot open '\(directory.store)': it was written by a build of wfd that was never released, or its "
                + "tables were changed since (the table 'audit' is of a later schema); use that build, restore a "
                + "backup, or begin with a new file")
        #expect(try directory.contents() == before)
    }
}
