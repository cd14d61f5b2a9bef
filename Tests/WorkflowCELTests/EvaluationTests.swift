import Testing
import WorkflowCEL

@Suite struct EvaluationTests {
    @Test(arguments: [
        ("context.amount < 1000 && event.data.ok", "true"), ("context.items[1].n", "2"), ("context.items.size()", "2"),
        ("context.tags == ['a', 'b']", "true"), ("context.one == {'only': true}", "true"),
        ("'amount' in context", "true"),
        ("'nope' in context", "false"), ("context.paid == null", "true"), ("context.amount == null", "false"),
        ("null == context.amount", "false"), ("has(context.paid)", "true"), ("has(context.nope)", "false"),
        ("has(context.paid.name)", "false"), ("context['customer'] + '!'", "'Ann!'"),
        ("context.tags + ['c'] + context.tags", "['a', 'b', 'c', 'a', 'b']"), ("In('review') && !In('x')", "true"),
        ("event.name + string(order.amount)", "'pay7'"),
    ])
    func contextAndEventAreRead(text: String, value: String) throws {
        #expect(try Trial.value(text) == value)
    }

    @Test(arguments: [
        ("duration('90s') * 2 == duration('3m')", "true"), ("2 * duration('-1.5s') == duration('-3s')", "true"),
        ("duration('1h') * event.data.n == duration('3h')", "true"),
        ("math.pow(2, 10)", "1024.0"), ("math.pow(order.total, event.data.n)", "3.375"),
    ])
    func durationsAndPowersAreComputed(text: String, value: String) throws {
        #expect(try Trial.value(text) == value)
    }

