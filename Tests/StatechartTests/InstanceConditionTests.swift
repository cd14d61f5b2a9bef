import Statechart
import Testing
import WorkflowJSON

/// Tests conditions that select instances.
@Suite struct InstanceConditionTests {
    private static let values = InstanceValues(
        name: "order-1", machine: "order", version: 2, status: "failed", state: "packing", createdAt: 1_000,
        updatedAt: 61_000, inState: 86_400_001, context: #"{"customer":"c-17","items":[1,2,3],"big":9007199254740993}"#,
        failure: ["event": "pay", "message": "division by zero", "line": 9])

    private func verdict(_ source: String, on values: InstanceValues = values) throws -> InstanceVerdict {
        try InstanceCondition(source).verdict(on: values)
    }

    @Test(arguments: [
        "context.customer == 'c-17' && inState > duration('24h')", "name.startsWith('order-')", "machine == 'order'",
        "version == 2 && version > 1", "status in ['failed', 'done']", "state == 'packing'",
        "updatedAt - createdAt == duration('60s')", "createdAt < timestamp('2000-01-01T00:00:00Z')",
        "context.items.exists(i, i == 3)", "context.big == 9007199254740993", "failure.line == 9",
        "failure != null && failure.message.contains('zero')", "!has(context.missing)",
        "context.?missing.orValue(7) == 7",
        "inState == duration('86400.001s')",
    ])
    func aConditionHolds(_ source: String) throws {
        #expect(try verdict(source) == .holds)
        #expect(try verdict("!(\(source))") == .holdsNot)
    }

    @Test func aConditionKnowsWhatItReads() throws {
        #expect(try InstanceCondition("status == 'failed'").readsContext == false)
        #expect(try InstanceCondition("has(context.a)").readsContext)
        #expect(try InstanceCondition("failure == null").readsFailure)
        #expect(try InstanceCondition("context.failure == 1").readsFailure == false)
    }

    @Test(arguments: [
        ("contxt.a == 1", "line 1, column 1: unknown variable 'contxt'; did you mean 'context'?"),
        ("name == ", "line 1, column 9: "), ("status.failed", "line 1, column 8: no such field: 'failed' in status"),
        ("'a'", "it must give true or false, and gives string"), ("", "line 1"),
        ("name > 1", "line 1, column 1: no such overload: string > int"),
        ("In('a')", "line 1, column 1: unknown function 'In'"),
        (String(repeating: " ", count: 4_096) + "1", "an expression has at most 4096 bytes"),
    ])
    func aMistakeIsToldWithItsPlace(_ source: String, _ message: String) {
        #expect { try InstanceCondition(source) } throws: { error in
            guard let error = error as? InstanceConditionError else { return false }
            let isAsWanted = error.message.hasPrefix(message)
            if !isAsWanted { Issue.record("\(error.message)") }
            return isAsWanted
        }
    }

    @Test func aConditionWithoutAValueFails() throws {
        func message(_ source: String, on values: InstanceValues = Self.values) throws -> String {
            guard case .fails(let message) = try verdict(source, on: values) else { return "it does not fail" }
            return message
        }
        #expect(try message("context.custmer == 'c'").hasPrefix("line 1, column "))
        #expect(try message("context.customer") == "the condition gives true or false, here it gave string")
        let long = "context.items.all(a, context.items.all(b, context.items.all(c, context.items.all(d, "
        let deep = long + long + long + "true" + String(repeating: ")", count: 12)
        #expect(try message(deep) == "the condition takes more than 100000 steps")
        var broken = Self.values
        broken = InstanceValues(
            name: "a", machine: "m", version: 1, status: "running", state: "", createdAt: 0, updatedAt: 0, inState: 0,
            context: "{", failure: nil)
        #expect(try message("context.a == 1", on: broken).contains("the context cannot be read"))
        // A condition decodes only the fields that it reads.
        #expect(try verdict("status == 'running' || context.a == 1", on: broken) == .holds)
        #expect(try verdict("failure == null", on: broken) == .holds)
    }
}
