import Statechart
import Testing
import WorkflowInterchange

/// Tests the translation of expressions in ECMAScript.
@Suite struct ScriptTests {
    private static let data = """
        <datamodel><data id="x" expr="1"/><data id="y" expr="2"/><data id="d" expr="1.5"/><data id="items" expr="[]"/>
        <data id="$o" expr="{}"/><data id="loop"/></datamodel>
        """

    /// Returns the expression for a script, and the notes about it.
    private func translated(_ script: String) throws -> (text: DefinitionNode?, notes: [ImportNote]) {
        let escaped = Self.escaped(script)
        let document = Documents.scxml(
            "\(Self.data)\n<state id='a'><onentry><log expr=\"\(escaped)\"/></onentry></state><state id='b-é'/>")
        let imported = try SCXMLImport.definition(from: document)
        let log = imported.definition["states"]?["a"]?["entry"]?.elements?.first?["log"]
        return (log, imported.notes.filter { $0.line == 4 && $0.column < 80 })
    }

    private static func escaped(_ script: String) -> String {
        script.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing("\"", with: "&quot;")
            .replacing("\n", with: "&#10;")
    }

    @Test(arguments: [
        ("x === 1", "context.x == 1"), ("x !== y", "context.x != context.y"), ("x == 1", "context.x == 1"),
        ("x < 1 && y >= 2 || !(x > y)", "context.x < 1 && context.y >= 2 || !(context.x > context.y)"),
        ("(x > 1 || y > 1) && !(x > 1)", "(context.x > 1 || context.y > 1) && !(context.x > 1)"),
        ("x > 1 || (y > 1 || x < 1)", "context.x > 1 || (context.y > 1 || context.x < 1)"),
        ("x + 1 - (y - 1)", "context.x + 1 - (context.y - 1)"), ("x + (y * 2) % 3", "context.x + context.y * 2 % 3"),
        ("-x * -2 - -1", "-context.x * -2 - -1"), ("!!x", "context.x != 0"), ("!x", "context.x == 0"),
        ("-(x + y)", "-(context.x + context.y)"),
        ("+5 == x", "5 == context.x"), ("x ? y : true ? 2 : 3", "context.x != 0 ? context.y : true ? 2 : 3"),
        ("(x ? 1 : 2) == 1", "(context.x != 0 ? 1 : 2) == 1"), ("(x == 1) == true", "(context.x == 1) == true"),
        ("x < 1 == false", "(context.x < 1) == false"),
        ("(x ? true : false) ? 1 : 2", "(context.x != 0 ? true : false) ? 1 : 2"),
        ("items[0].name", "context.items[0].name"), ("items[x + 1]['a b']", "context.items[context.x + 1]['a b']"),
        ("items.length > 0", "size(context.items) > 0"), ("items.in.for", "context.items['in']['for']"),
        ("$o.a", "context._o.a"), ("loop", "context['loop']"), ("'text'.length", "size('text')"),
        ("_event.name == 'e'", "event.name == 'e'"), ("_event.data.a.b", "event.data.a.b"),
        ("_event.data['a-b']", "event.data['a-b']"),
        ("_event.data.a === undefined", "event.data.?a.orValue(null) == null"),
        ("null != _event.data.a.b", "null != event.data.a.?b.orValue(null)"),
        ("_event.data == undefined", "event.data == null"),
        ("_event.data.a === null", "event.data.a == null"), ("x === undefined", "context.x == null"),
        ("In('a')", "In('a')"), ("!In(\"b-é\")", "!In('b-_')"), ("In('a') && In('b-é')", "In('a') && In('b-_')"),
        ("'it\\'s'", "\"it's\""), ("'\"' + \"'\" == ''", "'\"' + \"'\" == ''"),
        ("'\\u00e9\\x41\\u{1F600}\\n' == _event.name", "'éA😀\\n' == event.name"),
        ("'\\uD83D\\uDE00'", "'😀'"), ("'a\\\\b'", "'a\\\\b'"), ("0x1F + 0b11 + 0o17", "31 + 3 + 15"),
        (".5 + 5. + 1e3 + 1.5e-2", "0.5 + 5.0 + 1000.0 + 0.015"), ("x + 1.5", "double(context.x) + 1.5"),
        ("d * 2", "context.d * 2.0"),
        ("2 / d", "2.0 / context.d"), ("x / 2 == 0.5", "double(context.x) / 2.0 == 0.5"),
        ("x == '1'", "context.x == 1"), ("d + d - 1", "context.d + context.d - 1.0"),
        ("12345678901234567890 > x", "1.2345678901234567e+19 > context.x"),
        ("'n: ' + x + 1", "'n: ' + string(context.x) + string(1)"), ("x + 1 + ' n'", "string(context.x + 1) + ' n'"),
        ("'a' + ('b' + x)", "'a' + ('b' + string(context.x))"), ("[1, x, []]", "[1, context.x, []]"),
        ("{a: 1, 'b c': x, 2: y,}", "{'a': 1, 'b c': context.x, '2': context.y}"),
        ("{a: 1, a: 2}", "{'a': 2}"), ("x /* a */ + 1 // b", "context.x + 1"), ("x?.5:1", "context.x != 0 ? 0.5 : 1"),
        ("d ? 1 : 2", "context.d != 0.0 ? 1 : 2"),
        ("true", "true"), ("Math.floor(x / 2)", "int(math.floor(double(context.x) / 2.0))"),
        ("Math.ceil(d) + 1", "int(math.ceil(context.d)) + 1"), ("Math.abs(x - y)", "math.abs(context.x - context.y)"),
        (
            "Math.round((x + y) / 2)",
            "int(math.ceil(math.floor((double(context.x) + double(context.y)) / 2.0 * 2.0) / 2.0))"
        ),
        ("Math.min(x, 3)", "math.least(context.x, 3)"),
        ("Math.max(x, d) + 1", "math.greatest(double(context.x), context.d) + 1.0"),
        ("parseInt(x, 10) > 1", "int(context.x) > 1"),
        ("Math.pow(x, d)", "math.pow(double(context.x), context.d)"),
        ("parseInt(x / 2)", "int(double(context.x) / 2.0)"),
        ("items.includes(x)", "context.x in context.items"), ("'abc'.includes('b')", "'abc'.contains('b')"),
        ("!items.includes(x)", "!(context.x in context.items)"),
        (
            "_event.data.l.includes(x)",
            "type(event.data.l) == string ? event.data.l.contains(context.x) : context.x in event.data.l"
        ),
    ])
    func expressionIsTranslated(script: String, expression: String) throws {
        let (text, notes) = try translated(script)
        #expect(text == .string(expression))
        #expect(notes.allSatisfy { $0.severity == .info }, "\(notes)")
    }

