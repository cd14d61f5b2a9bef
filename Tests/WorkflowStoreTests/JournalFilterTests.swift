import Statechart
import Testing
import WorkflowStore

/// Which rows a filter wants.
struct JournalFilterTests {
    @Test(arguments: [
        ("pay", "pay", true), ("pay", "pay.late", false), ("pay", "payment", false), ("pay.*", "pay", true),
        ("pay.*", "pay.late.twice", true), ("pay.*", "payment", false), ("*", "after.2d.packing", true),
        ("after.*", "after.2d.packing", true), ("*", "", true),
    ])
    func anEventIsNamedAsInATransition(descriptor: String, event: String, expected: Bool) {
        let filter = JournalFilter(event: EventDescriptor(descriptor))
        #expect(filter.takes(kind: "event", event: event, from: "", to: "") == expected)
    }

    @Test(arguments: [
        ("review", "", "review.legal.pending,review.finance.ok", true),
        ("review", "draft", "review.legal.pending,review.finance.ok", true),
        ("review", "review.legal.pending,review.finance.ok", "review.legal.ok,review.finance.ok", false),
        ("review.legal.ok", "review.legal.pending,review.finance.ok", "review.legal.ok,review.finance.ok", true),
        ("review", "review.legal.ok,review.finance.ok", "paid", true), ("re", "draft", "review", false),
        ("draft", "draft", "draft", false), ("draft", "drafts", "draft", true),
    ])
    func aStateIsLeftOrEntered(state: String, from: String, to: String, expected: Bool) {
        #expect(JournalFilter(state: state).takes(kind: "event", event: "e", from: from, to: to) == expected)
    }

    @Test func aKindIsItsName() {
        let filter = JournalFilter(kind: .failed)
        #expect(filter.takes(kind: "failed", event: "e", from: "", to: ""))
        #expect(!filter.takes(kind: "event", event: "e", from: "", to: ""))
    }
}
