import DiskTesting
import Foundation
import GRDBSQLite
import SQLiteStore
import StoreSuite
import StoreTesting
import Testing
import WorkflowStore

/// Makes every call that reaches the disk fail once.
@Suite struct FailureTests {
    private struct Scene {
        let directory: TemporaryDirectory
        let store: SQLiteFileStore
        let writer: any StoreWriter
        let scribe: Scribe

        /// Creates a store with one instance, whose files fail on request.
        init(_ limits: StoreLimits = StoreLimits()) throws {
            directory = try TemporaryDirectory()
            FaultyVFS.watch(directory.store)
            store = try SQLiteFileStore.sqlite(directory, limits)
            writer = try store.writer()
            scribe = Scribe(writer)
            scribe.apply("order")
            scribe.start("order-1")
            try scribe.commit(writer)
        }

        func fail(_ calls: Set<FaultyVFS.Call>, after count: Int, code: CInt = SQLITE_IOERR) {
            FaultyVFS.fail(directory.store, calls, after: count, code: code)
        }

        var hasFailed: Bool { FaultyVFS.plan(directory.store).hasFailed }

        /// The numbers of changing calls so far.
        var changes: [FaultyVFS.Call: Int] {
            FaultyVFS.plan(directory.store).calls.filter { ![.read, .mapIndex].contains($0.key) }
        }

        /// Commits one more row. Returns the code of the error; `nil` if the row is written.
        func commitOne() -> StoreError.Code? {
            scribe.send("order-1")
            do {
                try scribe.commit(writer)
                return nil
            } catch {
                return (error as? StoreError)?.code
            }
        }

        /// Closes and opens the store, and expects the instance at one of these seqs.
        func expectSeq(in seqs: ClosedRange<Int64>) throws {
            let again = try SQLiteFileStore.sqlite(directory)
            let againWriter = try again.writer()
            let seq = try #require(try againWriter.instance(named: "order-1")).seq.rawValue
            #expect(seqs.contains(seq), "the instance is at seq \(seq)")
            try againWriter.close()
        }
    }

    @Test func anyFailureOfCommitStopsTheWriterForGood() async throws {
        var failures = 0
        for count in 1... {
            let scene = try Scene()
            scene.fail([.write, .sync, .truncate], after: count)
            let code = scene.commitOne()
            guard scene.hasFailed else {
                #expect(code == nil)
                break
            }
            failures += 1
            #expect(code == .outcomeUnknown, "call \(count)")
            try await expectStopped(scene)
            try scene.expectSeq(in: 1...2)
        }
        // At least three calls fail: for a frame's header, its page and the flush.
        #expect(failures >= 3)
    }

    /// Expects that nothing is written or checkpointed any more, not even by closing, and that reading continues until
    /// then.
    private func expectStopped(_ scene: Scene) async throws {
        let files = ["store.db", "store.db-wal"]
        let before = try scene.directory.contents().filter { files.contains($0.key) }
        let calls = scene.changes
        #expect(scene.commitOne() == .outcomeUnknown)
        #expect(throws: StoreError.self) { try scene.writer.maintain() }
        #expect(try await scene.store.instance(named: "order-1") != nil)
        let error = #expect(throws: StoreError.self) { try scene.writer.close() }
        #expect(error?.code == .outcomeUnknown)
        #expect(try scene.directory.contents().filter { files.contains($0.key) } == before)
        #expect(scene.changes == calls)
    }

