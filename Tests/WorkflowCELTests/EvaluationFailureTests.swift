import Testing
import WorkflowCEL

@Suite struct EvaluationFailureTests {
    @Test(arguments: [
        ("context.total + event.data.n", "1:1 noOverload no such overload: double + int; write double(event.data.n)"),
        ("event.data.n + context.total", "1:1 noOverload no such overload: int + double; write double(event.data.n)"),
        ("context.total * 2", "1:1 noOverload no such overload: double * int; write 2.0"),
        ("context.amount + 2u", "1:1 noOverload no such overload: int + uint; write int(2u)"),
        ("'n' + context.amount", "1:1 noOverload no such overload: string + int; write string(context.amount)"),
        ("context.customer > 5", "1:1 noOverload no such overload: string > int; write int(context.customer)"),
        (
            "context.paid + 1",
            "1:1 noOverload no such overload: null + int; context.paid is null, ask context.paid != null first"
        ),
        (
            "1 < context.paid",
            "1:1 noOverload no such overload: int < null; context.paid is null, ask context.paid != null first"
        ),
        (
            "-context.customer",
            "1:1 noOverload no such overload: -string; write -double(context.customer) or -int(context.customer)"
        ),
        (
            "context.customer && true",
            "1:1 noOverload expected a bool, but context.customer is a string; write context.customer != ''"
        ),
        (
            "context.paid ? 1 : 2",
            "1:1 noOverload expected a bool, but context.paid is null; write context.paid != null to ask for a value"
        ),
        ("context.customer.all(x, true)", "1:1 noOverload expected a list or a map, but context.customer is a string"),
        (
            "context.paid.all(x, true)",
            "1:1 noOverload expected a list or a map, but context.paid is null; ask context.paid != null first"
        ),
        (
            "size(context.amount)",
            "1:1 noOverload no such overload: size(int); there is size(string), size(bytes), size(list), size(map)"
        ),
        (
            "size(context.paid)",
            "1:1 noOverload no such overload: size(null); context.paid is null, ask context.paid != null first"
        ),
        (
            "context.amount.startsWith('a')",
            "1:1 noOverload no such overload: int.startsWith(string); there is string.startsWith(string)"
        ),
        (
            "context.amount.matches('a')",
            "1:1 noOverload no such overload: int.matches(string); there is string.matches(string)"
        ),
        ("In(context.amount)", "1:1 noOverload no such overload: In(int); there is In(string)"),
        (
            "context.customer.orValue(1)",
            "1:1 noOverload no such overload: orValue wants optionals, as a.?b gives them, not a string"
        ),
    ])
    func valuesOfOtherTypesGetAdvice(text: String, failure: String) throws {
        #expect(try Trial.failure(text) == failure)
    }

    @Test(arguments: [
        (
            "event.data.amuont > 3",
            "1:1 noSuchKey no such key: 'amuont' in event.data; it has amount, n, ok; did you mean 'amount'?"
        ),
        ("context.empty.a", "1:1 noSuchKey no such key: 'a' in context.empty; it is empty"),
        ("true &&\n context.one.zip", "2:2 noSuchKey no such key: 'zip' in context.one; it has only"),
        (
            "context.paid.name",
            "1:1 noSuchKey no such key: 'name' in context.paid, which is null; ask context.paid != null first"
        ),
        ("context.amount.name", "1:1 noOverload no such field: 'name' in context.amount, which is an int"),
        ("context.items[0].m", "1:1 noSuchKey no such key: 'm' in context.items[0]; it has n"),
        ("has(context.amount.a)", "1:1 noOverload no such field: 'a' in context.amount, which is an int"),
        (
            "context.items[2]",
            "1:1 invalidIndex no such element: the index 2 is too large, context.items has 2 elements"
        ),
        ("[1][-1]", "1:1 invalidIndex no such element: the index -1 is negative, [1] has 1 element"),
        ("[1][context.total]", "1:1 invalidIndex the index of a list is a whole number, context.total is 1.5"),
        (
            "[1][context.customer]",
            "1:1 invalidIndex the index of a list is a whole number, context.customer is a string"
        ),
        (
            "context[event.name]",
            "1:1 noSuchKey no such key: 'pay' in context; it has amount, customer, empty, items, one, paid, tags, total"
        ),
        ("{1: 2}[3]", "1:1 noSuchKey no such key: 3 in {1: 2}; it has 1"),
        ("{1: 2}[dyn(b'')]", "1:1 noSuchKey no such key: bytes in {1: 2}; it has 1"),
        (
            "context.customer[context.amount]",
            "1:1 noOverload no such overload: string[int]; write context.customer.charAt(context.amount)"
        ),
        ("lists.range(20).map(i, {string(i): 1}.x)[0]", "1:24 noSuchKey no such key: 'x' in {string(i): 1}; it has 0"),
        ("{'a': 1, 'a': 2}", "1:10 invalidArgument the key stands twice in the map"),
        ("{context.total: 1}", "1:2 noOverload a key is a bool, int, uint or string, not a double"),
        ("[?context.amount]", "1:3 noOverload '?' wants an optional, as a.?b gives it, not an int"),
        (
            "optional.none().value()",
            "1:1 invalidArgument the optional has no value; write .orValue(…), or ask .hasValue() first"
        ),
    ])
    func whatIsMissingIsNamed(text: String, failure: String) throws {
        #expect(try Trial.failure(text) == failure)
    }

    @Test(arguments: [
        ("9223372036854775807 + 1", "1:1 overflow the result does not fit an int"),
        ("1 + (-9223372036854775807 - 2)", "1:6 overflow the result does not fit an int"),
        ("0u - 1u", "1:1 overflow the result does not fit a uint"),
        ("-(-9223372036854775807 - 1)", "1:1 overflow the result does not fit an int"),
        ("(-9223372036854775807 - 1) / -1", "1:1 overflow the result does not fit an int"),
        ("1 / 0", "1:1 divideByZero division by zero"), ("1u % 0u", "1:1 divideByZero division by zero"),
        ("2 * int('x')", "1:5 invalidArgument the string is no whole number; an int is written as '-42'"),
        (
            "context.customer.matches(event.name + '(')",
            "1:1 invalidArgument the pattern is no RE2 regular expression: missing ): pay("
        ),
        ("true && Fails()", "1:9 host the function fails"),
    ])
    func whatDoesNotFitFailsWhereItStands(text: String, failure: String) throws {
        #expect(try Trial.failure(text) == failure)
    }

    @Test func theFirstErrorOfSeveralIsTold() throws {
        #expect(try Trial.failure("1 / 0 > 0 && context.nope").hasPrefix("1:1 divideByZero"))
        #expect(try Trial.failure("[1, 0].all(x, context.nope || 1 / x > 0)").hasPrefix("1:15 noSuchKey"))
    }

    @Test func aLongOperandIsLeftOutOfTheAdvice() throws {
        let text = "context.items.filter(item, item.n > 0 && item.n < 1000000000).map(item, item.n)[0] + 1.5"
        #expect(try Trial.failure(text) == "1:1 noOverload no such overload: int + double; write double(…)")
    }
}
