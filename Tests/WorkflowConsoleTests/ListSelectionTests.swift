import Testing
import WorkflowAPI

@testable import WorkflowConsole

/// Tests that a run over all that a list shows selects no more than the list shows.
@Suite struct ListSelectionTests {
    private static let list = InstanceListParameters(
        prefix: "order-", machines: ["order"], versions: [2], statuses: [.failed], states: ["paid"], olderThan: "1d",
        failures: ["type"], condition: "context.a == 1")

    @Test func everyConditionOfAListIsOneOfItsSelection() throws {
        let select = try #require(BulkSelect(Self.list))
        #expect(
            select
                == BulkSelect(
                    machines: ["order"], versions: [2], statuses: [.failed], states: ["paid"], olderThan: "1d",
                    failures: ["type"], prefix: "order-", condition: "context.a == 1"))
        // A condition that is new in one of them must be asked for here too.
        func names(_ value: Any, without others: Set<String>) -> Set<String> {
            Set(Mirror(reflecting: value).children.compactMap(\.label)).subtracting(others)
        }
        let conditions = names(Self.list, without: ["ahead", "sort", "limit", "page"])
        #expect(conditions == names(select, without: ["suspendedBy", "all"]))
    }

    @Test func aListOfEverythingSelectsAll() {
        #expect(BulkSelect(InstanceListParameters())?.all == true)
        var ahead = InstanceListParameters()
        ahead.ahead = true
        #expect(BulkSelect(ahead) == nil)
    }
}
