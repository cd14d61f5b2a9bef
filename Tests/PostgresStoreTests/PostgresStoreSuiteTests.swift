import PostgresTesting
import StoreSuite
import Testing
import ThreadTesting
import WorkflowStore

@testable import PostgresStore

/// Tests the store on PostgreSQL with the suite of all stores, one check at a time: other suites wait for the same
/// server with a deadline.
@Suite(.serialized, .ownThreads, .enabled(if: PostgresServer.isWanted)) struct PostgresStoreSuiteTests {
    /// The checks without the one of some thousand commits.
    private static let short = StoreSuite.checks(for: []).filter {
        $0.name != "the tally counts what is there, by status and configuration"
    }

    /// Some of the checks for each run. `PostgresPartitionTests` has all of them.
    @Test(arguments: sample(short, every: 12))
    func holdsInOnePartition(check: StoreSuite.Check) async throws {
        let database = try TestDatabase()
        try await check.run { try database.open() }
    }

    /// With answers of a few rows, every read needs several of them.
    @Test(arguments: sample(short, every: 12))
    func holdsInSmallSlices(check: StoreSuite.Check) async throws {
        let database = try TestDatabase()
        var limits = ReadLimits()
        (limits.sliceRows, limits.costlyRows) = (3, 2)
        try await check.run { [limits] in try database.open(limits) }
    }

    /// Pages that read few rows come back short or empty, and the whole list is still the same.
    @Test(arguments: sample(StoreSuite.Mark.allCases.flatMap { StoreSuite.checks(marked: $0) }, every: 2))
    func holdsInShortPages(check: StoreSuite.Check) async throws {
        let database = try TestDatabase()
        var limits = ReadLimits()
        limits.pageRows = 2
        try await check.run { [limits] in try database.open(limits) }
    }

    /// The checks that the store cannot pass are on this list.
    @Test func theChecksAreAllThatADatabaseCanTake() throws {
        #expect(StoreSuite.Capability.all(of: try TestDatabase().open()) == [.audit])
        #expect(StoreSuite.Capability.all(of: try TestDatabase(partitions: 16).open()) == PostgresPartitionTests.many)
        #expect(StoreSuite.checks(for: PostgresPartitionTests.many).count == 100)
        #expect(
            StoreSuite.leftOut(for: PostgresPartitionTests.many) == [
                "a backup has what was committed before its copying ended",
                "a backup that is given up or refused by its check is not there",
            ])
    }
}

/// Tests the store on PostgreSQL in 16 partitions, with every other check; `CASE_STRIDE=1` makes all.
@Suite(.tags(.heavy), .serialized, .ownThreads, .enabled(if: PostgresServer.isWanted)) struct PostgresPartitionTests {
    fileprivate static let many: Set<StoreSuite.Capability> = [.audit, .partitions]

    @Test(arguments: sample(StoreSuite.checks(for: many), every: 2))
    func holdsInSixteenPartitions(check: StoreSuite.Check) async throws {
        let database = try TestDatabase(partitions: 16)
        try await check.run { try database.open() }
    }
}

extension TestDatabase {
    /// Opens the store as a new owner.
    func open(_ limits: ReadLimits = ReadLimits(), insecure: Bool = false) throws -> PostgresDatabase {
        var random = SystemRandomNumberGenerator()
        let owner = UniqueID(at: Timestamp(rawValue: 1), random: &random)
        return try PostgresDatabase.open(try address, owner: owner, insecure: insecure, limits: limits)
    }
}
