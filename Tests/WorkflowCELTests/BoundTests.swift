import Testing
import ThreadTesting
import WorkflowCEL

@Suite(.timeLimit(.minutes(20)), .ownThreads) struct BoundTests {
    @Test(arguments: ["(", "[", "{1:", "!(", "-(", "size(", "true ? (", "1 + (", "[1].map(x, "])
    func tenThousandBracketsAreAnError(open: String) {
        let text = String(String(repeating: open, count: 10_000).prefix(CELLimits.sourceBytes))
        let issues = Program.compile(text, in: Trial.environment).issues
        #expect(
            issues.contains { $0.kind == .limit && $0.message == "the expression is nested deeper than 200 levels" })
    }

    @Test(arguments: ["!", "-"])
    func tenThousandSignsAreAnError(sign: String) {
        let issues = Program.compile(String(repeating: sign, count: 10_000) + "x", in: Trial.environment).issues
        #expect(issues.map(\.message) == ["the expression is nested deeper than 200 levels"])
    }

    @Test(arguments: [" + 1", ".a", "[0]", " == 1", ".f()", ".?a"])
    func tenThousandOperatorsAreAnError(step: String) {
        let text = "context" + String(repeating: step, count: 10_000)
        let issues = Program.compile(text, in: Trial.environment).issues
        #expect(issues.map(\.message) == ["the expression is nested deeper than 200 levels"])
    }

    @Test func manyTermsAreNotNested() throws {
        let text = Array(repeating: "context.amount > 0", count: 2000).joined(separator: " && ")
        #expect(try Trial.value(text) == "true")
    }

    @Test func aMebibyteOfSourceIsAnError() {
        let issues = Program.compile(String(repeating: "1+", count: 1 << 19), in: Trial.environment).issues
        #expect(issues.map(\.message) == ["the expression is 1048576 bytes long, more than 65536"])
        #expect(issues.map(\.kind) == [.limit])
    }

    /// Repeats a text 198 times, as deep as an expression may be.
    private static func deep(_ text: String) -> String { String(repeating: text, count: 198) }

    @Test(arguments: [
        (deep("(") + "1" + deep(")"), "1"),
        (deep("[") + "1" + deep("]"), deep("[") + "1" + deep("]")),
        (deep("{1: ") + "1" + deep("}"), deep("{int(1): ") + "1" + deep("}")),
        (deep("-") + "context.amount", "500"),
        ("1" + deep(" + 1"), "199"),
        (deep("[1].map(x, ") + "1" + deep(")"), deep("[") + "1" + deep("]")),
        (deep("[true].all(x, ") + "true" + deep(")"), "true"),
        (deep("true ? 1 : ") + "2", "1"),
        ("context" + deep(".?a"), "none"),
        ("'a'" + deep(".replace('a', 'b')"), "'b'"),
    ])
    func theDeepestExpressionHasItsValue(text: String, value: String) throws {
        #expect(try Trial.value(text) == value)
    }

    @Test(arguments: [
        "lists.range(1000000).all(x, x >= 0)",
        "lists.range(1000).all(x, lists.range(1000).all(y, lists.range(1000).all(z, x + y + z >= 0)))",
        "lists.range(600000).map(x, x).size() > 0",
        "lists.range(100000).exists(x, context.nope == x) || true",
        "lists.range(100000).exists(x, dyn(x) + 1.5 > 2.0 || dyn(x) == 'a' + dyn(x)) || true",
        "lists.range(300000).map(x, [x, x])",
        "lists.range(100000) + lists.range(900000) == []",
    ])
    func longLoopsEndWithAnError(text: String) throws {
        let failure = try Trial.failure(text)
        #expect(failure.hasSuffix("limit the expression takes more than 1000000 steps"))
    }

    @Test func doublingAStringEndsWithAnError() throws {
        let text = "['" + String(repeating: "a", count: 64) + "']" + String(repeating: ".map(s, s + s)", count: 30)
        #expect(try Trial.failure(text) == "1:273 limit a value of 2097152 bytes is larger than 1048576")
    }

    @Test func doublingAListEndsWithAnError() throws {
        let text = "[[1]]" + String(repeating: ".map(s, s + s)", count: 60)
        #expect(try Trial.failure(text).hasSuffix("limit the expression takes more than 1000000 steps"))
    }

    @Test func aListThatHoldsItselfManyTimesIsNotWalkedForLong() throws {
        let list = "[[1]]" + String(repeating: ".map(s, [s, s])", count: 60)
        #expect(try Trial.failure("\(list) == \(list)").hasSuffix("limit the expression takes more than 1000000 steps"))
    }

    @Test func theSmallestBudgetIsEnoughForAConstantOnly() throws {
        #expect(try Trial.failure("1", steps: 0) == "1")
        #expect(throws: EvaluationError.self) {
            var budget = Budget(0)
            _ = try Trial.program("context.amount").value(Trial.Host(), &budget)
        }
    }

    @Test func theBudgetIsTakenFromTheCallers() throws {
        var budget = Budget(1000)
        _ = try Trial.program("context.amount < 1000 && event.data.ok").value(Trial.Host(), &budget)
        #expect(budget.remaining == 1000 - 7)
    }

    @Test func aBudgetThatIsUsedUpDecidesNothing() throws {
        #expect(try Trial.failure("lists.range(1000000).all(x, true) || true").contains(" limit "))
        #expect(try Trial.failure("[1].exists(y, lists.range(1000000).all(x, true)) || true").contains(" limit "))
    }
}