    @Test(arguments: [
        ("f(x)", "a call of 'f'"), ("Math.random()", "a call of 'Math.random'"),
        ("Math.floor(x, 1)", "a call of 'Math.floor' with 2 arguments"),
        ("parseInt(x, 2)", "a call of 'parseInt' with 2 arguments"),
        ("Math.max()", "a call of 'Math.max' with 0 arguments"), ("items.includes(1, 2)", "a call of 'items.includes'"),
        ("items.indexOf(1) > 0", "a call of 'items.indexOf'"),
        ("(x)()", "a call of 'x'"), ("x = 1", "an assignment"), ("x += 1", "an assignment"),
        ("x++ > 1", "an assignment"), ("--x", "an assignment"),
        ("/a/.test(x)", "a regular expression"), ("x => x", "a function"), ("() => 1", "')'"),
        ("function () {}", "a function"),
        ("`a`", "a template string"), ("typeof x == 'a'", "'typeof'"), ("x instanceof y", "'instanceof'"),
        ("'a' in x", "'in'"),
        ("new Date()", "'new'"), ("this.x", "'this'"), ("void 0", "'void'"), ("delete x.y", "'delete'"),
        ("x, y", "','"), ("x; y", "';'"),
        ("x & 1", "'&'"), ("x | 1", "'|'"), ("x ^ 1", "'^'"), ("x << 1", "'<<'"), ("x >>> 1", "'>>>'"), ("~x", "'~'"),
        ("x ** 2", "'**'"),
        ("x ?? 1", "'??'"), ("x?.y", "'?.'"), ("[...x]", "'...'"), ("{x}", "'}'"), ("{[x]: 1}", "'['"),
        ("[1,,2]", "','"), ("+x", "'+' before its only operand"),
        ("NaN", "'NaN'"), ("Infinity > x", "'Infinity'"), ("010", "the number '010'"), ("1n", "the number '1n'"),
        ("1_000", "the number '1_000'"),
        ("1e999", "the number '1e999'"), ("x.length = 1", "an assignment"), ("_sessionid", "'_sessionid'"),
        ("_name == 'm'", "'_name'"),
        ("_ioprocessors.x", "'_ioprocessors'"), ("_x", "'_x'"), ("_event", "'_event' as a whole"),
        ("_event['data']", "'_event' as a whole"),
        ("_event.sendid", "'_event.sendid'"), ("In(x)", "'In' of anything but a state's id in quotes"),
        ("In('c')", "'In' of 'c', which is no state"),
        ("", "there is nothing in it"), ("x >", "it ends too early"), ("(x", "it ends too early"), ("x y", "'y'"),
        ("x 'y'", "the text 'y' at this place"),
        ("x 1", "a number at this place"), ("'a", "a text without its end"), ("'a\nb'", "a text without its end"),
        ("'\\uD83D'", "half a character"),
        ("'\\07'", "the escape '\\0'"), ("'\\u12'", "an escape without its digits"),
        ("x /* y", "a comment without its end"), ("#x", "the character '#'"),
        ("(" + String(repeating: "(", count: 100) + "x", "more than 50 levels"),
        (String(repeating: "!", count: 100) + "x", "more than 50 levels"),
        (Array(repeating: "x", count: 300).joined(separator: " + "), "more than 200 operators"),
        ("x" + String(repeating: ".a", count: 300), "more than 200 operators"),
    ])
    func whatHasNoCounterpartIsLeftOut(script: String, reason: String) throws {
        let (text, notes) = try translated(script)
        #expect(text == nil)
        let shown = script.count > 60 ? script.prefix(60) + "…" : script.replacing("\n", with: " ")[...]
        #expect(
            notes.map(\.message).filter { $0.contains("has no counterpart") } == [
                "the value '\(shown)' has no counterpart (\(reason)); the 'log' is left out"
            ])
    }

    @Test(
        arguments: [
            ("x > 1", "context.x > 1", nil), ("x + 1", "context.x + 1 != 0", nil), ("x++", nil, "an assignment"),
            ("1 && x", "1 != 0 && context.x != 0", nil),
            ("'a' - 1", nil, "no such overload: string - int; write int('a')"),
        ] as [(String, String?, String?)])
    func aConditionWithoutCounterpartIsFalse(script: String, expression: String?, reason: String?) throws {
        let escaped = Self.escaped(script)
        let imported = try SCXMLImport.definition(
            from: Documents.scxml(
                "\(Self.data)<state id='a'><transition cond=\"\(escaped)\" target='b'/></state><state id='b'/>"))
        let transition = imported.definition["states"]?["a"]?["always"]
        #expect(transition?["guard"] == expression.map { .string($0) } ?? .bool(false))
        let messages = imported.losses.map(\.message)
        #expect(
            messages
                == (reason.map { ["the condition '\(script)' has no counterpart (\($0)); 'false' stands in its place"] }
                    ?? []))
    }

    @Test(arguments: [
        ("x", "x"), ("x.a.in", "x.a.in"), ("items[0].a", "items[0].a"),
        ("items[x - 1]['a b'].c", "items[context.x - 1]['a b'].c"),
        ("$o['k']", "_o.k"), ("items[items.length]", "items[size(context.items)]"), ("neu", "neu"),
    ])
    func locationBecomesAPath(location: String, path: String) throws {
        let document = Documents.scxml(
            "\(Self.data)<state id='a'><onentry><assign location=\"\(location)\" expr='1'/></onentry></state>")
        let entry = try SCXMLImport.definition(from: document).definition["states"]?["a"]?["entry"]?.elements
        #expect(entry?.first?["assign"]?.members?.map(\.key) == [path])
    }

    @Test(arguments: ["x + 1", "f(x).y", "_event.data", "items.length", "'x'", "x.y = 1", "_sessionid"])
    func anAssignWithoutALocationIsLeftOut(location: String) throws {
        let document = Documents.scxml(
            "\(Self.data)<state id='a'><onentry><assign location=\"\(location)\" expr='1'/></onentry></state>")
        let imported = try SCXMLImport.definition(from: document)
        #expect(imported.definition["states"]?["a"]?["entry"] == nil)
        #expect(imported.notes.contains { $0.message.hasSuffix("the 'assign' is left out") })
    }
}
