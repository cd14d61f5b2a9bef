import StoreTesting
import Testing
import WorkflowStore

@testable import SQLiteStore  // Its connections are no part of what others use.

@Suite struct ReadGateTests {
    @Test func slicesEndSoonWhenTheWriterWantsThemToLeave() {
        let gate = ReadGate(limit: .seconds(20))
        var limits = StoreLimits()
        (limits.sliceRows, limits.sliceDuration) = (.max, .seconds(600))
        var budget = SliceBudget(limits, isBusy: false, gate)
        #expect((0..<100).allSatisfy { _ in budget.spend() })
        #expect(gate.shut())
        let more = (0..<100).prefix { _ in budget.spend() }
        #expect(more.count < 16)
        gate.open()
        budget = SliceBudget(limits, isBusy: false, gate)
        #expect((0..<100).allSatisfy { _ in budget.spend() })
    }

    @Test func aSearchReadsInShorterSlicesWhileEventsCome() {
        let gate = ReadGate(limit: .seconds(20))
        var limits = StoreLimits()
        (limits.sliceDuration, limits.busySliceDuration) = (.seconds(600), .seconds(600))
        limits.searchSliceDuration = .zero
        for (isBusy, isCostly) in [(true, false), (false, true), (false, false)] {
            var budget = SliceBudget(limits, isBusy: isBusy, gate)
            #expect((0..<100).allSatisfy { _ in budget.spend(isCostly: isCostly) }, "\(isBusy) \(isCostly)")
        }
        var budget = SliceBudget(limits, isBusy: true, gate)
        let goesOn = budget.spend(isCostly: true)
        #expect(!goesOn)
    }

    /// A read of the whole database ends soon after its caller has gone.
    @Test func aCancelledTaskReadsNoMore() async throws {
        let directory = try TemporaryDirectory()
        let store = try SQLiteFileStore.sqlite(directory)
        #expect(try await store.machineNames(limit: 10).isEmpty)
        await #expect(throws: StoreError.self) {
            try await withThrowingTaskGroup(of: [MachineName].self) { group in
                group.cancelAll()
                group.addTask { try await store.machineNames(limit: 10) }
                _ = try await group.next()
            }
        }
        try store.writer().close()
    }
}
