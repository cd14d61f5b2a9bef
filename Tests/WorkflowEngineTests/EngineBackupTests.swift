import Foundation
import IdentityTesting
import SQLiteStore
import Statechart
import StoreTesting
import Synchronization
import Testing
import ThreadTesting
import WorkflowEngine
import WorkflowStore

/// Tests backups that an engine makes while it works.
@Suite(.tags(.heavy), .timeLimit(.minutes(20))) struct EngineBackupTests {
    /// Returns the names of the backups beside the store.
    private func backups(in folder: StoreFolder) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0.contains(".backup-") }
    }

    /// Makes a backup, and returns it.
    private func made(by engine: Engine) async throws -> StoredBackup {
        var last: BackupEvent?
        for try await event in try engine.backup() { last = event }
        guard case .ready(let backup) = last else { throw CancellationError() }
        return backup
    }

    private func bytes(of fetch: BackupFetch) throws -> Data {
        var bytes = Data()
        while true {
            let part = try fetch.read()
            if part.isEmpty { return bytes }
            bytes += part
        }
    }

    @Test func aBackupMadeUnderLoadIsAStoreWithAllThatWasAnsweredBeforeIt() async throws {
        let folder = try StoreFolder()
        let running = try await RunningEngine(store: try folder.open())
        for number in 0..<8 { try await running.start("l-\(number)") }
        let flips = try await withThrowingTaskGroup(of: Int64.self) { group in
            for number in 0..<8 {
                group.addTask {
                    var seq: Int64 = 1
                    while !Task.isCancelled, seq < 100_000 { seq = try await running.flip("l-\(number)").seq.rawValue }
                    return seq
                }
            }
            var before: Int64 = 0
            while before < 50 { before = try await running.engine.instance(named: "l-0").record.seq.rawValue }
            let backup = try await made(by: running.engine)
            #expect(backup.contents.instances == 8)
            group.cancelAll()
            return try await (before, group.reduce(0, +), backup)
        }
        let fetch = try #require(try await running.engine.fetchBackup(flips.2.name.text))
        let bytes = try bytes(of: fetch)
        #expect(Int64(bytes.count) == flips.2.bytes)
        #expect(Digest(of: bytes) == flips.2.digest)
        #expect(try backups(in: folder).count == 1)
        fetch.end(isWhole: true)
        #expect(try backups(in: folder) == [])
        #expect(try await running.engine.fetchBackup(flips.2.name.text) == nil)
        try await running.stop()

        let copy = try StoreFolder()
        try bytes.write(to: URL(filePath: copy.path + "/wfd.db"))
        let store = try copy.open()
        let instance = try #require(try await store.instance(named: "l-0"))
        #expect(instance.seq.rawValue >= flips.0)
        #expect(flips.2.contents.events <= flips.1)
        try store.writer().close()
    }

    @Test func onlyOneIsMadeOrKeptAtATime() async throws {
        let folder = try StoreFolder()
        let running = try await RunningEngine(store: try folder.open())
        let first = try await made(by: running.engine)
        #expect(throws: Rejection.self) { _ = try running.engine.backup() }
        let fetch = try #require(try await running.engine.fetchBackup(first.name.text))
        fetch.end(isWhole: true)
        _ = try await made(by: running.engine)
        try await running.stop()
        #expect(try backups(in: folder) == [])
    }

    @Test func oneThatNobodyFetchesExpires() async throws {
        let folder = try StoreFolder()
        var limits = EngineLimits()
        limits.backupKept = .milliseconds(20)
        limits.backupSweep = .milliseconds(10)
        let running = try await RunningEngine(store: try folder.open(), limits: limits)
        let backup = try await made(by: running.engine)
        try await eventually("the backup has expired") { try backups(in: folder).isEmpty }
        #expect(try await running.engine.fetchBackup(backup.name.text) == nil)
        _ = try await made(by: running.engine)
        try await running.stop()
    }

    @Test func oneThatIsReadDoesNotExpireAndMayBeReadAgain() async throws {
        let folder = try StoreFolder()
        var limits = EngineLimits()
        limits.backupKept = .milliseconds(1)
        limits.backupSweep = .milliseconds(1)
        let running = try await RunningEngine(store: try folder.open(), limits: limits)
        // Sooner or later one is fetched within its millisecond.
        var fetch: BackupFetch?
        while fetch == nil {
            fetch = try await running.engine.fetchBackup(try await made(by: running.engine).name.text)
        }
        let whole = try #require(fetch)
        // This is many times as long as a backup is kept.
        try await letPass(.milliseconds(100))
        #expect(Digest(of: try bytes(of: whole)) == whole.backup.digest)
        #expect(try backups(in: folder).count == 1)
        whole.end(isWhole: false)
        try await running.stop()
        #expect(try backups(in: folder) == [])
    }

    @Test func whoStopsListeningEndsIt() async throws {
        let folder = try StoreFolder()
        var limits = EngineLimits()
        limits.backupSlice = .zero
        let running = try await RunningEngine(store: try folder.open(), limits: limits)
        for number in 0..<200 { try await running.start("l-\(number)") }
        var stream: AsyncThrowingStream<BackupEvent, any Error>? = try running.engine.backup()
        _ = stream
        stream = nil
        // The desk is free again, however far the first one was.
        try await eventually("another backup is made") {
            do {
                _ = try await made(by: running.engine)
                return true
            } catch let rejection as Rejection where rejection.code == .backupUnderWay {
                return false
            }
        }
        try await running.stop()
        #expect(try backups(in: folder) == [])
    }

    @Test func aStopEndsIt() async throws {
        let folder = try StoreFolder()
        var limits = EngineLimits()
        limits.backupSlice = .zero
        let running = try await RunningEngine(store: try folder.open(), limits: limits)
        for number in 0..<100 { try await running.start("l-\(number)") }
        let events = try running.engine.backup()
        try await running.stop()
        // The backup was quicker than the stop, or was told why it ended.
        do {
            for try await _ in events {}
        } catch let rejection as Rejection where rejection.code == .draining {}
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() == ["wfd.db", "wfd.db.lock"])
    }

    /// A backup is refused for the same reasons as a restore, in the same words, because of damage from before the
    /// daemon copies the file. The cases run one after another, because each has an engine.
    @Test(
        .serialized,
        arguments: [
            "UPDATE journal SET digest = zeroblob(32) WHERE position = {order-7/3}",
            "DELETE FROM journal WHERE position = {order-7/3}",
            "UPDATE instance SET context = '{\"lit\":false}' WHERE name = 'order-7'",
            "UPDATE snapshot SET digest = zeroblob(32)",
            "DELETE FROM timer WHERE event = 'ring'",
            "DELETE FROM dedupe WHERE position = {order-7/3}",
            "UPDATE machine SET created_ms = created_ms + 1 WHERE name = 'oven'",
            "UPDATE store SET dedupe_count = dedupe_count + 1",
        ])
    func aBackupIsRefusedForAllThatARestoreRefuses(damage: String) async throws {
        let file = try await WrittenFile()
        try file.forge(damage)
        let restoration = StoreRestoration(
            backup: file.path, database: file.folder.path + "/other.db", limits: WrittenFile.shortLook
        ) { copy in try await Verification(of: copy).requireNone { _ in } }
        let refused = await #expect(throws: StoreError.self) {
            _ = try await restoration.run(clock: SystemClock().now())
        }
        let reason = try #require(refused?.message.split(separator: "is damaged: ", maxSplits: 1).last)
        let store = try #require(try file.openToServe())
        let running = try await RunningEngine(store: store, clock: HandClock(WrittenFile.end))
        await #expect {
            _ = try await made(by: running.engine)
        } throws: { error in
            (error as? Rejection)?.message
                == "Cannot back up '\(file.path)': the copy is damaged: \(reason); verify the database"
        }
        try await running.stop()
        #expect(try backups(in: file.folder) == [])
    }

    /// The verification of a backup that nobody waits for ends in the same way.
    @Test func aVerificationEndsWhenItIsTold() async throws {
        let file = try await WrittenFile()
        var limits = EngineLimits()
        limits.progressInterval = .zero
        var store = StoreLimits()
        store.sliceRows = 20
        let copy = try SQLiteFile.open(at: file.path, limits: store)
        let told = Collected<Int>()
        await #expect(throws: CancellationError.self) {
            try await Verification(of: copy, limits: limits).requireNone { now in
                told.add(now.done)
                if now.done > 0 { throw CancellationError() }
            }
        }
        try copy.close()
        #expect(told.all.last.map { (1..<318).contains($0) } == true)
    }

    @Test func oneThatFailsIsToldAndTheEngineWorksOn() async throws {
        let running = try await RunningEngine(store: FakeStore(backups: FailingBackups()))
        try await running.start("a")
        let error = await #expect(throws: Rejection.self) { _ = try await made(by: running.engine) }
        #expect(error?.kind == "storageUnavailable")
        #expect(try await running.flip("a").seq.rawValue == 2)
        // The failed backup has freed the desk, so that another can begin.
        let again = await #expect(throws: Rejection.self) { _ = try await made(by: running.engine) }
        #expect(again?.kind == "storageUnavailable")
        try await running.stop()
        #expect(throws: Rejection.self) { _ = try running.engine.backup() }
    }

    @Test func aStoreThatCopiesItselfNeedsNoWriter() async throws {
        let backups = ExportingBackups(slices: 3)
        let store = FakeStore(backups: backups)
        let running = try await RunningEngine(store: store)
        // A writer that stands still holds up no copy.
        store.hold.shut()
        let backup = try await made(by: running.engine)
        #expect(backup.bytes == 3 && backups.copy.withLock { $0 } == backup.name)
        // There is one at a time.
        #expect(throws: Rejection.self) { _ = try running.engine.backup() }
        store.hold.open()
        try await running.stop()
        #expect(backups.copy.withLock { $0 } == nil)
    }

    @Test func aStopEndsACopyThatHasNoEnd() async throws {
        let backups = ExportingBackups(slices: .max)
        let running = try await RunningEngine(store: FakeStore(backups: backups))
        let events = try running.engine.backup()
        var iterator = events.makeAsyncIterator()
        guard case .copying? = try await iterator.next() else { throw CancellationError() }
        async let stopping: Void = running.stop()
        await #expect(throws: Rejection.self) { while try await iterator.next() != nil {} }
        try await stopping
        #expect(backups.copy.withLock { $0 } == nil)
    }

    @Test func aCallerWhoLeavesEndsACopyThatHasNoEnd() async throws {
        let backups = ExportingBackups(slices: .max)
        let running = try await RunningEngine(store: FakeStore(backups: backups))
        let task = Task { for try await _ in try running.engine.backup() {} }
        try await eventually("the copy has begun") { backups.copy.withLock { $0 } != nil }
        task.cancel()
        try await eventually("the copy has ended") { backups.copy.withLock { $0 } == nil }
        _ = await task.result
        try await running.stop()
    }
}
