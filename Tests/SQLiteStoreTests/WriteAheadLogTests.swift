import DiskTesting
import Foundation
import SQLiteStore
import StoreSuite
import StoreTesting
import Testing
import WorkflowStore

@Suite struct WriteAheadLogTests {
    /// The duration of a trial, and the largest allowed log. `WFD_WAL_SECONDS=60` runs with the limits of production.
    private struct Trial {
        let duration: Duration
        let limits: StoreLimits
        let bound: Int

        init(environment: [String: String] = ProcessInfo.processInfo.environment) {
            var limits = StoreLimits()
            if let seconds = environment["WFD_WAL_SECONDS"].flatMap(Int.init) {
                duration = .seconds(seconds)
                bound = 100_000_000
            } else {
                duration = .seconds(3)
                limits.passiveFrames = 100
                limits.restartFrames = 400
                limits.passiveStepFrames = 100
                bound = 4_000_000
            }
            self.limits = limits
        }
    }

    /// Readers follow each other without a gap, each in slices of up to 20 ms, beside a writer that never pauses.
    @Test(.timeLimit(.minutes(20))) func logStaysBoundedBesideReadersWithoutAGap() async throws {
        let trial = Trial()
        let directory = try TemporaryDirectory()
        FaultyVFS.watch(directory.store + "-wal")
        let store = try SQLiteFileStore.sqlite(directory, trial.limits)
        let traffic = Traffic()
        let readers = (0..<8).map { _ in Task { try await traffic.read(store) } }
        // A log that is never moved on would by then be twice as large as it may be.
        let ended = try await traffic.writing(
            store, directory, atLeast: trial.duration, andBytes: 2 * trial.bound)
        let largest = ended.largestLog
        for reader in readers { try await reader.value }
        let written = FaultyVFS.plan(directory.store + "-wal").bytesWritten
        let found = "largest log \(largest) bytes, \(written) bytes written to it, \(traffic.reads) reads"
        print("write-ahead log: \(found)")
        #expect(largest < trial.bound, "\(found)")
        try ended.writer.close()
        #expect(try directory.names() == ["store.db", "store.db.lock"])
    }

    /// A reader in another process holds the log back; the writer continues, and catches up later.
    @Test func foreignReaderDelaysTheLogOnly() throws {
        var limits = StoreLimits()
        limits.passiveFrames = 1
        limits.restartFrames = 4
        limits.passiveStepFrames = 1
        limits.busyMilliseconds = 1
        let directory = try TemporaryDirectory()
        let store = try SQLiteFileStore.sqlite(directory, limits)
        let writer = try store.writer()
        let scribe = Scribe(writer)
        scribe.apply("order")
        scribe.start("order-1")
        try scribe.commit(writer)
        let reader = try ForeignReader(directory.store)
        for _ in 0..<20 {
            scribe.send("order-1")
            try scribe.commit(writer)
            try writer.maintain()
        }
        let held = try #require(directory.size(of: "store.db-wal"))
        try reader.end()
        for _ in 0..<20 {
            scribe.send("order-1")
            try scribe.commit(writer)
            try writer.maintain()
        }
        // A few frames until it is tried again.
        #expect(try #require(directory.size(of: "store.db-wal")) <= held + 8 * 4_120)
        try writer.close()
        #expect(try directory.names() == ["store.db", "store.db.lock"])
    }

    /// Returns limits with which a log starts over after a few commits, and is checked each time.
    private static func eager() -> StoreLimits {
        var limits = StoreLimits()
        limits.passiveFrames = 1
        limits.restartFrames = 4
        limits.passiveStepFrames = 1
        limits.busyMilliseconds = 1
        limits.logPause = .zero
        limits.gateWait = .milliseconds(20)
        return limits
    }

    @Test func aReaderThatHoldsTheLogIsToldWithItsAge() async throws {
        let directory = try TemporaryDirectory()
        let store = try SQLiteFileStore.sqlite(directory, Self.eager())
        let writer = try store.writer()
        let scribe = Scribe(writer)
        func send(_ count: Int) throws {
            for _ in 0..<count {
                scribe.send("order-1")
                try scribe.commit(writer)
                try writer.maintain()
            }
        }
        scribe.apply("order")
        scribe.start("order-1")
        try send(20)
        #expect(writer.logHold == nil)
        let begin = ContinuousClock.now
        let reader = try ForeignReader(directory.store)
        try send(10)
        let hold = try #require(writer.logHold)
        #expect(hold.isForeign && hold.since >= begin && hold.age(at: .now) > .zero)
        try send(10)
        // It is the same reader, which has only become older.
        #expect(writer.logHold == hold)
        let usage = try #require(try await store.usage())
        #expect(usage.hold == hold && usage.log > 20 * 4_120)
        try reader.end()
        // The log becomes small although nothing is written.
        try writer.maintain()
        #expect(writer.logHold == nil)
        #expect(try await store.usage().map { $0.log == 0 && $0.hold == nil } == true)
        try writer.close()
    }

    /// A reader that came when the whole log was in the file is found too, and keeps its age.
    @Test func aReaderBehindTheLastFrameKeepsItsAge() throws {
        let directory = try TemporaryDirectory()
        let writer = try SQLiteFileStore.sqlite(directory, Self.eager()).writer()
        let scribe = Scribe(writer)
        scribe.apply("order")
        for number in 0..<20 { scribe.start("order-\(number)") }
        try scribe.commit(writer)
        let reader = try ForeignReader(directory.store)
        try writer.maintain()
        let hold = try #require(writer.logHold)
        for _ in 0..<3 { try writer.maintain() }
        #expect(writer.logHold == hold)
        try reader.end()
        try writer.maintain()
        #expect(writer.logHold == nil)
        try writer.close()
    }

    @Test func aReadOfThisProcessIsToldAsItsOwn() throws {
        let directory = try TemporaryDirectory()
        let store = try SQLiteFileStore.sqlite(directory, Self.eager())
        let writer = try store.writer()
        let scribe = Scribe(writer)
        scribe.apply("order")
        for number in 0..<20 { scribe.start("order-\(number)") }
        try scribe.commit(writer)
        let before = ContinuousClock.now
        _ = try writer.view.instance(named: "order-1")
        let after = ContinuousClock.now
        try writer.maintain()
        let hold = try #require(writer.logHold)
        #expect(!hold.isForeign && hold.since >= before && hold.since <= after)
        writer.view.release()
        try writer.maintain()
        #expect(writer.logHold == nil)
        try writer.close()
    }

    /// A log that starts over by itself, because all of it was in the file, is truncated by the next commit.
    @Test func theLogsFileIsCutAfterAPeak() throws {
        var limits = StoreLimits()
        limits.passiveFrames = 200
        limits.logBytes = 100_000
        let directory = try TemporaryDirectory()
        let writer = try SQLiteFileStore.sqlite(directory, limits).writer()
        let scribe = Scribe(writer)
        scribe.apply("order")
        scribe.start("order-1")
        for _ in 0..<200 {
            scribe.send("order-1")
            try scribe.commit(writer)
        }
        #expect(try #require(directory.size(of: "store.db-wal")) > 800_000)
        try writer.maintain()
        scribe.send("order-1")
        try scribe.commit(writer)
        #expect(try #require(directory.size(of: "store.db-wal")) <= 100_000)
        try writer.close()
    }
}
