import Testing
import WorkflowCEL

@Suite struct NameTests {
    /// Gives each variable and each function its own number as its value.
    private struct Numbers: Activation {
        func value(of variable: Int, _ budget: inout Budget) throws(EvaluationError) -> Value { .int(Int64(variable)) }

        func call(_ function: Int, _ arguments: [Value], _ budget: inout Budget) throws(EvaluationError) -> Value {
            .int(Int64(function))
        }
    }

    private static func number(_ text: String, _ names: [String], functions: [String] = [], in container: String = "")
        throws -> String
    {
        let environment = Environment(
            variables: names.map { Environment.Variable(name: $0, type: .dyn) },
            functions: functions.map { Environment.Function(name: $0, parameters: [], result: .int) },
            container: container)
        var budget = Budget()
        return Trial.written(try Trial.program(text, in: environment).value(Numbers(), &budget))
    }

    @Test func theLongestNameInTheInnermostContainerCounts() throws {
        #expect(try Self.number("a", ["a", "x.a", "x.y.a"], in: "x.y") == "2")
        #expect(try Self.number("a", ["a", "x.a", "x.y.b"], in: "x.y") == "1")
        #expect(try Self.number(".a", ["a", "x.a"], in: "x") == "0")
        #expect(try Self.number("a.b", ["x.a", "a.b"], in: "x") == "1")
        #expect(try Self.number("y.a", ["y.a", "x.y.a"], in: "x") == "1")
    }

    @Test func functionsAreLookedUpInTheContainerToo() throws {
        #expect(try Self.number("f()", [], functions: ["f", "x.f"], in: "x") == "1")
        #expect(try Self.number(".f()", [], functions: ["f", "x.f"], in: "x") == "0")
        #expect(try Self.number("x.f()", [], functions: ["f", "x.f"]) == "1")
        #expect(try Self.number("size()", [], functions: ["size"]) == "0")
    }

    @Test func aBoundNameHidesVariables() throws {
        #expect(try Self.number("[7].map(a, a)[0]", ["a", "x.a"], in: "x") == "7")
        #expect(try Self.number("[{'b': 7}].map(a, a.b)[0]", ["a.b"]) == "7")
        #expect(try Self.number("[7].map(a, .a)[0]", ["a"]) == "0")
        #expect(try Self.number("[7].map(a, [8].map(a, a)[0] + a)[0]", ["a"]) == "15")
    }

    @Test(arguments: [
        ("context.amount < 1000 && event.data.ok", ["context.amount", "event.data.ok"]),
        ("small", ["small"]), ("1 + 1", []),
        ("context.b + context.a + context.b", ["context.b", "context.a"]),
        ("context.items[0].n + context['total']", ["context.items", "context.total"]),
        ("context.`x-y` + context['x y'].z", ["context['x-y']", "context['x y'].z"]),
        ("has(context.a.b) && event.?data.?n.hasValue()", ["context.a.b", "event.data"]),
        ("context[?'a'].orValue(context[event.name])", ["context.a", "context", "event.name"]),
        ("context.tags.exists(t, t == event.name)", ["context.tags", "event.name"]),
        ("size(context.tags) > 0 ? context.a : context.b", ["context.tags", "context.a", "context.b"]),
    ])
    func referencesAreWhatIsRead(text: String, references: [String]) throws {
        #expect(try Trial.program(text).references.map(\.text) == references)
    }

    @Test func valuesShowWhatWasRead() throws {
        let program = try Trial.program(
            "context.amount < 1000 && event.data.ok && context.nope.x > 1 && context.paid.y")
        var budget = Budget()
        let values = program.values(Trial.Host(), &budget).map { reference, result in
            switch result {
            case .success(let value): "\(reference.text) = \(Trial.written(value))"
            case .failure(let error): "\(reference.text): \(error.message)"
            }
        }
        #expect(
            values == [
                "context.amount = 500",
                "event.data.ok = true",
                "context.nope.x: no such key: 'nope' in context; "
                    + "it has amount, customer, empty, items, one, paid, tags, total",
                "context.paid.y: no such key: 'y' in context.paid, which is null; ask context.paid != null first",
            ])
    }
}
