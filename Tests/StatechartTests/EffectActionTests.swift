import Statechart
import Testing
import WorkflowJSON

/// Tests `http`, `exec` and `call`, from the definition to the row of the effect.
@Suite struct EffectActionTests {
    /// Returns the effects that a machine requests in its first state, `a`.
    private func effects(_ keys: String, context: String = "{}") throws -> [EffectRequest] {
        let run = try TimedRun("{id: m, initial: a, context: \(context), states: {a: {\(keys)}, b: {}}}")
        return run.last.flatMap { $0.macrostep.requests.compactMap(\.effect) }
    }

    private func effect(_ action: String, context: String = "{}") throws -> EffectRequest {
        let effects = try effects("invoke: {\(action)}", context: context)
        try #require(effects.count == 1)
        return effects[0]
    }

    private func http(_ keys: String, context: String = "{}") throws -> (queue: String, text: String) {
        let effect = try effect("http: {\(keys)}", context: context)
        return (effect.queue, effect.text)
    }

    @Test func aRequestIsWhole() throws {
        let effect = try effect(
            """
            http: {
              method: PATCH, url: "https://Pay.example.com/v1/{context.name}/charges?a=b",
              query: {n: context.n, none: null, ok: true, q: "'x y'"},
              headers: {Accept: "'text/plain'", X-N: context.n},
              body: {amount: context.n, note: "event.name", tag: 1.0},
              secretHeaders: {Authorization: "Bearer {pay_token}"}, sign: hook,
              attemptTimeout: 10s, maxBytes: 4096, keepHeaders: [X-Rate]},
            timeout: 1m, retry: {attempts: 5}
            """, context: "{n: 7, name: 'a/b'}")
        #expect(effect.name == "a" && effect.queue == "http:pay.example.com:443" && effect.priority == 3)
        #expect(
            effect.text == #"{"deadline":60000,"http":{"attemptTimeout":10000,"body":{"amount":7,"note":"init","#
                + #""tag":1.0},"headers":{"Accept":"text/plain","X-N":"7"},"keepHeaders":["x-rate"],"maxBytes":4096,"#
                + #""method":"PATCH","secretHeaders":{"Authorization":"Bearer {pay_token}"},"sign":"hook","#
                + #""url":"https://pay.example.com/v1/a%2Fb/charges?a=b&n=7&ok=true&q=x%20y"},"retry":{"attempts":5}}"#)
    }

