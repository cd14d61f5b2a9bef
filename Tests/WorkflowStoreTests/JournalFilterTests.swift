import Statechart
import Testing
import WorkflowStore

/// Tests the rows that a filter selects.
struct JournalFilterTests {
    @Test(arguments: [
        ("pay", "pay", true), ("pay", "pay.late", false), ("pay", "payment", false), ("pay.*", "pay", true),
        ("pay.*", "pay.late.twice", true), ("pay.*", "payment", false), ("*", "after.2d.packing", true),
        ("after.*", "after.2d.packing", true), ("*", "", true),
    ])
    func anEventIsNamedAsInATransition(descriptor: String, event: String, expected: Bool) {
        let filter = JournalFilter(events: [EventDescriptor(descriptor)])
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
        #expect(JournalFilter(states: [state]).takes(kind: "event", event: "e", from: from, to: to) == expected)
    }

    /// Another value of a filter selects more rows, another kind of filter fewer.
    @Test func valuesOfAFilterAddUp() {
        let filter = JournalFilter(
            kinds: [.failed, .event], events: [EventDescriptor("pay.*"), EventDescriptor("go")], states: ["a", "b"])
        func takes(_ kind: String, _ event: String, _ from: String, _ to: String) -> Bool {
            filter.takes(kind: kind, event: event, from: from, to: to)
        }
        #expect(takes("failed", "go", "a", "c") && takes("event", "pay.late", "c", "b"))
        #expect(!takes("timer", "go", "a", "c") && !takes("event", "stop", "a", "c") && !takes("event", "go", "c", "d"))
        let machines = JournalFilter(machines: ["m", "n"])
        #expect(machines.takes(machine: "n") && !machines.takes(machine: "o") && JournalFilter().takes(machine: "o"))
    }

    @Test func aKindIsItsName() {
        let filter = JournalFilter(kinds: [.failed])
        #expect(filter.takes(kind: "failed", event: "e", from: "", to: ""))
        #expect(!filter.takes(kind: "event", event: "e", from: "", to: ""))
    }
}