    @Test func aDurationThatIsTooLongIsAnError() throws {
        #expect(
            try Trial.failure("duration('1h') * 9223372036854775807")
                == "1:1 overflow the duration is out of range: it is longer than 9223372036 s, some 292 years")
    }

    @Test(arguments: [
        ("1 == 1.0", "true"), ("1u == 1", "true"), ("dyn(18446744073709551615u) == -1", "false"),
        ("0.0 == -0.0", "true"), ("0.0/0.0 == 0.0/0.0", "false"), ("0.0/0.0 != 0.0/0.0", "true"),
        ("[0.0/0.0] == [0.0/0.0]", "false"), ("{1: 'a'} == {1u: 'a'}", "true"), ("[1, [2u]] == [1.0, [2]]", "true"),
        ("dyn('1') == 1", "false"), ("dyn(true) == 1", "false"), ("b'a' == b'a'", "true"), ("b'a' != b'b'", "true"),
        ("dyn({}) == []", "false"), ("int == int", "true"), ("int == string", "false"),
        ("optional.of(1) == optional.of(1.0)", "true"), ("optional.none() == optional.of(1)", "false"),
        ("'\u{e9}' == 'e\u{301}'", "false"), ("{'\u{e9}': 1, 'e\u{301}': 2}.size()", "2"),
    ])
    func equalityComparesWhatIsCounted(text: String, value: String) throws {
        #expect(try Trial.value(text) == value)
    }

    @Test(arguments: [
        ("1 < 1.5", "true"), ("-1 < 0u", "true"), ("18446744073709551615u > 9223372036854775807", "true"),
        ("1 < 0.0/0.0", "false"), ("1 >= 0.0/0.0", "false"), ("'a' < 'b'", "true"), ("'Z' < 'a'", "true"),
        ("'é' > 'z'", "true"), ("'ab' <= 'ab'", "true"), ("b'a' < b'ab'", "true"), ("false < true", "true"),
        ("duration('1s') < duration('1m')", "true"), ("timestamp(1) >= timestamp(1)", "true"),
    ])
    func orderIsThatOfValues(text: String, value: String) throws {
        #expect(try Trial.value(text) == value)
    }

    @Test(arguments: [
        ("7 / 2", "3"), ("-7 / 2", "-3"), ("-7 % 2", "-1"), ("7u / 2u", "3u"), ("1.0 / 0.0", "inf"),
        ("1.5 * 2.0", "3.0"),
        ("'a' + 'b'", "'ab'"), ("b'a' + b'b'", "b[97, 98]"), ("[1] + []", "[1]"), ("[] + [1]", "[1]"),
        ("timestamp(10) - timestamp(4) == duration('6s')", "true"), ("duration('1m') + timestamp(0)", "timestamp(60)"),
        ("timestamp(60) - duration('1m')", "timestamp(0)"),
        ("duration('1m') - duration('1s') == duration('59s')", "true"),
    ])
    func arithmeticKeepsItsTypes(text: String, value: String) throws {
        #expect(try Trial.value(text) == value)
    }

    @Test(arguments: [
        ("false && 1 / 0 > 0", "false"), ("1 / 0 > 0 && false", "false"), ("true || 1 / 0 > 0", "true"),
        ("1 / 0 > 0 || true", "true"), ("1 / 0 > 0 && context.nope || true", "true"), ("dyn('a') && false", "false"),
        ("true ? 1 : 1 / 0", "1"), ("false ? 1 / 0 : 2", "2"), ("[0, 1].exists(x, 1 / x == 1)", "true"),
        ("[0, 2].all(x, 4 / x == 1)", "false"), ("context.?nope.orValue(1)", "1"),
        ("context.?amount.orValue(1 / 0)", "500"),
    ])
    func whatDecidesIsEnough(text: String, value: String) throws {
        #expect(try Trial.value(text) == value)
    }

    @Test(arguments: [
        ("[1, 2, 3].map(x, x * x)", "[1, 4, 9]"), ("[1, 2, 3].map(x, x > 1, x * x)", "[4, 9]"),
        ("[1, 2, 3].filter(x, x != 2)", "[1, 3]"), ("{'b': 1, 'a': 2}.map(k, k)", "['a', 'b']"),
        ("{'b': 1, 'a': 2}.filter(k, k > 'a')", "['b']"), ("[1, 2].exists_one(x, x == 1)", "true"),
        ("[1, 1].existsOne(x, x == 1)", "false"), ("[].exists(x, true)", "false"), ("[].all(x, false)", "true"),
        ("context.items.map(i, i.n)", "[1, 2]"), ("context.all(k, k != '')", "true"),
        ("[1, 2].map(x, [3, 4].map(y, x * y))", "[[3, 4], [6, 8]]"),
        ("[[1, 2], [3]].filter(x, x.exists(x, x == 3))", "[[3]]"),
    ])
    func macrosGoThroughElementsAndKeys(text: String, value: String) throws {
        #expect(try Trial.value(text) == value)
    }

    @Test(arguments: [
        ("context.?amount", "optional(500)"), ("context.?nope", "none"), ("context.?nope.a.b", "none"),
        ("context.?one.only", "optional(true)"), ("context[?'amount']", "optional(500)"), ("context.tags[?5]", "none"),
        ("context.tags[?0]", "optional('a')"), ("context.?tags[0]", "optional('a')"), ("context.paid.?x", "none"),
        ("[?context.?nope, ?context.?amount, 1]", "[500, 1]"),
        ("{?'a': context.?nope, ?'b': optional.of(1)}", "{string(\"b\"): 1}"),
        ("context.?nope.or(context.?amount)", "optional(500)"), ("context.?amount.hasValue()", "true"),
        ("optional.of(3).value()", "3"), ("optional.ofNonZeroValue('')", "none"),
        ("optional.ofNonZeroValue(0.5)", "optional(0.5)"),
        ("context.?amount.optMap(a, a + 1)", "optional(501)"), ("context.?nope.optMap(a, a + 1)", "none"),
        ("context.?one.optFlatMap(o, o.?only)", "optional(true)"), ("has(context.?one.only)", "true"),
        ("type(optional.none())", "optional_type"),
    ])
    func optionalsCarryWhatMayBeMissing(text: String, value: String) throws {
        #expect(try Trial.value(text) == value)
    }

    @Test(arguments: [
        ("{1: 'a'}[1.0]", "'a'"), ("{1u: 'a'}[1]", "'a'"), ("[7, 8][1u]", "8"), ("[7, 8][dyn(1.0)]", "8"),
        ("{true: 1}[true]", "1"), ("1.0 in {1: 'a'}", "true"), ("dyn(b'') in {1: 'a'}", "false"),
        ("2 in [1, 2.0]", "true"),
    ])
    func keysAndIndexesAreNumbersOfAnyType(text: String, value: String) throws {
        #expect(try Trial.value(text) == value)
    }
}