    @Test func theMessageSaysWhichFileAndCode() throws {
        let scene = try Scene()
        scene.fail([.sync], after: 1, code: SQLITE_IOERR | (4 << 8))
        scene.scribe.send("order-1")
        let error = #expect(throws: StoreError.self) { try scene.scribe.commit(scene.writer) }
        #expect(
            error?.message
                == "Writing to '\(scene.directory.store)' failed in a way that leaves open what is on the disk: "
                + "disk I/O error (SQLite 1034); start again")
        _ = try? scene.writer.close()
    }

    @Test func fullDiskChangesNothingAndPasses() throws {
        var failures = 0
        for count in 1... {
            let scene = try Scene()
            scene.fail([.write], after: count, code: SQLITE_FULL)
            let code = scene.commitOne()
            guard scene.hasFailed else { break }
            failures += 1
            #expect(code == .unavailable, "call \(count)")
            #expect(try scene.writer.instance(named: "order-1")?.seq.rawValue == 1)
            #expect(scene.writer.numbers.nextPosition.rawValue == 2)
            // There is room again.
            let later = Scribe(scene.writer)
            later.apply("refund")
            later.start("refund-1")
            try later.commit(scene.writer)
            try scene.writer.close()
            try scene.expectSeq(in: 1...1)
        }
        #expect(failures >= 2)
    }

    @Test func failedCheckpointStopsTheWriterForGood() async throws {
        var limits = StoreLimits()
        limits.passiveFrames = 1
        for count in 1...2 {
            let scene = try Scene(limits)
            scene.fail([.sync], after: count)
            let error = #expect(throws: StoreError.self) { try scene.writer.maintain() }
            #expect(error?.code == .outcomeUnknown)
            try await expectStopped(scene)
            try scene.expectSeq(in: 1...1)
        }
    }

    @Test func fullDiskDuringACheckpointIsTriedAgain() throws {
        var limits = StoreLimits()
        limits.passiveFrames = 1
        let scene = try Scene(limits)
        scene.fail([.write], after: 1, code: SQLITE_FULL)
        try scene.writer.maintain()
        #expect(scene.hasFailed)
        #expect(scene.commitOne() == nil)
        try scene.writer.close()
        try scene.expectSeq(in: 2...2)
    }

    @Test func failedCheckpointOnClosingLosesNothing() throws {
        for count in 1... {
            let scene = try Scene()
            scene.fail([.sync, .truncate], after: count)
            let error = Result { try scene.writer.close() }
            guard scene.hasFailed else { break }
            #expect(throws: StoreError.self) { try error.get() }
            #expect(scene.directory.size(of: "store.db-wal") ?? 0 > 0, "call \(count)")
            try scene.expectSeq(in: 1...1)
        }
    }

    @Test func failedCheckpointOnOpeningLosesNothing() throws {
        let scene = try Scene()
        let crashed = try scene.directory.copyAfterCrash()
        try scene.writer.close()
        FaultyVFS.watch(crashed.store)
        for count in 1... {
            FaultyVFS.fail(crashed.store, [.sync], after: count)
            let opened = Result { try SQLiteFileStore.sqlite(crashed) }
            let hasFailed = FaultyVFS.plan(crashed.store).hasFailed
            FaultyVFS.fail(crashed.store)
            guard hasFailed else {
                let store = try opened.get()
                let writer = try store.writer()
                #expect(try writer.instance(named: "order-1") == scene.scribe.instances["order-1"])
                try writer.close()
                #expect(count > 2)
                break
            }
            #expect(throws: StoreError.self) { try opened.get() }
            // Closing what was opened has not checkpointed either.
            #expect(crashed.size(of: "store.db-wal") ?? 0 > 0, "call \(count)")
        }
    }

    @Test func everyBatchIsFlushed() throws {
        let scene = try Scene()
        let before = FaultyVFS.plan(scene.directory.store).calls[.sync] ?? 0
        for _ in 0..<20 { #expect(scene.commitOne() == nil) }
        let after = FaultyVFS.plan(scene.directory.store).calls[.sync] ?? 0
        #expect(after - before >= 20)
        try scene.writer.close()
    }

    @Test func writerThatWasTakenOverWritesNothingMore() throws {
        let scene = try Scene()
        try RawFile(scene.directory).execute("UPDATE store SET epoch = epoch + 1")
        #expect(scene.commitOne() == .fenced)
        #expect(scene.commitOne() == .fenced)
        #expect(throws: StoreError.self) { try scene.writer.close() }
        #expect(try RawFile(scene.directory).value("SELECT count(*) || ',' || max(clean) FROM journal, store") == "1,0")
    }

    @Test func readsThatWouldWaitTooLongAreRefused() async throws {
        var limits = StoreLimits()
        limits.waitingReads = 0
        let scene = try Scene(limits)
        let error = await #expect(throws: StoreError.self) { _ = try await scene.store.instance(named: "order-1") }
        #expect(error?.code == .unavailable)
        #expect(error?.message == "Cannot read '\(scene.directory.store)': 0 reads are waiting already")
        try scene.writer.close()
    }
}
