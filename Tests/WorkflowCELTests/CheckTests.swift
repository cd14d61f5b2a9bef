import Testing
import WorkflowCEL

@Suite struct CheckTests {
    @Test(arguments: [
        ("contxt.amount", "1:1 unknown variable 'contxt'; did you mean 'context'?"),
        ("tru", "1:1 unknown variable 'tru'; did you mean 'true'?"),
        ("total > 1.0", "1:1 unknown variable 'total'; did you mean order.total?"),
        (
            "xyz",
            "1:1 unknown variable 'xyz'; there is context, event, order, small; "
                + "a text has quotes of its own, write \"'xyz'\""
        ),
        (
            "context.kind == express",
            "1:17 unknown variable 'express'; there is context, event, order, small; "
                + "a text has quotes of its own: 'express'"
        ),
        ("ada.lovelace", "1:1 unknown variable 'ada'; there is context, event, order, small"),
        ("pow(2, 3)", "1:1 unknown function 'pow'; write math.pow(2, 3)"),
        ("Math.floor(order.total)", "1:1 unknown function 'Math.floor'; write math.floor(order.total)"),
        ("max(1, 2)", "1:1 unknown function 'max'; write math.greatest(1, 2)"),
        ("parseInt(event.data)", "1:1 unknown function 'parseInt'; write int(event.data)"),
        (
            "duration('1h') * 1.5",
            "1:1 no such overload: duration * double; "
                + "* takes two of int, uint or double, or a duration and an int"
        ),
        ("size", "1:1 unknown variable 'size'; size is a function, called as size(…)"),
        ("[1].map(item, itm)", "1:15 unknown variable 'itm'; did you mean 'item'?"),
        ("sze('a')", "1:1 unknown function 'sze'; did you mean 'size'?"),
        ("in('review')", "1:1 expected a value, found 'in'"),
        ("startsWith('abc', 'a')", "1:1 unknown function 'startsWith'; write 'abc'.startsWith('a')"),
        ("exists([1], small)", "1:1 unknown function 'exists'; write [1].exists(small)"),
        ("'abc'.startWith('a')", "1:7 unknown function 'startWith'; did you mean 'startsWith'?"),
        ("event.at.timestamp()", "1:10 unknown function 'timestamp'; write timestamp(event.at)"),
        ("math.gretest(1)", "1:1 unknown function 'math.gretest'; did you mean 'math.greatest'?"),
        ("event.dtaa", "1:7 the event has no field 'dtaa'; did you mean 'data'?"),
        ("has(event.zip)", "1:11 the event has no field 'zip'; it has at, data, name"),
        ("event['zip']", "1:7 the event has no field 'zip'; it has at, data, name"),
        ("event.?zip", "1:8 the event has no field 'zip'; it has at, data, name"),
    ])
    func unknownNamesGetASuggestion(text: String, issue: String) {
        #expect(Trial.issues(text) == [issue])
    }

    @Test(arguments: [
        ("order.total + 1", "1:1 no such overload: double + int; write 1.0"),
        ("1 + order.total", "1:1 no such overload: int + double; write 1.0"),
        ("order.total + order.amount", "1:1 no such overload: double + int; write double(order.amount)"),
        ("order.amount * 2u", "1:1 no such overload: int * uint; write int(2u)"),
        ("5 * size('a') + 2u * 3", "1:17 no such overload: uint * int; write 3u"),
        ("2u * -3", "1:1 no such overload: uint * int; write int(2u)"),
        ("order.total + 2u", "1:1 no such overload: double + uint; write double(2u)"),
        ("'n' + order.amount", "1:1 no such overload: string + int; write string(order.amount)"),
        ("order.amount < '5'", "1:1 no such overload: int < string; write int('5')"),
        (
            "order.total % 2.0",
            "1:1 no such overload: double % double; % takes int and uint; write int(order.total) and int(2.0)"
        ),
        (
            "event.at > '2026-01-01T00:00:00Z'",
            "1:1 no such overload: timestamp > string; write timestamp('2026-01-01T00:00:00Z')"
        ),
        ("event.at + 5", "1:1 no such overload: timestamp + int; write duration('5s')"),
        (
            "event.at - order.amount",
            "1:1 no such overload: timestamp - int; write duration(string(order.amount) + 's')"
        ),
        ("event.name == 5", "1:1 no such overload: string == int; write int(event.name)"),
        ("small == 'true'", "1:1 no such overload: bool == string; write bool('true')"),
        ("order.amount < null", "1:1 no such overload: int < null; null can only be compared with == and !="),
        ("'a' in event.name", "1:1 no such overload: string in string; write event.name.contains('a')"),
        ("1 in 2", "1:1 no such overload: int in int; in takes a list or a map on its right"),
        ("[1] + 2", "1:1 no such overload: list + int; write [2]"),
        (
            "small + small",
            "1:1 no such overload: bool + bool; + takes two of int, uint, double, string, bytes, duration or "
                + "list, or a timestamp and a duration"
        ),
        ("1 < order.amount < 9", "1:1 comparisons cannot be chained; write 1 < order.amount && order.amount < 9"),
        ("-order.id", "1:1 no such overload: -string; write -double(order.id) or -int(order.id)"),
        ("-2u", "1:1 no such overload: -uint; write -int(2u)"),
        ("!order.amount", "1:2 expected a bool, but order.amount is an int; write order.amount != 0"),
        ("small && order.id", "1:10 expected a bool, but order.id is a string; write order.id != ''"),
        ("order.total ? 1 : 2", "1:1 expected a bool, but order.total is a double; write order.total != 0.0"),
        ("[1].all(x, x)", "1:12 expected a bool, but x is an int; write x != 0"),
        ("order.id.all(x, true)", "1:1 expected a list or a map, but order.id is a string"),
        ("order.id.optMap(x, x)", "1:1 expected an optional, as a.?b gives it, but order.id is a string"),
        ("order.?amount + 1", "1:1 no such overload: optional + int; write order.?amount.orValue(…)"),
        ("order.id.orValue('')", "1:1 no such overload: orValue wants optionals, as a.?b gives them, not a string"),
        ("order.id[0]", "1:1 no such overload: string[int]; write order.id.charAt(0)"),
        ("[1]['a']", "1:1 no such overload: list[string]; the index of a list is a whole number"),
        ("[1][small]", "1:1 no such overload: list[bool]; the index of a list is a whole number"),
        ("{'a': 1}[2]", "1:1 no such overload: map[int]; the keys of {'a': 1} are string"),
        (
            "event.at.getHours",
            "1:10 no such field: 'getHours' in event.at, which is a timestamp; did you mean event.at.getHours()?"
        ),
        ("size(1)", "1:1 no such overload: size(int); there is size(string), size(bytes), size(list), size(map)"),
        ("'a'.contains()", "1:1 no such overload: string.contains(); there is string.contains(string)"),
        ("In(3)", "1:1 no such overload: In(int); there is In(string)"),
        ("In('a', 'b')", "1:1 no such overload: In(string, string); there is In(string)"),
        ("{1.5: 2}", "1:2 a key is a bool, int, uint or string, not a double"),
        ("[?order.id]", "1:3 '?' wants an optional, as a.?b gives it, not a string"),
        ("'a'.matches('(')", "1:13 the pattern is no RE2 regular expression: missing ): ("),
        (
            "duration('5 minutes')",
            "1:10 the string is no duration; one is written as '30d', '1h30m', '1.5s' or 'PT1H'"
        ),
    ])
    func whatCannotWorkIsAMistake(text: String, issue: String) {
        #expect(Trial.issues(text) == [issue])
        #expect(Program.compile(text, in: Trial.environment).program == nil)
    }

