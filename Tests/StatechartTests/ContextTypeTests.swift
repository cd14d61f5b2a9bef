import Statechart
import Testing
import WorkflowJSON

/// Tests the types of the context: their declarations, and the checks of values against them.
@Suite struct ContextTypeTests {
    /// Returns a strict machine with these types and this context, whose event `go` runs one action, on line 5.
    private static func machine(_ types: String, _ context: String, _ action: String, strict: Bool = true) -> String {
        """
        id: order
        strict: \(strict)
        types: {context: {\(types)}}
        context: {\(context)}
        on: {go: {actions: \(action)}}
        initial: a
        states: {a: {}}
        """
    }

    private static let types = "x: double, customer: string, items: 'list(map(string, dyn))', n: int"
    private static let context = "x: 0, customer: null, items: [], n: 0"

    // MARK: Apply

    @Test func anIntegerIsADoubleWhereOneIsDeclared() throws {
        let machine = try DefinitionReader.read(
            Self.machine("x: double, l: list(double)", "x: 0, l: [1, 2.5]", "{assign: {x: 2}}")
        ).machine
        #expect(JSONWriter.string(machine.context) == #"{"l":[1.0,2.5],"x":0.0}"#)
    }

    @Test(arguments: [
        ("x: int", "x: 1.5", "4:14: error: the initial value does not fit its type: x is a double, not an int"),
        (
            "items: list(map)", "items: [1]",
            "4:18: error: the initial value does not fit its type: items[0] is an int, not a map"
        ),
        ("p: {a: int}", "p: {}", "4:14: error: the initial value does not fit its type: p.a is missing"),
        ("t: timestamp", "t: soon", "\(initial) t is a string, but not a timestamp such as '2026-01-31T12:00:00Z'"),
        ("custmer: string", "customer: ''", "3:19: error: the context has no key 'custmer'; did you mean 'customer'?"),
        ("x: number", "x: 0", "3:22: error: unknown type 'number'; did you mean 'double'?"),
        ("x: list(boolean)", "x: []", "3:22: error: unknown type 'list(boolean)'; did you mean 'list(bool)'?"),
        ("x: list(strnig)", "x: []", "3:22: error: unknown type 'list(strnig)'; did you mean 'list(string)'?"),
        (
            "x: qqqq", "x: 0",
            "3:22: error: unknown type 'qqqq'; types are bool, int, uint, double, string, bytes, timestamp, duration, "
                + "dyn, list(T), map(string, T), optional(T) and maps of fields, such as {name: string}"
        ),
        ("x: [int]", "x: 0", "3:22: error: the type of context.x must be a name or a map of fields, not a list"),
        (
            "x: 'map(int, string)'", "x: {}",
            "3:22: error: no JSON is of type 'map(int, string)': a map has strings as keys, and there are no types"
        ),
    ])
    func anInitialValueMustFit(types: String, context: String, message: String) {
        #expect(diagnostics(of: Self.machine(types, context, "[]")) == [message])
        // Declared types hold without `strict` too.
        #expect(diagnostics(of: Self.machine(types, context, "[]", strict: false)) == [message])
    }

    private static let initial = "4:14: error: the initial value does not fit its type:"

