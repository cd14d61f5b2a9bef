import StoreSuite
import StoreTesting
import Synchronization
import Testing
import ThreadTesting
import WorkflowStore

/// Tests the fake store with the suite. So the fake store behaves like a store, and the suite can be passed without a
/// file, and with more than one partition.
@Suite(.ownThreads) struct FakeStoreSuiteTests {
    /// A store that can be opened again after it was closed.
    private final class Memory: Sendable {
        private let partitions: Int
        private let store = Mutex<FakeStore?>(nil)

        init(partitions: Int) {
            self.partitions = partitions
        }

        func open() -> FakeStore {
            store.withLock { store in
                let opened = store.map { $0.reopened() } ?? FakeStore(partitions: partitions)
                store = opened
                return opened
            }
        }
    }

    private static let many: Set<StoreSuite.Capability> = [.partitions]

    @Test(arguments: StoreSuite.checks(for: []))
    func holdsInOnePartition(check: StoreSuite.Check) async throws {
        let memory = Memory(partitions: 1)
        try await check.run { memory.open() }
    }

    @Test(arguments: StoreSuite.checks(for: many))
    func holdsInManyPartitions(check: StoreSuite.Check) async throws {
        let memory = Memory(partitions: 64)
        try await check.run { memory.open() }
    }

    /// The checks that the fake store cannot pass are on this list.
    @Test func theChecksAreAllThatMemoryCanTake() {
        #expect(StoreSuite.Capability.all(of: FakeStore()) == [])
        #expect(StoreSuite.Capability.all(of: FakeStore(partitions: 64)) == Self.many)
        #expect(StoreSuite.checks(for: []).count == 92)
        #expect(StoreSuite.checks(for: Self.many).count == 99)
        #expect(
            StoreSuite.leftOut(for: Self.many) == [
                "a backup has what was committed before its copying ended",
                "a backup that is given up or refused by its check is not there",
                "going through the store passes every record once",
            ])
        #expect(Set(StoreSuite.checks.map(\.name)).count == StoreSuite.checks.count)
    }
}
