import Testing

@testable import WorkflowStore

@Suite struct ReadGateTests {
    @Test func slicesEndSoonWhenTheWriterWantsThemToLeave() {
        let gate = ReadGate(limit: .seconds(20))
        var budget = SliceBudget(rows: .max, duration: .seconds(600), gate: gate)
        #expect((0..<100).allSatisfy { _ in budget.spend() })
        #expect(gate.shut())
        let more = (0..<100).prefix { _ in budget.spend() }
        #expect(more.count < 16)
        gate.open()
        budget = SliceBudget(rows: .max, duration: .seconds(600), gate: gate)
        #expect((0..<100).allSatisfy { _ in budget.spend() })
    }
}