    @Test(arguments: [
        "context.a + 1", "context.a + 'x'", "context.a.b.c[0].d < context.e", "order.amount == null",
        "null == order.id",
        "order.amount == 1.0", "order.amount < 2u", "[1, 'a', null, [2]]", "[1] == ['a']", "order == context",
        "1 in [1.0, 'a']", "order.amount in context", "context.a ? 1 : 'a'", "order[context.a]", "small || context.a",
        "(small ? 1 : 'a') + 2", "event.data.all(k, event.data[k] > 0)", "In(context.a)", "dyn(1) + 1.5",
        "context.a.matches(context.b)", "size(context.a)", "context.a.optMap(x, x)",
    ])
    func whatMayWorkIsNone(text: String) {
        #expect(Trial.issues(text) == [])
    }

    @Test(arguments: [
        ("1 + 2", "int"), ("1 < 2", "bool"), ("context.a", "dyn"), ("context.a + 1", "int"), ("order.total", "double"),
        ("context.a + context.b", "dyn"), ("event.at - event.at", "duration"),
        ("event.at + duration('1s')", "timestamp"),
        ("[1, 2]", "list(int)"), ("[1, 2.0]", "list(dyn)"), ("{'a': [1]}", "map(string, list(int))"),
        ("[1].map(x, string(x))", "list(string)"), ("{'a': 1}.filter(k, true)", "list(string)"), ("[[1]][0][0]", "int"),
        ("small ? 1 : 2", "int"), ("small ? 1 : 'a'", "dyn"), ("order.?amount", "optional(int)"),
        ("order.?amount.orValue(1)", "int"), ("context.?a.?b", "optional(dyn)"), ("order", "map(string, dyn)"),
        ("math.greatest(1, 2)", "int"), ("size(context.a)", "int"), ("null", "null"), ("int", "type"),
        ("In('a')", "bool"),
    ])
    func typesAreKnownWhereTheyCanBe(text: String, type: String) throws {
        #expect(try Trial.program(text).type.description == type)
    }

    @Test func anUnknownFieldLeavesTheProgramUsable() throws {
        let compilation = Program.compile("event.zip == 1", in: Trial.environment)
        #expect(compilation.issues.map(\.kind) == [.unknownField])
        #expect(compilation.program != nil)
    }

    @Test func withoutTheCheckMistakesAppearWhenItRuns() throws {
        var options = CompileOptions()
        options.isChecked = false
        for text in ["nope || true", "nope(1) || true", "(1 + 'a' == 1) || true", "'x'.matches('(') || true"] {
            let compilation = Program.compile(text, in: Trial.environment, options)
            #expect(compilation.issues == [])
            var budget = Budget()
            let program = try #require(compilation.program)
            #expect(Trial.written(try program.value(Trial.Host(), &budget)) == "true")
        }
    }

    @Test func issuesSayWhere() throws {
        let issue = try #require(Program.compile("1 +\n  contxt", in: Trial.environment).issues.first)
        #expect(issue.kind == .unknownVariable)
        #expect(issue.range == 6..<12)
        #expect((issue.line, issue.column) == (2, 3))
    }
}
