import Testing
import WorkflowStore

@Suite struct SQLiteStoreSuiteTests {
    @Test(arguments: StoreSuite.checks)
    func holds(check: StoreSuite.Check) async throws {
        let directory = try TemporaryDirectory()
        try await check.run(try .sqlite(directory))
    }

    /// Slices of a few rows: every read goes through several read transactions.
    @Test(arguments: StoreSuite.checks)
    func holdsInSmallSlices(check: StoreSuite.Check) async throws {
        var limits = StoreLimits()
        limits.sliceRows = 3
        let directory = try TemporaryDirectory()
        try await check.run(try .sqlite(directory, limits))
    }

    /// Pages that look at a few rows come back short or empty, and the whole list is still the same.
    @Test(arguments: StoreSuite.checks)
    func holdsInShortPages(check: StoreSuite.Check) async throws {
        guard check.name.hasPrefix("instances are listed") else { return }
        var limits = StoreLimits()
        limits.pageRows = 2
        let directory = try TemporaryDirectory()
        try await check.run(try .sqlite(directory, limits))
    }
}

extension WorkflowStore where Self == SQLiteStore {
    /// A store in a directory, at a fixed time.
    static func sqlite(
        _ directory: TemporaryDirectory, _ limits: StoreLimits = StoreLimits()
    ) throws(StoreError) -> SQLiteStore {
        try SQLiteStore.open(at: directory.store, clock: Timestamp(rawValue: 1_700_000_000_000), limits: limits)
    }
}
