import Statechart
import Testing
import ThreadTesting

/// Tests mistakes in expressions: their places, and the suggested corrections.
@Suite(.ownThreads) struct DefinitionExpressionTests {
    /// Reads a definition in which one state has these keys, on line 3.
    private func open(_ keys: String, root: String = "") -> String {
        "{id: m, initial: s, on: {x: .a, y: .b}, \(root)\nstates: {a: {}, b: {}, s: {\n\(keys)}}}"
    }

    private static let root = """
        context: {amount: 0, name: '', rows: []}, events: {pay: {data: {amount: double, card: string}}}, \
        guards: {small: context.amount < 10},
        """

    @Test(arguments: [
        (
            "on: {go: {guard: context.amuont > 1}}",
            "3:26: error: the context has no field 'amuont'; did you mean 'amount'?"
        ),
        ("on: {go: {guard: smal}}", "3:18: error: unknown variable 'smal'; did you mean 'small'?"),
        ("on: {go: {guard: 1 +}}", "3:21: error: expected a value, found the end of the expression"),
        ("on: {go: {guard: '1 +'}}", "3:22: error: expected a value, found the end of the expression"),
        ("on: {go: {guard: ''}}", "3:19: error: the expression is empty"),
        ("on: {go: {guard: 1 + 1}}", "3:18: error: a guard gives true or false, this one gives int"),
        (
            "on: {go: {guard: {type: and}}}",
            "3:18: error: 'guard' must be an expression, not a map; combine named guards with '&&', '||' and '!'"
        ),
        ("on: {go: {guard: \"In('aa')\"}}", "3:22: error: there is no state 'aa'; did you mean 'a'?"),
        ("on: {pay: {guard: event.data.amount + 1 > 1.0}}", "3:19: error: no such overload: double + int; write 1.0"),
        (
            "on: {pay: {guard: event.data.crad == ''}}",
            "3:30: error: event 'pay' has no field 'crad'; did you mean 'card'?"
        ),
        ("on: {go: {guard: event.nme == 'x'}}", "3:24: error: the event has no field 'nme'; did you mean 'name'?"),
        ("entry: {assign: {amount: \"1 + 'x'\"}}", "3:27: error: no such overload: int + string; write string(1)"),
        (
            "entry: {log: \"nme + 'x'\"}",
            "3:15: error: unknown variable 'nme'; there is context, event, instance, small; "
                + "a text has quotes of its own: 'nme'"
        ),
        (
            "entry: {assign: {name: 'Ada Lovelace'}}",
            "3:29: error: expected an operator or the end of the expression, found 'Lovelace'; "
                + "a text has quotes of its own, write \"'Ada Lovelace'\""
        ),
        ("after: {30 days: a}", "3:9: error: '30 days' is no delay; write 30d"),
        (
            "entry: {raise: {event: e, data: [1, {k: '(('}]}}",
            "3:44: error: expected a value, found the end of the expression"
        ),
        (
            "entry: {assign: {'rows[context.x]': 1}}",
            "3:31: error: the context has no field 'x'; it has amount, name, rows"
        ),
        ("after: {'nope()': a}", "3:9: error: unknown function 'nope'"),
        (
            "after: {2026-12-24: a}",
            "3:9: error: '2026-12-24' is a date, not a delay; in an expression write "
                + "timestamp('2026-12-24T00:00:00Z') - event.at"
        ),
        ("after: {1h 30m: a}", "3:9: error: '1h 30m' has a blank in it; write 1h30m"),
        (
            "after: {\"'P1M'\": a}",
            "3:9: error: a month has no fixed length; write days, such as P30D"
        ),
        (
            "entry: {send: {event: e, delay: \"'soon'\"}}",
            "3:34: error: 'soon' is no delay; one is written such as 250ms, 30s, 5m, 1h30m, 7d, 1w, P3D or PT1H30M, "
                + "or a number of milliseconds"
        ),
        (
            "entry: {raise: {event: pay, data: {amount: 1, card: 5}}}",
            "3:9: error: the data of 'pay' does not fit: data.card is an int, not a string"
        ),
        (
            "entry: {raise: {event: pay, data: {amount: 'context.name', card: context.name}}}",
            "3:9: error: the data of 'pay' does not fit: data.amount is a string, not a double; write double(…)"
        ),
        ("entry: {send: {event: pay}}", "3:9: error: the data of 'pay' does not fit: data is null, not a map"),
        (
            "entry: {choose: [{guard: \"'a'\", actions: []}]}",
            "3:27: error: a guard gives true or false, this one gives string"
        ),
    ])
    func mistakesStandWhereTheyAre(keys: String, message: String) {
        #expect(diagnostics(of: open(keys, root: Self.root)) == [message])
    }

