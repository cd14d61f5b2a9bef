import Foundation
import SQLiteStore
import StoreSuite
import StoreTesting
import Testing
import WorkflowStore

/// Tests numbers in the row of `store` that no wfd writes, and whose increment would end the daemon.
@Suite struct StoreRowTests {
    private static let least = Int64.min
    private static let most = Int64.max
    private static let values: [(String, Int64)] = [
        ("next_position", most), ("next_position", 0), ("next_position", 1 << 48), ("next_instance", 1 << 48),
        ("next_instance", most), ("next_machine", 1 << 48 + 1),
        ("last_ms", least), ("last_ms", 253_402_300_800_000), ("clock_ms", -1), ("clock_position", 100),
        ("generation", most), ("generation", 0), ("epoch", most), ("epoch", -1), ("dedupe_floor", 100),
        ("dedupe_ms", least), ("dedupe_count", -1), ("purge_floor", most), ("clean", 2),
        ("held", -1),
    ]

    private static let checked: [(String, Int64)] = [
        ("next_position", 0), ("dedupe_count", -1), ("clean", 2), ("held", -1),
    ]

    private func store(with column: String, _ value: String, in directory: TemporaryDirectory) throws {
        let store = try SQLiteFileStore.sqlite(directory)
        let writer = try store.writer()
        let scribe = Scribe(writer)
        scribe.start("order-1", scribe.apply("order"))
        try scribe.commit(writer)
        try writer.close()
        try RawFile(directory).execute("PRAGMA ignore_check_constraints = ON; UPDATE store SET \(column) = \(value)")
    }

    private func expectRefused(_ message: String, _ body: () throws -> Void) {
        expect(#expect(throws: StoreError.self, performing: body), message)
    }

    private func expect(_ error: StoreError?, _ message: String) {
        #expect(error?.code == .corrupt || error?.code == .damaged)
        #expect(error?.message == message)
    }

    @Test(arguments: values)
    func aNumberThatCannotBeIsRefusedByItsColumn(column: String, value: Int64) async throws {
        let directory = try TemporaryDirectory()
        try store(with: column, "\(value)", in: directory)
        let reason = "the column '\(column)' of its table 'store' holds \(value), which no wfd writes"
        expectRefused("Cannot open '\(directory.store)': \(reason); restore a backup") {
            try SQLiteFileStore.sqlite(directory).writer().close()
        }
        expectRefused("Cannot open '\(directory.store)': \(reason); restore a backup") {
            try SQLiteFile.open(at: directory.store).close()
        }
        // SQLite's own check finds these values first.
        if Self.checked.contains(where: { $0 == (column, value) }) { return }
        for isDryRun in [true, false] {
            let restoration = StoreRestoration(
                backup: directory.store, database: directory.path + "/other.db", isDryRun: isDryRun, verify: { _ in })
            let error = await #expect(throws: StoreError.self) {
                _ = try await restoration.run(clock: Timestamp(rawValue: 1))
            }
            expect(error, "'\(directory.store)' is damaged: \(reason)")
        }
    }

    @Test func aClockThatIsNoneIsRefused() throws {
        let directory = try TemporaryDirectory()
        try store(with: "clock", "'reel'", in: directory)
        expectRefused(
            "Cannot open '\(directory.store)': the column 'clock' of its table 'store' holds a value, which no wfd "
                + "writes; restore a backup"
        ) { try SQLiteFileStore.sqlite(directory).writer().close() }
    }

    /// Numbers that a start would refuse are not written either.
    @Test func numbersPastTheirEndAreNotWritten() throws {
        let directory = try TemporaryDirectory()
        let store = try SQLiteFileStore.sqlite(directory)
        let writer = try store.writer()
        var numbers = writer.numbers
        numbers.last = Timestamp(rawValue: 253_402_300_800_000)
        let error = #expect(throws: StoreError.self) { try writer.commit(StoreBatch(numbers: numbers)) }
        #expect(error?.code == .constraint)
        #expect(
            error?.message
                == "Cannot write to '\(directory.store)': its numbers, or the clock's time, are past their end")
        try writer.close()
        try SQLiteFileStore.sqlite(directory).writer().close()
    }

    @Test(arguments: [
        ("next_position = 1", "the column 'next_position' of its table 'store' is 1, but 'journal' has 1"),
        ("next_instance = 1", "the column 'next_instance' of its table 'store' is 1, but 'instance' has 1"),
        ("next_machine = 1", "the column 'next_machine' of its table 'store' is 1, but 'machine' has 1"),
    ])
    func aNumberThatIsTakenIsNotHandedOutAgain(change: String, reason: String) throws {
        let directory = try TemporaryDirectory()
        try store(with: "id", "1, \(change)", in: directory)
        expectRefused("Cannot open '\(directory.store)': \(reason); restore a backup") {
            try SQLiteFileStore.sqlite(directory).writer().close()
        }
    }
}
