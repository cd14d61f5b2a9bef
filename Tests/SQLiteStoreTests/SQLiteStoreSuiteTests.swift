import SQLiteStore
import StoreSuite
import StoreTesting
import Testing
import ThreadTesting
import WorkflowStore

@Suite struct SQLiteStoreSuiteTests {
    private static let capabilities: Set<StoreSuite.Capability> = [.audit, .backups]
    private static let checks = StoreSuite.checks(for: capabilities)

    @Test(arguments: checks)
    func holds(check: StoreSuite.Check) async throws {
        let directory = try TemporaryDirectory()
        try await check.run { try .sqlite(directory) }
    }

    /// A check that does not run is missing in this number or in this list.
    @Test func theChecksAreAllThatAFileCanTake() throws {
        let directory = try TemporaryDirectory()
        let store = try SQLiteFileStore.sqlite(directory)
        #expect(StoreSuite.Capability.all(of: store) == Self.capabilities)
        #expect(Self.checks.count == 95)
        #expect(
            StoreSuite.leftOut(for: Self.capabilities) == [
                "numbers, ids and positions are of the partition of their instance",
                "a batch is made on top of those of its partition only",
                "what one partition cannot take is not in the others either",
                "a batch takes nothing of another partition",
                "the rows before a position are of its partition",
                "keys are forgotten by the partition of the row that used them",
                "a clock is accepted by all partitions",
            ])
        try store.writer().close()
    }

    /// With slices of a few rows, every read needs several read transactions.
    @Test(arguments: sample(checks, every: 4))
    func holdsInSmallSlices(check: StoreSuite.Check) async throws {
        var limits = StoreLimits()
        limits.sliceRows = 3
        let directory = try TemporaryDirectory()
        try await check.run { [limits] in try .sqlite(directory, limits) }
    }

    /// A test of the checks with a mark would pass if no check had it.
    @Test(arguments: StoreSuite.Mark.allCases)
    func someCheckCarriesTheMark(mark: StoreSuite.Mark) {
        #expect(!StoreSuite.checks(marked: mark).isEmpty)
    }

    /// Pages that read few rows come back short or empty, and the whole list is still the same.
    @Test(arguments: StoreSuite.Mark.allCases.flatMap { StoreSuite.checks(marked: $0) })
    func holdsInShortPages(check: StoreSuite.Check) async throws {
        var limits = StoreLimits()
        limits.pageRows = 2
        let directory = try TemporaryDirectory()
        try await check.run { [limits] in try .sqlite(directory, limits) }
    }

    /// 500 rows may have a mebibyte each, and a page of them must fit in memory and in an answer.
    @Test(arguments: [false, true])
    func aPageOfLargeRowsIsShortAndBeginsWhereItShould(isReversed: Bool) async throws {
        var limits = StoreLimits()
        limits.pageBytes = 10_000
        let directory = try TemporaryDirectory()
        let store = try SQLiteFileStore.sqlite(directory, limits)
        let writer = try store.writer()
        let scribe = Scribe(writer)
        scribe.start("large", scribe.apply("example"))
        for _ in 2...20 { scribe.send("large", data: "\"" + String(repeating: "x", count: 3_000) + "\"") }
        try scribe.commit(writer)
        let instance = try #require(scribe.instances["large"])
        let rows = try await store.history(
            HistoryQuery(
                instance: instance.id, head: instance.head, headSeq: instance.seq, seqs: 2...20,
                isReversed: isReversed))
        #expect((1...4).contains(rows.count))
        let expected: [Int64] = isReversed ? [20, 19, 18, 17] : [2, 3, 4, 5]
        #expect(rows.map(\.seq.rawValue) == Array(expected.prefix(rows.count)))
        try writer.close()
    }

    /// SQLite has one partition, and accepts nothing of another.
    @Test func numbersOfAnotherPartitionAreNotWritten() async throws {
        let directory = try TemporaryDirectory()
        let store = try SQLiteFileStore.sqlite(directory)
        let writer = try store.writer()
        #expect(store.partitions == [.first])
        let scribe = Scribe(writer)
        scribe.start("order-1", scribe.apply("order"))
        try scribe.commit(writer)
        let foreign = PartitionID(rawValue: 1)
        let numbers = writer.numbers
        let position = try #require(Position(foreign, number: 9))
        let instance = try #require(InstanceID(foreign, number: 9))
        for (position, instance) in [(position, instance), (numbers.nextPosition, instance)] {
            var batch = StoreBatch(numbers: numbers)
            batch.numbers.nextPosition = position
            batch.numbers.nextInstance = instance
            let error = #expect(throws: StoreError.self) { try writer.commit(batch) }
            #expect(error?.code == .constraint)
        }
        #expect(writer.numbers == numbers)
        #expect(try writer.timers(in: foreign, limit: 10).isEmpty)
        #expect(try await store.row(before: position) == nil)
        #expect(try await store.row(before: numbers.nextPosition)?.seq.rawValue == 1)
        try writer.close()
    }
}

extension WorkflowStore where Self == SQLiteFileStore {
    /// Opens a store in a directory, at a fixed time.
    static func sqlite(
        _ directory: TemporaryDirectory, _ limits: StoreLimits = StoreLimits()
    ) throws(StoreError) -> SQLiteFileStore {
        try SQLiteFileStore.open(at: directory.store, clock: Timestamp(rawValue: 1_700_000_000_000), limits: limits)
    }
}