    @Test(arguments: [
        ("{assign: {customer: 5}}", "5:30: error: the value does not fit: customer is an int, not a string"),
        ("{assign: {n: context.x}}", "5:33: error: the value does not fit: n is a double, not an int; write int(…)"),
        ("{assign: {n: 2.0}}", "5:30: error: the value does not fit: n is a double, not an int"),
        ("{assign: {items: [{a: 1}, 2]}}", "5:30: error: the value does not fit: items[1] is an int, not a map"),
        ("{assign: {'items[0]': context.n}}", "5:42: error: the value does not fit: items[0] is an int, not a map"),
        ("{assign: {items.a: 1}}", "5:30: error: 'items' is a list, not a map"),
        ("{assign: {'n[0]': 1}}", "5:30: error: 'n' is an int, not a list"),
        ("{assign: {customer: \"{'a': 1}\"}}", "5:41: error: the value does not fit: customer is a map, not a string"),
        ("{log: context.n + 1.5}", "5:26: error: no such overload: int + double; write double(context.n)"),
        (
            "{log: context.customer.size}",
            "5:43: error: no such field: 'size' in context.customer, which is a string"
        ),
        ("{choose: [{guard: context.n, actions: []}]}", "5:38: error: a guard gives true or false, this one gives int"),
        (
            "{foreach: {array: context.n, item: n, actions: []}}",
            "5:38: error: 'foreach' goes over a list, this gives int"
        ),
        (
            "{foreach: {array: '[1]', item: n, index: customer, actions: []}}",
            "5:21: error: 'foreach' cannot set its key: customer is an int, not a string; write string(…)"
        ),
    ])
    func whatCanNeverFitIsRefusedWhenTheDefinitionIsApplied(action: String, message: String) {
        let found = diagnostics(of: Self.machine(Self.types, Self.context, action))
        #expect(found.count == 1 && found[0].hasPrefix(message), "\(found)")
    }