    @Test(arguments: [
        ("url: 'http://a/'", #""method":"GET","url":"http://a/""#),
        ("url: 'http://a/', body: null", #""body":null,"method":"POST""#),
        ("url: 'http://a/', form: {b: 1, a: \"'x'\"}", #""form":{"a":"x","b":"1"},"method":"POST""#),
        ("url: 'http://a/', text: \"'t'\"", #""method":"POST","text":"t""#),
        ("url: 'http://a/', method: PURGE", #""method":"PURGE""#),
        ("url: 'http://a/?', query: \"{'b': 1}\"", #""url":"http://a/?&b=1""#),
        ("url: context.u, query: {b: 1}", #""url":"http://c:81/x?b=1""#),
        ("url: 'http://a/', headers: context.h", #""headers":{"X":"y"}"#),
    ])
    func shortForms(keys: String, part: String) throws {
        let text = try http(keys, context: "{u: 'http://c:81/x', h: {X: y}}").text
        #expect(text.contains(part) && !text.contains("invalid"), "\(text)")
    }

    /// A request that can never be sent is no error of the machine: its only attempt fails.
    @Test(arguments: [
        ("url: 'http://a/{context.e}'", "'{context.e}' makes an empty segment of the url"),
        (
            "url: \"'http://u:p@' + 'a/'\"",
            "a url has no user and no password; 'secretHeaders' can give 'Authorization'"
        ),
        ("url: \"'http://a/x/../' + context.e\"", "a url has no segments '.' and '..'"),
        ("url: \"'http://a/x/%252e%252e/y' + context.e\"", "a url has no segments '.' and '..'"),
        ("url: \"'http://a/x/..%2fy' + context.e\"", "a url has no segments '.' and '..'"),
        ("url: \"'http://a/' + context.e + '/x'\"", "a url that is computed has no empty segments"),
        ("url: \"'HTTP://a'\"", "a url begins with http:// or https://"),
        ("url: context.e", "a url begins with http:// or https://"),
        ("url: 'http://a/', headers: {X: context.lines}", "header 'X' has a line break or another control character"),
        ("url: 'http://a/', headers: \"{'X y': 1}\"", "header 'X y' is no header name"),
        ("url: 'http://a/', headers: \"{'Host': 'b'}\"", "'Host' is set by wfd"),
        ("url: 'http://a/', headers: \"{'X': 1, 'x': 2}\"", "header 'x' stands twice"),
        (
            "url: 'http://a/', headers: \"{'x': 1}\", secretHeaders: {X: '{s}'}", "header 'X' stands twice"
        ),
        (
            "url: 'http://a/', body: context.long + context.long",
            "the body would be larger than 1048576 bytes or nested deeper than 120 levels"
        ),
    ])
    func whatCannotBeSentSaysWhy(keys: String, reason: String) throws {
        var run = try TimedRun(
            """
            {id: m, initial: idle, context: {e: '', lines: "a\\nb", long: ''}, states: {
              idle: {on: {go: {target: a, actions: {assign: {long: event.data}}}}},
              a: {invoke: {http: {\(keys)}}}}}
            """)
        // Half of what is too much, with quotes that are longer where they are written.
        let half = JSONValue.string(String(repeating: "\"", count: 270_000))
        try run.send("go", half)
        let effect = try #require(run.last.flatMap(\.macrostep.requests).first?.effect)
        #expect(effect.queue == "http:invalid")
        let request = try #require(try JSONReader.value(from: effect.text).object)
        #expect(request["invalid"]?.string == reason && request["http"]?.object?["body"] == nil)
    }

    @Test(arguments: [
        ("exec: resize", #"{"exec":{"args":[]}}"#),
        ("exec: resize, input: {n: context.n}", #"{"exec":{"args":[]},"input":{"n":1}}"#),
        (
            "exec: {program: resize, args: [\"'-w'\", context.n, true, \"'--'\", context.d], maxBytes: 10, attemptTimeout: 1s}",
            #"{"exec":{"args":["-w","1","true","--","-d"],"attemptTimeout":1000,"maxBytes":10}}"#
        ),
        (
            "exec: {program: resize, args: [context.d]}",
            #"{"exec":{},"invalid":"argument 1 is computed and begins with '-'; write '--' before it"}"#
        ),
        (
            "exec: {program: resize, args: [context.n - 2]}",
            #"{"exec":{},"invalid":"argument 1 is computed and begins with '-'; write '--' before it"}"#
        ),
    ])
    func aProgramHasArguments(action: String, text: String) throws {
        let effect = try effect(action, context: "{n: 1, d: '-d'}")
        #expect(effect.queue == "exec:resize" && effect.text == text)
    }

    @Test(arguments: [
        ("http: {url: 'http://a/{context.l}'}", "a part of a url is a string, a number or a bool, not a list"),
        ("http: {url: context.l}", "a url is a string, not list"),
        ("http: {url: 'http://a/', headers: {X: context.l}}", "a header is a string, a number or a bool, not a list"),
        ("http: {url: 'http://a/', query: context.l}", "it must be a map of names and values"),
        ("http: {url: 'http://a/', text: context.l}", "'text' is a string, not list"),
        ("exec: {program: p, args: [context.l]}", "an argument is a string, a number or a bool, not a list"),
        ("exec: {program: p, args: [context.x]}", "an argument is a string, a number or a bool, not null"),
    ])
    func whatStandsForNoTextIsAnError(action: String, message: String) throws {
        // The type of the list is not known beforehand.
        let machine = try DefinitionReader.read(
            """
            {id: m, initial: a, types: {context: {l: dyn}}, context: {l: [1], x: null},
            states: {a: {invoke: {\(action)}}}}
            """
        ).machine
        guard case .refused(.expressionFailed(let failure)) = machine.apply(.start(), to: nil, as: .test) else {
            Issue.record("it must be refused")
            return
        }
        #expect(failure.message == message)
    }

    @Test func whatIsBegunIsTold() throws {
        let run = try TimedRun(
            """
            id: m
            initial: a
            states:
              a:
                entry: [{call: {http: {url: 'http://a/x', body: {n: 1}}}}, {call: {task: t}}]
                invoke: {exec: {program: p, args: ["'x'"]}, input: [1]}
            """)
        #expect(
            run.deeds == [#"call http POST http://a/x {"n":1}"#, "call task t", #"invoke a: exec p ["x"] [1]"#])
    }

    // MARK: Calls

    private static let calling = """
        id: m
        initial: a
        context: {n: 1}
        states:
          a:
            entry: {call: {task: {queue: q, priority: 1}, input: {at: event.name}, retry: {attempts: unlimited}}}
            exit: {call: {task: left}}
            invoke: {task: work}
            after: {1s: b}
            on:
              each: {actions: {foreach: {array: event.data, item: n, actions: {call: {task: q, input: context.n}}}}}
              maybe: {actions: {choose: [{guard: event.data, actions: {call: {task: yes}}}]}}
              bad: {actions: [{call: {task: first}}, {call: {task: q, input: 1 / event.data}}]}
          b: {type: final}
        """

    private func requests(_ run: TimedRun) -> [String] {
        run.last.flatMap(\.macrostep.requests).map { request in
            switch request {
            case .arm(let pending): "arm \(pending.id.number)"
            case .invoke(let pending, let effect): "\(effect.name) \(pending.id.number)"
            case .call(let effect): "\(effect.name) \(effect.queue) \(effect.priority) \(effect.text)"
            case .cancel(let id): "cancel \(id.number)"
            }
        }
    }

    /// The numbers come from one counter, in the order of the requests.
    @Test func callsAreRequestsInTheirOrder() throws {
        var run = try TimedRun(Self.calling)
        #expect(
            requests(run) == [
                #"call.1.1 task:q 1 {"input":{"at":"init"},"retry":{"attempts":"unlimited"}}"#, "arm 2", "a 3",
            ])
        #expect(run.snapshot.armed.count == 2)
        try run.send("each", [5, 6])
        #expect(requests(run) == [#"call.2.1 task:q 3 {"input":5}"#, #"call.2.2 task:q 3 {"input":6}"#])
        try run.send("maybe", true)
        #expect(requests(run) == ["call.3.1 task:yes 3 {}"])
        try run.send("maybe", false)
        #expect(requests(run).isEmpty)
    }

    /// The request of its macrostep stays: only effects of a state end with the state.
    @Test func aCallOutlivesItsState() throws {
        var run = try TimedRun(Self.calling)
        _ = try run.pass(1_000)
        #expect(run.snapshot.status == .done)
        #expect(requests(run) == ["call.2.1 task:left 3 {}", "cancel 3"])
        let left = try TimedRun(
            "{id: m, initial: a, states: {a: {entry: {call: {task: x}}, always: b}, b: {}}}")
        #expect(requests(left) == ["call.1.1 task:x 3 {}"])
    }

    /// An undone macrostep requests nothing.
    @Test func whatIsUndoneCallsNobody() throws {
        let run = try TimedRun(Self.calling)
        let input = Input.event(Event(name: "bad", data: 0, at: run.now))
        guard case .refused = run.machine.apply(input, to: run.snapshot, as: .test) else {
            Issue.record("it must be refused")
            return
        }
    }

    @Test func aMacrostepHasItsBounds() throws {
        var run = try TimedRun(
            """
            id: m
            initial: a
            context: {i: 0, big: ''}
            states:
              a:
                on:
                  many: {actions: {foreach: {array: event.data, item: i, actions: {call: {task: q}}}}}
                  big: {actions: [{assign: {big: event.data}}, {call: {task: q, input: context.big}},
                    {call: {task: q, input: context.big}}, {call: {task: q, input: context.big}},
                    {call: {task: q, input: context.big}}, {call: {task: q, input: context.big}}]}
            """)
        let numbers = JSONValue.array((0..<1_001).map { .int(Int64($0)) })
        #expect(
            run.refusalMessage("many", numbers) == "one macrostep asks for at most 1000 timers and effects")
        let big = JSONValue.string(String(repeating: "x", count: 1_000_000))
        #expect(run.refusalMessage("big", big) == "one macrostep asks the world for at most 4194304 bytes")
        try run.send("many", .array(Array((0..<1_000).map { .int(Int64($0)) })))
        #expect(run.last[0].macrostep.requests.count == 1_000)
    }
}

extension TimedRun {
    /// Returns the message about an event whose action fails.
    fileprivate func refusalMessage(_ event: String, _ data: JSONValue) -> String? {
        guard case .expressionFailed(let failure)? = refusal(of: event, data) else { return nil }
        return failure.message
    }
}
