import DiskTesting
import Foundation
import GRDB
import GRDBSQLite
import SQLiteStore
import StoreSuite
import StoreTesting
import Testing
import ThreadTesting
import WorkflowStore

/// Tests copies of a store that are made while it is written to.
@Suite(.tags(.heavy)) struct FileBackupTests {
    private static let slice = Duration.milliseconds(2)

    /// Writes events of some size, so that the file has a few thousand pages.
    private func fill(_ scribe: Scribe, rows: Int, bytes: Int = 1_000) throws {
        let data = #"{"filler":"\#(String(repeating: "x", count: bytes))"}"#
        for number in 0..<rows {
            scribe.send("order-\(number % 100)", data: data)
            if number % 200 == 199 { try scribe.commit(scribe.writer) }
        }
        try scribe.commit(scribe.writer)
    }

    private func opened(_ directory: TemporaryDirectory, rows: Int) throws -> (SQLiteFileStore, Scribe) {
        let store = try SQLiteFileStore.sqlite(directory)
        let writer = try store.writer()
        let scribe = Scribe(writer)
        scribe.apply("order")
        for number in 0..<100 { scribe.start("order-\(number)") }
        try fill(scribe, rows: rows)
        try writer.maintain()
        return (store, scribe)
    }

    private func name() -> BackupName {
        var random = SystemRandomNumberGenerator()
        return BackupName(random: &random)
    }

    /// Copies the store beside a writer that commits and checkpoints between the slices. Returns the processor time of
    /// the slices, the shortest first.
    private func copy(_ scribe: Scribe, _ name: BackupName, between: (Int) throws -> Void) throws -> [Duration] {
        try scribe.writer.copying.beginBackup(name)
        var slices: [Duration] = []
        while true {
            var isDone = false
            let begin = processorTime()
            isDone = try scribe.writer.copying.stepBackup(for: Self.slice).isDone
            slices.append(processorTime() - begin)
            if isDone { return slices.sorted() }
            try between(slices.count)
        }
    }

    @Test func aCopyMadeWhileWritingHoldsAllThatWasCommittedBeforeItsEnd() async throws {
        let directory = try TemporaryDirectory()
        let (store, scribe) = try opened(directory, rows: 20_000)
        let name = name()
        var commits = 0
        let begun = ContinuousClock.now
        let slices = try copy(scribe, name) { number in
            // Rows old and new: pages before and behind the place where the copying is.
            scribe.start("new-\(number)")
            for other in 0..<20 { scribe.send("order-\((number * 7 + other) % 100)") }
            try scribe.commit(scribe.writer)
            try scribe.writer.maintain()
            commits += 1
        }
        let copied = ContinuousClock.now
        let backup = try await store.completeBackup(name, verify: { _ in }, mayGoOn: { _, _ in true })
        let checked = ContinuousClock.now
        let rows = scribe.history.values.reduce(0) { $0 + $1.count }
        #expect(backup.contents.events == Int64(rows))
        #expect(backup.contents.instances == Int64(100 + commits))
        #expect(backup.contents.last == scribe.numbers.last)
        #expect(commits > 5)
        print(
            "backup: \(backup.bytes >> 20) MiB copied in \(copied - begun) beside \(commits) commits, checked in "
                + "\(checked - copied); \(slices.count) slices, median \(slices[slices.count / 2]), "
                + "longest \(slices[slices.count - 1])")
        // A page may take longer than the rest of a slice; the slices as a whole keep the bound.
        #expect(slices[slices.count / 4] < .milliseconds(4))

        // The backup is a store of its own, like any other.
        let path = directory.path + "/store.db.backup-" + name.text
        let copy = try TemporaryDirectory()
        try copy.write(try Data(contentsOf: URL(filePath: path)), to: "store.db")
        let digest = Digest(of: try Data(contentsOf: URL(filePath: path)))
        #expect(digest == backup.digest)
        let opened = try SQLiteFileStore.sqlite(copy)
        let openedWriter = try opened.writer()
        #expect(opened.recovered.wasClean && opened.recovered.logBytesFound == nil)
        for (name, history) in scribe.history {
            let instance = try #require(try openedWriter.instance(named: name))
            #expect(instance == scribe.instances[name])
            let found = try await opened.history(
                HistoryQuery(
                    instance: instance.id, head: instance.head, headSeq: instance.seq,
                    seqs: max(1, instance.seq.rawValue - 9)...instance.seq.rawValue, isReversed: false))
            #expect(found == Array(history.suffix(10)))
        }
        try openedWriter.close()
        try scribe.writer.close()
    }

    @Test func whatIsLeftBesideTheStoreIsTheCopyAlone() async throws {
        let directory = try TemporaryDirectory()
        let (store, scribe) = try opened(directory, rows: 200)
        let name = name()
        _ = try copy(scribe, name) { _ in }
        _ = try await store.completeBackup(name, verify: { _ in }, mayGoOn: { _, _ in true })
        let file = "store.db.backup-" + name.text
        #expect(
            try directory.names()
                == ["store.db", "store.db-shm", "store.db-wal", file, "store.db.held-wal", "store.db.lock"].sorted())
        let mode = try FileManager.default.attributesOfItem(atPath: directory.path + "/" + file)[.posixPermissions]
        #expect(mode as? Int == 0o600)
        // An older backup is removed at the next start.
        try scribe.writer.close()
        let next = try SQLiteFileStore.sqlite(directory)
        #expect(try !directory.names().contains(file))
        try next.writer().close()
    }

    @Test func aBackupThatIsGivenUpLeavesNothing() throws {
        let directory = try TemporaryDirectory()
        let (_, scribe) = try opened(directory, rows: 5_000)
        try scribe.writer.copying.beginBackup(name())
        _ = try scribe.writer.copying.stepBackup(for: .zero)
        #expect(try directory.names().contains { $0.hasSuffix(".partial") })
        try scribe.writer.copying.abandonBackup()
        #expect(try !directory.names().contains { $0.contains("backup") })
        // And another one may begin, and be cut off by the end of the store.
        try scribe.writer.copying.beginBackup(name())
        _ = try scribe.writer.copying.stepBackup(for: .zero)
        scribe.send("order-1")
        try scribe.commit(scribe.writer)
        try scribe.writer.close()
        #expect(try directory.names() == ["store.db", "store.db.lock"])
    }

    @Test func checkingMayBeCutOff() async throws {
        let directory = try TemporaryDirectory()
        let (store, scribe) = try opened(directory, rows: 500)
        let name = name()
        _ = try copy(scribe, name) { _ in }
        await #expect(throws: StoreError.self) {
            _ = try await store.completeBackup(name, verify: { _ in }, mayGoOn: { _, _ in false })
        }
        #expect(try !directory.names().contains { $0.contains("backup") })
        try scribe.writer.close()
    }

    @Test func aFullDiskEndsTheBackupAndNothingElse() throws {
        let directory = try TemporaryDirectory()
        let (_, scribe) = try opened(directory, rows: 5_000)
        let name = name()
        FaultyVFS.watch(directory.store + ".backup-")
        try scribe.writer.copying.beginBackup(name)
        FaultyVFS.fail(directory.store + ".backup-", [.write], after: 20, code: SQLITE_FULL)
        let error = #expect(throws: StoreError.self) {
            while try !scribe.writer.copying.stepBackup(for: Self.slice).isDone {
                scribe.send("order-1")
                try scribe.commit(scribe.writer)
            }
        }
        #expect(error?.code == .unavailable)
        #expect(error?.message == "Cannot back up '\(directory.store)': its disk is full")
        FaultyVFS.fail(directory.store + ".backup-")
        #expect(try !directory.names().contains { $0.contains("backup") })
        scribe.send("order-1")
        try scribe.commit(scribe.writer)
        _ = try copy(scribe, self.name()) { _ in }
        try scribe.writer.close()
    }

    @Test func withoutSpaceItDoesNotBegin() throws {
        let directory = try TemporaryDirectory()
        var limits = StoreLimits()
        limits.backupReserveBytes = 1 << 60
        let store = try SQLiteFileStore.sqlite(directory, limits)
        let writer = try store.writer()
        let error = #expect(throws: StoreError.self) { try writer.copying.beginBackup(name()) }
        #expect(error?.code == .unavailable)
        #expect(
            error?.message.hasPrefix("Cannot back up '\(directory.store)': the copy needs 1 MiB and leaves ") == true)
        #expect(try !directory.names().contains { $0.contains("backup") })
        try writer.close()
    }

    @Test func aDamagedCopyIsNotGiven() async throws {
        let directory = try TemporaryDirectory()
        let (store, scribe) = try opened(directory, rows: 2_000)
        let name = name()
        _ = try copy(scribe, name) { _ in }
        let file = "store.db.backup-\(name.text).partial"
        var bytes = try Data(contentsOf: URL(filePath: directory.path + "/" + file))
        bytes.replaceSubrange(40_000..<200_000, with: Data(count: 160_000))
        try directory.write(bytes, to: file)
        let error = await #expect(throws: StoreError.self) {
            _ = try await store.completeBackup(name, verify: { _ in }, mayGoOn: { _, _ in true })
        }
        #expect(error?.message.contains("Cannot back up '\(directory.store)'") == true)
        #expect(try !directory.names().contains { $0.contains("backup") })
        try scribe.writer.close()
    }

    @Test func anotherProcessThatWritesAllTheTimeEndsIt() throws {
        let directory = try TemporaryDirectory()
        var limits = StoreLimits()
        limits.backupSetbacks = 3
        try opened(directory, rows: 5_000).1.writer.close()
        let store = try SQLiteFileStore.sqlite(directory, limits)
        let writer = try store.writer()
        let foreign = try DatabaseQueue(path: directory.store)
        try writer.copying.beginBackup(name())
        #expect(throws: StoreError.self) {
            while true {
                _ = try writer.copying.stepBackup(for: .zero)
                _ = try writer.copying.stepBackup(for: .zero)
                try foreign.inDatabase { try $0.execute(sql: "UPDATE store SET last_ms = last_ms + 1") }
            }
        }
        try foreign.close()
        #expect(try !directory.names().contains { $0.contains("backup") })
        try writer.close()
    }
}
