import Foundation
import GRDB
import SQLiteStore
import StoreSuite
import StoreTesting
import Testing
import WorkflowMigrations
import WorkflowStore

/// Tests backups that replace a database.
@Suite struct RestoreTests {
    private static let now = Timestamp(rawValue: 1_785_490_200_000)

    /// Writes a store with a few instances, and closes it.
    private func write(_ directory: TemporaryDirectory, events: Int) throws -> Scribe {
        let store = try SQLiteFileStore.sqlite(directory)
        let writer = try store.writer()
        let scribe = Scribe(writer)
        scribe.apply("order")
        scribe.start("order-1")
        for _ in 1..<events { scribe.send("order-1", data: #"{"note":"a marker to be found"}"#) }
        try scribe.commit(writer)
        try writer.close()
        return scribe
    }

    /// Returns a backup of the store in another directory.
    private func backup(_ directory: TemporaryDirectory) async throws -> TemporaryDirectory {
        let store = try SQLiteFileStore.sqlite(directory)
        let writer = try store.writer()
        var random = SystemRandomNumberGenerator()
        let name = BackupName(random: &random)
        try writer.copying.beginBackup(name)
        while try !writer.copying.stepBackup(for: .milliseconds(2)).isDone {}
        _ = try await store.completeBackup(name, verify: { _ in }, mayGoOn: { _, _ in true })
        let copy = try TemporaryDirectory()
        let path = directory.store + ".backup-" + name.text
        try copy.write(try Data(contentsOf: URL(filePath: path)), to: "store.db")
        store.removeBackup(name)
        try writer.close()
        return copy
    }

    private func restore(
        _ backup: TemporaryDirectory, to directory: TemporaryDirectory, clock: StoreRestoration.ClockChoice = .kept,
        dryRun: Bool = false
    ) async throws(StoreError) -> RestoreReport {
        try await StoreRestoration(
            backup: backup.store, database: directory.store, clock: clock, isDryRun: dryRun, verify: { _ in }
        )
        .run(clock: Self.now)
    }

    /// A backup of the first release stays as it is until a start upgrades it.
    @Test func aBackupOfTheFirstSchemaIsRestored() async throws {
        let (directory, old) = (try TemporaryDirectory(), try TemporaryDirectory())
        _ = try write(directory, events: 3)
        let first = try SQLiteFileStore.open(
            at: old.store, clock: Self.now, limits: StoreLimits(), migrations: [Migrations.all[0]])
        let writer = try first.writer()
        let scribe = Scribe(writer)
        scribe.start("old-1", scribe.apply("old"))
        var batch = scribe.take()
        // That schema counts nothing.
        batch.tally = [:]
        try writer.commit(batch)
        try writer.close()
        _ = try await restore(old, to: directory)
        #expect(try RawFile(directory).value("SELECT user_version FROM pragma_user_version") == "1")
        let restored = try SQLiteFileStore.sqlite(directory)
        #expect(restored.recovered.openedVersion == 1 && restored.recovered.schemaVersion == Migrations.all.count)
        #expect(try await restored.instance(named: "old-1") == scribe.instances["old-1"])
        try restored.writer().close()
    }

    @Test func effectsAndTheirAttemptsAreInABackup() async throws {
        let directory = try TemporaryDirectory()
        let writer = try SQLiteFileStore.sqlite(directory).writer()
        let scribe = Scribe(writer)
        scribe.start("order-1", scribe.apply("order"))
        let effect = scribe.begin("order-1")
        let attempt = AttemptRecord(
            instanceID: effect.instanceID, effect: effect.id, name: effect.name, attempt: 1, begun: effect.due,
            ended: effect.due, outcome: "timeout")
        var batch = scribe.take()
        batch.attempts = [attempt]
        try writer.commit(batch)
        try writer.close()
        let target = try TemporaryDirectory()
        _ = try await restore(try await backup(directory), to: target)
        let restored = try SQLiteFileStore.sqlite(target)
        #expect(try await restored.effects([effect.id]) == [effect])
        #expect(try await restored.attempts(of: effect.id, instance: effect.instanceID) == [attempt])
        try restored.writer().close()
    }

    @Test func theBackupTakesThePlaceAndTheDatabaseIsKept() async throws {
        let directory = try TemporaryDirectory()
        let scribe = try write(directory, events: 300)
        let backup = try await backup(directory)
        let store = try SQLiteFileStore.sqlite(directory)
        let writer = try store.writer()
        let later = Scribe(writer)
        later.apply("refund")
        later.start("refund-1")
        try later.commit(writer)
        // A kill leaves a log beside the file.
        let killed = try directory.copyAfterCrash()
        try writer.close()

        let report = try await restore(backup, to: killed)
        #expect(
            report.contents
                == StoreContents(generation: 2, instances: 1, events: 300, last: scribe.numbers.last))
        #expect(report.replaced == killed.store + ".replaced-20260731T093000Z")
        #expect(
            try killed.names() == [
                "store.db", "store.db.lock", "store.db.replaced-20260731T093000Z",
                "store.db.replaced-20260731T093000Z-wal",
            ])
        let restored = try SQLiteFileStore.sqlite(killed)
        let restoredWriter = try restored.writer()
        #expect(restored.recovered.wasClean && restored.recovered.logBytesFound == nil)
        #expect(restored.identity.generation == 2)
        #expect(
            restored.lineage.restorations
                == [Restoration(generation: 2, parent: 1, next: Position(rawValue: 301), restored: Self.now)])
        #expect(try restoredWriter.instance(named: "order-1") == scribe.instances["order-1"])
        #expect(try restoredWriter.instance(named: "refund-1") == nil)
        try restoredWriter.close()

