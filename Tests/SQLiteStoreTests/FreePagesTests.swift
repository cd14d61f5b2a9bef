import DiskTesting
import SQLiteStore
import Statechart
import StoreSuite
import StoreTesting
import Testing
import WorkflowStore

/// Tests that pages freed by deletions go back to the file system while the store is open.
@Suite struct FreePagesTests {
    private let directory: TemporaryDirectory
    private let store: SQLiteFileStore
    private let writer: any StoreWriter
    private let scribe: Scribe

    init() throws {
        var limits = StoreLimits()
        limits.keptPages = 4
        limits.busyMilliseconds = 1
        directory = try TemporaryDirectory()
        store = try SQLiteFileStore.sqlite(directory, limits)
        writer = try store.writer()
        scribe = Scribe(writer)
        scribe.apply("order")
    }

    private static let instances = 100

    /// Writes instances of about 10 KB each, in the file.
    private func fill() throws {
        let data = #"{"text":"\#(String(repeating: "x", count: 2_000))"}"#
        for number in 0..<Self.instances {
            scribe.start("order-\(number)")
            for _ in 0..<5 { scribe.send("order-\(number)", data: data) }
        }
        scribe.start("other")
        try scribe.commit(writer)
        try writer.maintain()
    }

    /// Removes the remaining rows as the engine does. Returns the number of batches.
    @discardableResult
    private func sweep(atMost bound: Int = 1_000) throws -> Int {
        var batches = 0
        while writer.backlog(in: .first).isDue, batches < bound {
            var batch = StoreBatch(numbers: writer.numbers(in: .first))
            batch.sweep = SweepOrder(rows: 20, time: .seconds(60))
            try writer.commit(batch)
            try writer.maintain()
            batches += 1
        }
        return batches
    }

    private func delete() throws {
        for number in 0..<Self.instances { scribe.delete("order-\(number)") }
        try scribe.commit(writer)
    }

    /// Declares that data was erased, which may still be in the log.
    private func erase() throws {
        let instance = try #require(scribe.instances["other"])
        var batch = StoreBatch(numbers: writer.numbers(in: .first))
        batch.erasure.records = [
            ErasureRecord(
                id: instance.head.rawValue, instanceID: instance.id, uuid: instance.uuid, seqs: SeqSet([1...1]),
                paths: [], name: nil, at: instance.updated)
        ]
        try writer.commit(batch)
    }

    @Test func theFileBecomesSmallBehindThePurge() async throws {
        try fill()
        let filled = try #require(try await store.usage())
        #expect(filled.pages > 250 && filled.freePages < 4, "\(filled)")
        try delete()
        // Rows first, a few at a time, then pages.
        #expect(try sweep() > 40)
        let usage = try #require(try await store.usage())
        #expect(usage.freePages <= 4 && usage.pages < 100, "\(usage)")
        #expect(usage.file == usage.pages * 4_096 && usage.log == 0, "\(usage)")
        #expect(try await store.instance(named: "other") != nil)
        try writer.close()
        #expect(try RawFile(directory).value("SELECT * FROM pragma_integrity_check") == "ok")
    }

    @Test func noPageIsGivenBackWhileTheLogHoldsWhatWasErased() async throws {
        try fill()
        let reader = try ForeignReader(directory.store)
        try delete()
        try erase()
        #expect(writer.holdsErased)
        try sweep()
        let held = try #require(try await store.usage())
        #expect(writer.holdsErased && held.freePages > 200, "\(held)")
        try reader.end()
        // The writer tries it again after a pause.
        while writer.holdsErased { try writer.maintain() }
        #expect(writer.backlog(in: .first).isDue)
        try sweep()
        let usage = try #require(try await store.usage())
        #expect(usage.freePages <= 4 && usage.file < held.file / 2, "\(usage)")
        try writer.close()
    }

    @Test func aStartBesideAReaderKnowsWhatTheLogHolds() async throws {
        try fill()
        let reader = try ForeignReader(directory.store)
        try erase()
        try writer.close()
        let next = try SQLiteFileStore.sqlite(directory, StoreLimits()).writer()
        #expect(next.holdsErased)
        try next.maintain()
        #expect(next.holdsErased)
        try reader.end()
        while next.holdsErased { try next.maintain() }
        try next.close()
        // Without a reader, nothing erased is left in the log.
        let last = try SQLiteFileStore.sqlite(directory, StoreLimits()).writer()
        #expect(!last.holdsErased)
        try last.close()
    }

    /// A copy needs pages that stay in their places.
    @Test func noPageIsGivenBackWhileTheFileIsCopied() async throws {
        try fill()
        try delete()
        let copying = try #require(writer.backups)
        var random = SystemRandomNumberGenerator()
        try copying.beginBackup(BackupName(random: &random))
        try sweep()
        #expect(try await store.usage().map { $0.freePages > 200 } == true)
        copying.abandonBackup()
        #expect(writer.backlog(in: .first).isDue)
        try sweep()
        #expect(try await store.usage().map { $0.freePages <= 4 } == true)
        try writer.close()
    }

    /// A start gives back the pages that an earlier purge has left.
    @Test func aStartGoesOn() async throws {
        try fill()
        try delete()
        while writer.backlog(in: .first).hasRows { try sweep(atMost: 1) }
        try writer.close()
        var limits = StoreLimits()
        limits.keptPages = 4
        let again = try SQLiteFileStore.sqlite(directory, limits)
        let next = try again.writer()
        #expect(next.backlog(in: .first).freePages > 100 && next.backlog(in: .first).isDue)
        try next.close()
    }

    @Test func aFewFreePagesStayForWhatComes() async throws {
        try fill()
        for number in 0..<2 { scribe.delete("order-\(number)") }
        try scribe.commit(writer)
        try sweep()
        let usage = try #require(try await store.usage())
        // A sixteenth of them, and twice that before giving back begins.
        #expect(usage.freePages > 0 && usage.freePages <= usage.pages / 8, "\(usage)")
        #expect(!writer.backlog(in: .first).isDue)
        try writer.close()
    }

    @Test func aFileThatCannotGiveBackIsLeftAsItIs() async throws {
        try fill()
        try writer.close()
        try RawFile(directory).execute("PRAGMA auto_vacuum = NONE; VACUUM")
        var limits = StoreLimits()
        limits.keptPages = 4
        let again = try SQLiteFileStore.sqlite(directory, limits)
        let next = try again.writer()
        let scribe = try scribe.resumed(next)
        for number in 0..<Self.instances { scribe.delete("order-\(number)") }
        try scribe.commit(next)
        while next.backlog(in: .first).isDue {
            var batch = StoreBatch(numbers: next.numbers(in: .first))
            batch.sweep = SweepOrder(rows: 1_000, time: .seconds(60))
            try next.commit(batch)
        }
        #expect(try await again.usage().map { $0.freePages > 200 } == true)
        try next.close()
    }
}