    @Test(arguments: [
        ("P1M", "a month has no fixed length; write days, such as P30D"),
        ("P2Y", "a year has no fixed length; write days, such as P730D"),
        ("P1W1M", "a month has no fixed length; write days, such as P30D"),
        ("2mo", "a month has no fixed length; write days, such as 60d"),
        ("1Y", "a year has no fixed length; write days, such as 365d"),
        ("36526d", "the delay is longer than a hundred years"),
        ("P36526D", "the delay is longer than a hundred years"),
        ("3155760000001", "the delay is longer than a hundred years"),
        ("101y", "a year has no fixed length; write days, such as 36525d"),
        ("5min", "'5min' is no delay; write 5m"),
        ("30 days", "'30 days' is no delay; write 30d"),
        ("1 Hour 30 minutes", "'1 Hour 30 minutes' is no delay; write 1h30m"),
        ("1.5 hours", "'1.5 hours' is no delay; write 1.5h"),
        ("2weeks", "'2weeks' is no delay; write 2w"),
        ("3 months", "a month has no fixed length; write days, such as 90d"),
        ("'30 days'", "'30 days' is no delay; write 30d"),
        ("5M", "a month has no fixed length; write days, such as 150d"),
        ("5x", "'5x' is no delay: its units are w, d, h, m, s, ms, each once, the largest first"),
        ("30m1h", "'30m1h' is no delay: its units are w, d, h, m, s, ms, each once, the largest first"),
        ("-5s", "a delay is not negative; 0 is at once"),
        ("event.at", "\(given) timestamp; write … - event.at"),
        ("In('a')", "\(given) bool"),
        ("[1]", "\(given) list(int)"),
    ])
    func aDelayThatIsNoneIsRefusedWhereItStands(delay: String, message: String) {
        #expect(diagnostics(of: open("after: {\"\(delay)\": a}")) == ["3:9: error: \(message)"])
        #expect(
            diagnostics(of: open("entry: {send: {event: x, delay: \"\(delay)\"}}")) == ["3:34: error: \(message)"])
    }

    private static let given = "a delay is a duration, a number of milliseconds or a text, this one gives"

    @Test func howLateIsTooLateSaysWhatItIsNot() {
        #expect(
            diagnostics(of: open("after: {1s: {target: a, misfire: {skip: P1M}}}")) == [
                "3:41: error: 'skip' is how late is too late: a month has no fixed length; write days, such as P30D"
            ])
    }

    @Test func expressionsOfSeveralLinesAreCountedFromTheirBeginning() throws {
        let text = """
            id: m
            initial: a
            context: {n: 0}
            states:
              a:
                on:
                  go:
                    guard: "context.n > 0 &&
                      context.m > 0"
            """
        #expect(diagnostics(of: text).map { String($0.prefix(20)) } == ["8:42: error: the con"])
    }

    @Test func undeclaredKeysAndStatesAreWarningsWhereTheMachineIsNotStrict() {
        #expect(
            diagnostics(of: open("on: {go: {guard: \"context.x == In('y')\"}}", root: "strict: false,")) == [
                "3:27: warning: the context has no field 'x'", "3:35: warning: there is no state 'y'",
            ])
    }

    @Test(arguments: [
        (
            "guards: {context: 'true'}",
            "1:50: error: a guard cannot be named 'context': the name means something else in expressions"
        ),
        (
            "guards: {int: 'true'}",
            "1:50: error: a guard cannot be named 'int': the name means something else in expressions"
        ),
        (
            "guards: {a-b: 'true'}",
            "1:50: error: 'a-b' cannot be the name of a guard: letters, digits and '_', first not a digit"
        ),
        ("guards: {p: q, q: r, r: p}", "1:50: error: guards that lead back to themselves: p -> q -> r -> p"),
        ("guards: {p: '1'}", "1:54: error: a guard gives true or false, this one gives int"),
        ("events: {pay: {data: {amount: doubel}}}", "1:71: error: unknown type 'doubel'; did you mean 'double'?"),
        ("events: {pay: {data: {amount: number}}}", "1:71: error: unknown type 'number'; did you mean 'double'?"),
        ("events: {pay: {data: {ok: boolean}}}", "1:67: error: unknown type 'boolean'; did you mean 'bool'?"),
        ("events: {pay: {dat: {}}}", "1:56: error: unknown key 'dat' in event 'pay'; did you mean 'data'?"),
        ("events: {error.x: {}}", "1:50: error: 'error.x' is an event of the engine's own"),
    ])
    func mistakesAtTheRoot(keys: String, message: String) {
        #expect(diagnostics(of: open("entry: []", root: "\(keys),")) == [message])
    }

    @Test func guardsThatLieTooDeepInEachOtherAreRefused() {
        let guards = (0..<30).map { "g\($0): g\($0 + 1)" } + ["g30: 'true'"]
        let text = open("entry: []", root: "guards: {\(guards.joined(separator: ", "))},")
        #expect(diagnostics(of: text) == ["1:50: error: guards lie in each other deeper than 8 levels"])
    }

    @Test(
        .timeLimit(.minutes(20)),
        arguments: [
            String(repeating: "(", count: 10_000),
            String(repeating: "[", count: 10_000) + String(repeating: "]", count: 10_000),
            String(repeating: "!", count: 10_000) + "true", String(repeating: "1+", count: 30_000) + "1",
            String(repeating: "a.", count: 20_000) + "b", String(repeating: "x", count: 100_000),
        ])
    func expressionsOutOfAllBoundsAreRefused(expression: String) {
        let told = diagnostics(of: open("on: {go: {guard: '\(expression)'}}"))
        #expect(told.count >= 1 && told.allSatisfy { $0.contains("error") })
    }

    @Test func anAfterThatLeadsToItsOwnStateIsAWarning() {
        #expect(
            diagnostics(of: open("after: {1s: s}")) == [
                "3:13: warning: this 'after' leads to its own state and will not fire again; add 'reenter: true'"
            ])
    }
}
