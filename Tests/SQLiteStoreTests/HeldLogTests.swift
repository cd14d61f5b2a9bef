import DiskTesting
import Foundation
import GRDB
import SQLiteStore
import StoreSuite
import StoreTesting
import Testing
import WorkflowStore

/// Tests stores of a killed daemon whose log is gone: moved into the file by another program, or lost.
@Suite struct HeldLogTests {
    /// Returns a store with events in its log, as a kill leaves it. Some pages were moved into the file before.
    private func killed() throws -> (directory: TemporaryDirectory, scribe: Scribe) {
        let directory = try TemporaryDirectory()
        var limits = StoreLimits()
        limits.passiveFrames = 1
        let store = try SQLiteFileStore.sqlite(directory, limits)
        let writer = try store.writer()
        let scribe = Scribe(writer)
        scribe.apply("order")
        scribe.start("order-1")
        try scribe.commit(writer)
        try writer.maintain()
        for number in 2...40 {
            scribe.start("order-\(number)")
            try scribe.commit(writer)
        }
        let killed = try directory.copyAfterCrash()
        #expect(
            try FileManager.default.attributesOfItem(atPath: directory.store + "-wal")[.referenceCount] as? Int == 2)
        try FileManager.default.linkItem(atPath: killed.store + "-wal", toPath: killed.store + ".held-wal")
        try writer.close()
        #expect(try directory.names() == ["store.db", "store.db.lock"])
        return (killed, scribe)
    }

    private func remove(_ suffix: String, of directory: TemporaryDirectory) throws {
        try FileManager.default.removeItem(atPath: directory.store + suffix)
    }

    /// Expects all events, and that the store works as any other.
    private func expectWhole(_ directory: TemporaryDirectory, _ scribe: Scribe, moved: Bool) throws {
        let store = try SQLiteFileStore.sqlite(directory)
        let writer = try store.writer()
        #expect(store.recovered.logWasMoved == moved)
        #expect("\(store.recovered)".contains("not closed in order, its log moved into it by another program") == moved)
        for (name, instance) in scribe.instances { #expect(try writer.instance(named: name) == instance) }
        let next = try scribe.resumed(writer)
        next.send("order-1")
        try next.commit(writer)
        try writer.close()
        #expect(try directory.names() == ["store.db", "store.db.lock"])
    }

    private func expectRefused(_ directory: TemporaryDirectory) throws {
        try expectRefused(directory, log: "is missing", "and making an empty file '\(directory.store)-wal'")
    }

    private func expectRefused(_ directory: TemporaryDirectory, log: String, _ without: String...) throws {
        let error = #expect(throws: StoreError.self) { _ = try SQLiteFileStore.sqlite(directory) }
        #expect(error?.code == .damaged)
        #expect(
            error?.message
                == "Cannot open '\(directory.store)': it was not closed in order, and its write-ahead log "
                + "'\(directory.store)-wal' \(log), so the last commits are missing; unless another program has "
                + "written to the database since, rename '\(directory.store).held-wal', which is that log, to it, "
                + "restore a backup, or go on without them by "
                + (["moving '\(directory.store).held-wal' away"] + without).joined(separator: " "))
    }

    /// Another program runs each statement on its own connection, and closes the connection.
    @Test(arguments: [
        ["SELECT count(*) FROM journal"], ["PRAGMA wal_checkpoint(TRUNCATE)"],
        ["UPDATE instance SET updated_ms = updated_ms + 0", "SELECT 1"],
    ])
    func aLogThatAnotherProgramMovedIntoTheFileIsNotMissed(statements: [String]) throws {
        let (killed, scribe) = try killed()
        for statement in statements { try RawFile(killed).execute(statement) }
        #expect(try killed.names() == ["store.db", "store.db.held-wal"])
        let file = try SQLiteFile.open(at: killed.store)
        #expect(!file.isLogMissing)
        try file.close()
        try expectWhole(killed, scribe, moved: true)
    }

    @Test func aLogThatIsLostIsMissedAndCanBePutBack() throws {
        let (killed, scribe) = try killed()
        try remove("-wal", of: killed)
        try expectRefused(killed)
        let file = try SQLiteFile.open(at: killed.store)
        #expect(file.isLogMissing)
        try file.close()
        try FileManager.default.moveItem(atPath: killed.store + ".held-wal", toPath: killed.store + "-wal")
        try expectWhole(killed, scribe, moved: false)
    }

    /// A checkpoint writes page by page. If it is killed, ours or that of another program, the file has the new row of
    /// `store` and old pages after it. Without its log that file is torn.
    @Test(arguments: [1, 2, 3, 5]) func aFileThatHasSomeOfTheLogsPagesIsRefused(moved: Int) throws {
        let (killed, scribe) = try killed()
        let whole = try killed.copyAfterCrash()
        try RawFile(whole).execute("SELECT count(*) FROM journal")
        let new = try Data(contentsOf: URL(filePath: whole.store))
        let old = try Data(contentsOf: URL(filePath: killed.store))
        let pages = (0..<min(old.count, new.count) / 4_096).filter { page in
            new[page * 4_096..<(page + 1) * 4_096] != old[page * 4_096..<(page + 1) * 4_096]
        }
        try #require(pages.count > moved)
        var torn = old
        for page in pages.prefix(moved) {
            torn.replaceSubrange(
                page * 4_096..<(page + 1) * 4_096, with: new[page * 4_096..<(page + 1) * 4_096])
        }
        try killed.write(torn, to: "store.db")
        try remove("-wal", of: killed)
        try expectRefused(killed)
        try FileManager.default.moveItem(atPath: killed.store + ".held-wal", toPath: killed.store + "-wal")
        try expectWhole(killed, scribe, moved: false)
    }

    /// A reader in another program held the checkpoint back: some transactions are complete in the file, others are
    /// missing.
    @Test func aCheckpointThatAReaderHeldBackIsNoWholeOne() throws {
        let (killed, scribe) = try killed()
        let reader = try ForeignReader(killed.store)
        let writer = try DatabaseQueue(path: killed.store)
        try writer.inDatabase { database in
            try database.execute(sql: "UPDATE instance SET updated_ms = updated_ms + 1; PRAGMA wal_checkpoint(PASSIVE)")
        }
        let held = try killed.copyAfterCrash()
        try reader.end()
        try writer.close()
        try FileManager.default.moveItem(atPath: held.store + "-wal", toPath: held.store + ".held-wal")
        try expectRefused(held)
        try FileManager.default.moveItem(atPath: held.store + ".held-wal", toPath: held.store + "-wal")
        let again = try SQLiteFileStore.sqlite(held).writer()
        #expect(try again.instance(named: "order-40")?.seq == scribe.instances["order-40"]?.seq)
        try again.close()
    }

    /// Rows that were written after the log was moved are in no log any more: only the operator knows that nothing is
    /// missing.
    @Test func aFileThatWasWrittenToAfterwardsIsLeftToTheOperator() throws {
        let (killed, _) = try killed()
        try RawFile(killed).execute("SELECT 1 FROM store")
        try RawFile(killed).execute("UPDATE instance SET updated_ms = updated_ms + 1")
        try expectRefused(killed)
        try remove(".held-wal", of: killed)
        try killed.write(Data(), to: "store.db-wal")
        try SQLiteFileStore.sqlite(killed).writer().close()
        #expect(try killed.names() == ["store.db", "store.db.lock"])
    }

    /// A copy by hand puts an empty or an older log in the log's place.
    @Test(arguments: [true, false]) func aLogThatIsAnotherOneIsRefusedAndCanBePutBack(isEmpty: Bool) throws {
        let (killed, scribe) = try killed()
        let log = try Data(contentsOf: URL(filePath: killed.store + "-wal"))
        try remove("-wal", of: killed)
        try killed.write(isEmpty ? Data() : log.prefix(log.count / 2), to: "store.db-wal")
        let file = try SQLiteFile.open(at: killed.store)
        #expect(file.isLogMissing)
        try file.close()
        try expectRefused(killed, log: "is not the one that wfd wrote")
        try remove("-wal", of: killed)
        try FileManager.default.moveItem(atPath: killed.store + ".held-wal", toPath: killed.store + "-wal")
        try expectWhole(killed, scribe, moved: false)
    }

    /// A copy of the folder may make two files of the log's two names.
    @Test func aCopyWithoutHardLinksIsAccepted() throws {
        let (killed, scribe) = try killed()
        let log = try Data(contentsOf: URL(filePath: killed.store + "-wal"))
        try remove("-wal", of: killed)
        try killed.write(log, to: "store.db-wal")
        let file = try SQLiteFile.open(at: killed.store)
        #expect(!file.isLogMissing)
        try file.close()
        try expectWhole(killed, scribe, moved: false)
    }

    @Test func anOtherLogIsAcceptedWhenTheHeldOneIsMovedAway() throws {
        let (killed, _) = try killed()
        try remove("-wal", of: killed)
        try killed.write(Data(), to: "store.db-wal")
        try expectRefused(killed, log: "is not the one that wfd wrote")
        try remove(".held-wal", of: killed)
        try SQLiteFileStore.sqlite(killed).writer().close()
        #expect(try killed.names() == ["store.db", "store.db.lock"])
    }

    /// The second name of an older log has no meaning for the present one.
    @Test func aSecondNameOfAnOlderLogIsReplacedAtStart() throws {
        let (killed, scribe) = try killed()
        try remove(".held-wal", of: killed)
        try killed.write(Data("old".utf8), to: "store.db.held-wal")
        let store = try SQLiteFileStore.sqlite(killed)
        let writer = try store.writer()
        let names = try FileManager.default.attributesOfItem(atPath: killed.store + ".held-wal")[.referenceCount]
        #expect(names as? Int == 2)
        for (name, instance) in scribe.instances { #expect(try writer.instance(named: name) == instance) }
        try writer.close()
    }

    @Test func aRestoreKeepsTheSecondNameWithTheDatabase() async throws {
        let (killed, _) = try killed()
        let backup = try TemporaryDirectory()
        let store = try SQLiteFileStore.sqlite(backup)
        try store.writer().close()
        try remove("-wal", of: killed)
        let report = try await StoreRestoration(backup: backup.store, database: killed.store, verify: { _ in })
            .run(clock: Timestamp(rawValue: 1_785_490_200_000))
        let kept = try #require(report.replaced)
        #expect(FileManager.default.fileExists(atPath: kept + ".held-wal"))
        #expect(!FileManager.default.fileExists(atPath: killed.store + ".held-wal"))
        try SQLiteFileStore.sqlite(killed).writer().close()
    }
}