        // The database that was kept is whole, with the rows that were only in its log.
        let kept = try TemporaryDirectory()
        let name = "store.db.replaced-20260731T093000Z"
        for suffix in ["", "-wal"] {
            try kept.write(
                try Data(contentsOf: URL(filePath: killed.path + "/" + name + suffix)), to: "store.db" + suffix)
        }
        let old = try SQLiteFileStore.sqlite(kept)
        let oldWriter = try old.writer()
        #expect(try oldWriter.instance(named: "refund-1") == later.instances["refund-1"])
        #expect(old.identity.generation == 1)
        try oldWriter.close()
    }

    /// A daemon that runs as another user must be able to open the restored file.
    @Test func whoMayReadItStaysTheSame() async throws {
        let directory = try TemporaryDirectory()
        _ = try write(directory, events: 3)
        let backup = try await backup(directory)
        chmod(directory.store, 0o640)
        // Only root may give a file to another user.
        let owner: uid_t = geteuid() == 0 ? 65_534 : geteuid()
        chown(directory.store, owner, getegid())
        _ = try await restore(backup, to: directory)
        let attributes = try FileManager.default.attributesOfItem(atPath: directory.store)
        #expect(attributes[.posixPermissions] as? Int == 0o640)
        #expect(attributes[.ownerAccountID] as? Int == Int(owner))
    }

    @Test func everyRestoreIsAGenerationOfItsOwn() async throws {
        let directory = try TemporaryDirectory()
        _ = try write(directory, events: 3)
        let first = try await backup(directory)
        #expect(try await restore(first, to: directory).contents.generation == 2)
        #expect(try await restore(first, to: directory).contents.generation == 3)
        let third = try await backup(directory)
        #expect(try await restore(third, to: directory).contents.generation == 4)
        let store = try SQLiteFileStore.sqlite(directory)
        #expect(store.lineage.restorations.map(\.generation) == [2, 3, 4])
        #expect(store.lineage.restorations.map(\.parent) == [1, 1, 3])
        try store.writer().close()
        let kept = try directory.names().filter { $0.contains("replaced") }
        let name = "store.db.replaced-20260731T093000Z"
        #expect(kept == [name, name + "-2", name + "-3"])
    }

    @Test func aDryRunVerifiesAndChangesNothing() async throws {
        let directory = try TemporaryDirectory()
        _ = try write(directory, events: 3)
        let backup = try await backup(directory)
        let before = try directory.contents()
        let report = try await restore(backup, to: directory, dryRun: true)
        #expect(report.contents.generation == 2)
        #expect(report.replaced == directory.store + ".replaced-20260731T093000Z" && report.events == 0)
        var after = try directory.contents()
        after["store.db.lock"] = before["store.db.lock"]
        #expect(after == before)
    }

    /// These are the later events of the backup's generation, and all events of later generations.
    @Test func aRestoreTellsHowManyEventsItTakesAway() async throws {
        let directory = try TemporaryDirectory()
        _ = try write(directory, events: 3)
        let first = try await backup(directory)
        func add(_ name: String, _ count: Int) throws {
            let store = try SQLiteFileStore.sqlite(directory)
            let writer = try store.writer()
            let scribe = Scribe(writer)
            scribe.apply(name)
            scribe.start(name)
            for _ in 1..<count { scribe.send(name) }
            try scribe.commit(writer)
            try writer.close()
        }
        try add("a", 4)
        #expect(try await restore(first, to: directory, dryRun: true).events == 4)
        let second = try await backup(directory)
        #expect(try await restore(first, to: directory).events == 4)
        try add("b", 5)
        #expect(try await restore(first, to: directory, dryRun: true).events == 5)
        // The backup is of the generation that was given up. The three events that it began with are in both.
        #expect(try await restore(second, to: directory, dryRun: true).events == 5)
        let other = try TemporaryDirectory()
        _ = try write(other, events: 7)
        #expect(try await restore(first, to: other, dryRun: true).events == 7)
        #expect(try await restore(first, to: try TemporaryDirectory()).events == nil)
    }

    @Test func aCopyForTheVirtualClockSaysSo() async throws {
        let directory = try TemporaryDirectory()
        _ = try write(directory, events: 3)
        let copy = try TemporaryDirectory()
        _ = try await restore(try await backup(directory), to: copy, clock: .virtual)
        #expect(try RawFile(copy).value("SELECT clock FROM store") == "virtual")
        #expect(try RawFile(copy).value("SELECT held FROM store") == "1")
        _ = try await restore(try await backup(directory), to: directory)
        #expect(try RawFile(directory).value("SELECT clock FROM store") == "real")
    }

    @Test func whileSomebodyHoldsTheDatabaseItIsRefused() async throws {
        let directory = try TemporaryDirectory()
        _ = try write(directory, events: 3)
        let backup = try await backup(directory)
        let store = try SQLiteFileStore.sqlite(directory)
        let error = await #expect(throws: StoreError.self) { _ = try await restore(backup, to: directory) }
        #expect(error?.code == .locked)
        // A database that is served is not accepted as a backup.
        let copy = try TemporaryDirectory()
        await #expect(throws: StoreError.self) { _ = try await restore(directory, to: copy) }
        try store.writer().close()
        #expect(try copy.names().allSatisfy { $0 == "store.db.lock" })
    }

    @Test(arguments: ["journal", "instance", "schema", "page"])
    func aDamagedBackupIsRefusedAndNothingChanges(what: String) async throws {
        let directory = try TemporaryDirectory()
        _ = try write(directory, events: 300)
        let backup = try await backup(directory)
        let before = try directory.contents()
        switch what {
        case "journal":
            // This changes one byte of the data of some row.
            var bytes = try Data(contentsOf: URL(filePath: backup.store))
            let place = try #require(bytes.firstRange(of: Data("a marker".utf8)))
            bytes[place.lowerBound] = UInt8(ascii: "A")
            try backup.write(bytes, to: "store.db")
        case "instance": try RawFile(backup).forge("instance", "UPDATE instance SET seq = seq - 1")
        case "schema": try RawFile(backup).execute("DROP INDEX instance_list")
        default:
            var bytes = try Data(contentsOf: URL(filePath: backup.store))
            bytes.replaceSubrange(20_000..<21_000, with: Data(count: 1_000))
            try backup.write(bytes, to: "store.db")
        }
        let error = await #expect(throws: StoreError.self) { _ = try await restore(backup, to: directory) }
        #expect(error?.code == .damaged)
        #expect(error?.message.hasPrefix("'\(backup.store)' is damaged: ") == true)
        var after = try directory.contents()
        after["store.db.lock"] = before["store.db.lock"]
        #expect(after == before)
    }

    @Test func whatIsNoBackupIsRefused() async throws {
        let directory = try TemporaryDirectory()
        _ = try write(directory, events: 3)
        let other = try TemporaryDirectory()
        func message() async -> String? {
            let error = await #expect(throws: StoreError.self) { _ = try await restore(other, to: directory) }
            return error?.message
        }
        #expect(await message() == "Cannot restore '\(other.store)': there is no such file")
        try other.write(Data("no database".utf8), to: "store.db")
        #expect(await message() == "Cannot open '\(other.store)': it is not an SQLite database")
        try other.write(try Data(contentsOf: URL(filePath: directory.store)), to: "store.db")
        try other.write(Data("log".utf8), to: "store.db-wal")
        #expect(await message()?.contains("part of it is in the log beside it") == true)
        try FileManager.default.removeItem(atPath: other.store + "-wal")
        try RawFile(other).execute("UPDATE store SET clean = 0")
        #expect(await message()?.contains("was not closed in order") == true)
        try RawFile(other).execute("PRAGMA user_version = 99")
        #expect(await message()?.contains("its schema version 99 is newer than") == true)
        let same = await #expect(throws: StoreError.self) { _ = try await restore(directory, to: directory) }
        #expect(same?.message == "Cannot restore '\(directory.store)': it is the database itself")
        #expect(try directory.names() == ["store.db", "store.db.lock"])
    }

    @Test func aDatabaseThatCannotBeReadIsReplacedAllTheSame() async throws {
        let directory = try TemporaryDirectory()
        _ = try write(directory, events: 3)
        let backup = try await backup(directory)
        var bytes = try Data(contentsOf: URL(filePath: directory.store))
        bytes.replaceSubrange(100..<8_192, with: Data(count: 8_092))
        try directory.write(bytes, to: "store.db")
        let report = try await restore(backup, to: directory)
        #expect(report.unreadable != nil)
        #expect(report.contents.generation == 1_001)
        #expect(try Data(contentsOf: URL(filePath: try #require(report.replaced))) == bytes)
        let store = try SQLiteFileStore.sqlite(directory)
        try store.writer().close()
    }

    @Test func whereNoDatabaseWasItIsTheFirst() async throws {
        let directory = try TemporaryDirectory()
        _ = try write(directory, events: 3)
        let empty = try TemporaryDirectory()
        let report = try await restore(try await backup(directory), to: empty)
        #expect(report.replaced == nil && report.contents.generation == 2)
        #expect(try empty.names() == ["store.db", "store.db.lock"])
    }

    /// If it stayed beside another database, SQLite would play it into that one.
    @Test func aLogWithoutItsDatabaseIsPutAway() async throws {
        let directory = try TemporaryDirectory()
        _ = try write(directory, events: 3)
        let backup = try await backup(directory)
        let other = try TemporaryDirectory()
        try other.write(Data("a log".utf8), to: "store.db-wal")
        let report = try await restore(backup, to: other)
        #expect(report.replaced == other.store + ".replaced-20260731T093000Z-wal")
        #expect(try other.names() == ["store.db", "store.db.lock", "store.db.replaced-20260731T093000Z-wal"])
        let store = try SQLiteFileStore.sqlite(other)
        let writer = try store.writer()
        #expect(try writer.instance(named: "order-1") != nil)
        try writer.close()
    }

    /// On a file system without second names, the database has lost its name when the restore is killed.
    @Test func aKilledRestoreThatLeftNoDatabaseIsBegunAgain() async throws {
        let directory = try TemporaryDirectory()
        _ = try write(directory, events: 3)
        let backup = try await backup(directory)
        let kept = directory.store + ".replaced-20260731T092959Z"
        try FileManager.default.moveItem(atPath: directory.store, toPath: kept)
        try directory.write(Data("half a copy".utf8), to: "store.db.restoring")
        let error = #expect(throws: StoreError.self) { _ = try SQLiteFileStore.sqlite(directory) }
        #expect(
            error?.message
                == "Cannot open '\(directory.store)': a restore was cut off while it kept the database as '\(kept)'; "
                + "run 'wfd restore' again")
        let report = try await restore(backup, to: directory)
        #expect(report.contents.generation == 2 && report.replaced == kept)
        try SQLiteFileStore.sqlite(directory).writer().close()
    }

    /// The restore was killed before it touched the database.
    @Test func aCopyThatCameToNoEndIsRemovedAtStart() throws {
        let directory = try TemporaryDirectory()
        _ = try write(directory, events: 3)
        for suffix in ["", "-wal", "-journal"] {
            try directory.write(Data("half a copy".utf8), to: "store.db.restoring" + suffix)
        }
        try SQLiteFileStore.sqlite(directory).writer().close()
        #expect(try directory.names() == ["store.db", "store.db.lock"])
    }

    @Test func theGivenVerificationIsUsed() async throws {
        let directory = try TemporaryDirectory()
        _ = try write(directory, events: 3)
        let backup = try await backup(directory)
        let verify: FileVerification = { copy in
            #expect(try await copy.instance(named: "order-1") != nil)
            throw StoreError(.damaged, "it says no")
        }
        let restoration = StoreRestoration(backup: backup.store, database: directory.store, verify: verify)
        let error = await #expect(throws: StoreError.self) { _ = try await restoration.run(clock: Self.now) }
        #expect(error?.message == "'\(backup.store)' is damaged: it says no")
        #expect(try directory.names() == ["store.db", "store.db.lock"])

        let store = try SQLiteFileStore.sqlite(directory)
        let writer = try store.writer()
        var random = SystemRandomNumberGenerator()
        let name = BackupName(random: &random)
        try writer.copying.beginBackup(name)
        while try !writer.copying.stepBackup(for: .milliseconds(2)).isDone {}
        let same = await #expect(throws: StoreError.self) {
            _ = try await store.completeBackup(name, verify: verify, mayGoOn: { _, _ in true })
        }
        #expect(
            same?.message
                == "Cannot back up '\(directory.store)': the copy is damaged: it says no; verify the database")
        try writer.close()
        #expect(try directory.names() == ["store.db", "store.db.lock"])
    }
}