    @Test func aTimestampIsNoDelayWhereItsTypeIsDeclared() {
        let text = """
            id: m
            initial: a
            types: {context: {due: timestamp, wait: duration}}
            context: {due: null, wait: 5m}
            states:
              a: {after: {context.due: b, context.wait: b, timestamp(context.due) - event.at: b}}
              b: {}
            """
        #expect(
            diagnostics(of: text) == [
                "6:15: error: a delay is a duration, a number of milliseconds or a text, this one gives timestamp; "
                    + "write … - event.at"
            ])
    }

    // MARK: Start

    @Test(arguments: [
        (#"{"customer": 5}"#, "customer is an int, not a string"),
        (#"{"x": "1"}"#, "x is a string, not a double"),
        (#"{"items": [{"a": 1}, 2]}"#, "items[1] is an int, not a map"),
        (#"{"n": 1.0}"#, "n is a double, not an int"), (#"{"n": null}"#, "n is null, not an int"),
    ])
    func dataAtTheStartMustFit(data: String, message: String) throws {
        let machine = try DefinitionReader.read(Self.machine(Self.types, Self.context, "[]")).machine
        let object = try #require(try JSONReader.value(from: data).object)
        guard case .refused(.invalidData(let found)) = machine.apply(.start(with: object), to: nil, as: .test) else {
            Issue.record("it must be refused")
            return
        }
        #expect(found == "The data does not fit the context of 'order': \(message)")
    }

    @Test func whatFitsIsTakenAndNullWhereTheInitialValueIsNull() throws {
        let machine = try DefinitionReader.read(Self.machine(Self.types, Self.context, "[]")).machine
        for (data, context) in [
            (["x": 3, "customer": "Ann"], #"{"customer":"Ann","items":[],"n":0,"x":3.0}"#),
            (["customer": .null, "items": [["a": 1]]], #"{"customer":null,"items":[{"a":1}],"n":0,"x":0.0}"#),
        ] as [(JSONObject, String)] {
            guard case .accepted(let macrostep) = machine.apply(.start(with: data), to: nil, as: .test) else {
                Issue.record("it must be accepted")
                continue
            }
            #expect(JSONWriter.string(macrostep.snapshot.context) == context)
        }
    }

    // MARK: Assign

    @Test(
        arguments: [
            ("x: event.data", 3, #""x":3.0"#), ("x: event.data", "3", "x is a string, not a double"),
            ("customer: event.data", .null, #""customer":null"#),
            ("customer: event.data", 5, "customer is an int, not a string"),
            ("rates.b: event.data", 2, #""rates":{"a":1.0,"b":2.0}"#),
            ("rates.b: event.data", true, "rates.b is a bool, not a double"),
            ("'rates[event.data]': 1", "c", #""rates":{"a":1.0,"c":1.0}"#),
            ("p.name: event.data", 1, "p.name is an int, not a string"), ("p.age: event.data", .null, #""age":null"#),
            ("'p[event.data]': 1", "size", "p.size is no field of context.p"),
            ("'rows[0].x': event.data", "any", #""rows":[{"x":"any"}]"#),
            ("'rows[event.data]': event.data", 1, "rows[1] is an int, not a map"),
            ("at: event.at", .null, #""at":"1970-01-01T00:00:00Z""#),
            ("at: event.data", "soon", "at is a string, but not a timestamp such as '2026-01-31T12:00:00Z'"),
        ] as [(String, JSONValue, String)])
    func aValueThatIsOnlyKnownWhenItIsThereIsCheckedThen(assign: String, data: JSONValue, result: String) throws {
        var run = try TimedRun(
            """
            id: m
            types:
              context:
                x: double
                customer: string
                rates: map(string, double)
                rows: list(map(string, dyn))
                at: timestamp
                p: {name: string, age: optional(int)}
            context: {x: 0, customer: null, rates: {a: 1}, rows: [{}], at: null, p: {name: ''}}
            on: {go: {actions: {assign: {\(assign)}}}}
            initial: a
            states: {a: {}}
            """)
        guard case .expressionFailed(let failure)? = run.refusal(of: "go", data) else {
            try run.send("go", data)
            #expect(run.context.contains(result), "\(run.context)")
            return
        }
        #expect(failure.message == result)
    }

    @Test func foreachSetsItsKeysByTheirTypes() throws {
        let run = try TimedRun(
            """
            id: m
            types: {context: {item: double}}
            context: {item: 0, i: 0, seen: []}
            on:
              go:
                actions:
                  foreach: {array: event.data, item: item, index: i, actions: {assign: {seen: "context.seen + [context.item]"}}}
            initial: a
            states: {a: {}}
            """)
        var good = run
        try good.send("go", [1, 2.5])
        #expect(good.context == #"{"i":1,"item":2.5,"seen":[1.0,2.5]}"#)
        guard case .expressionFailed(let failure)? = run.refusal(of: "go", [1, "x"]) else {
            Issue.record("it must fail")
            return
        }
        #expect(failure.message == "item is a string, not a double")
    }

    // MARK: Without declared types

    @Test func theInitialValuesTypeIsTheTypeUnderStrictOnly() throws {
        let definition = { (strict: Bool) in
            """
            id: m
            strict: \(strict)
            context: {n: 0, t: '', any: null, l: [1], m: {a: null}}
            on: {go: {actions: {assign: {n: event.data.n, any: event.data.any, l: event.data.l, m: event.data.m}}}}
            initial: a
            states: {a: {}}
            """
        }
        var strict = try TimedRun(definition(true))
        try strict.send("go", ["n": 1, "any": "x", "l": ["x"], "m": ["b": 2]])
        try strict.send("go", ["n": 2, "any": 5, "l": [], "m": [:]])
        #expect(strict.context == #"{"any":5,"l":[],"m":{},"n":2,"t":""}"#)
        guard
            case .expressionFailed(let failure)? = strict.refusal(
                of: "go", ["n": 1.5, "any": 1, "l": [], "m": [:]])
        else {
            Issue.record("it must fail")
            return
        }
        #expect(failure.message == "n is a double, not an int")
        var lenient = try TimedRun(definition(false))
        try lenient.send("go", ["n": 1.5, "any": 1, "l": 1, "m": true])
        #expect(lenient.context == #"{"any":1,"l":1,"m":true,"n":1.5,"t":""}"#)
        #expect(diagnostics(of: Self.machine("", "x: 0", "{log: context.x + 1.5}")).count == 1)
        #expect(diagnostics(of: Self.machine("", "x: 0", "{log: context.x + 1.5}", strict: false)) == [])
    }

    @Test func aKeyWithoutATypeBesideTypedOnesIsInferred() {
        let found = diagnostics(of: Self.machine("x: double", "x: 0, y: 0", "{log: context.y + 1.5}"))
        #expect(found == ["5:26: error: no such overload: int + double; write double(context.y)"])
    }
}
