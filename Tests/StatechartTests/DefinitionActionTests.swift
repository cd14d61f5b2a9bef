import JSON
import Statechart
import Testing

struct DefinitionActionTests {
    private func actions(_ keys: String, root: String = "context: {k: 0, d: 1.5, o: {}},") throws -> [Action] {
        let machine = try DefinitionReader.read(oneState("entry: \(keys)", root: root)).machine
        return machine.states[3].entry
    }

    @Test func assignTakesLiterals() throws {
        let actions = try actions("{assign: {k: true, o.a.b: [1, {x: ~}], o.c: 2.5}}")
        guard case .assign(let assignments, line: 3) = actions.first, actions.count == 1 else {
            Issue.record("\(actions)")
            return
        }
        #expect(assignments.map(\.path) == [["k"], ["o", "a", "b"], ["o", "c"]])
        #expect(assignments.map(\.value) == [true, [1, ["x": .null]], 2.5])
    }

    @Test func keyThatBeganAsADoubleStaysOne() throws {
        let actions = try actions("{assign: {d: 2, k: 2, o.d: 2}}")
        guard case .assign(let assignments, _) = actions.first else { return }
        #expect(assignments.map(\.value) == [2.0, 2, 2])
    }

    @Test func raiseTakesANameOrAnObject() throws {
        let actions = try actions("[raise: go, {raise: {event: on, data: {n: 1}}}]")
        guard case .raise("go", data: nil, line: 3) = actions.first, case .raise("on", let data, _) = actions.last
        else {
            Issue.record("\(actions)")
            return
        }
        #expect(data == ["n": 1])
    }

    @Test func namedActionsAreWrittenOut() throws {
        let root = "context: {k: 0}, actions: {all: [one, {raise: y}, one], one: {raise: x}},"
        let events = try actions("[one, all, {raise: z}]", root: root).map { action in
            if case .raise(let event, _, _) = action { event } else { "" }
        }
        #expect(events == ["x", "x", "y", "x", "z"])
    }

    @Test(arguments: [
        ("~", "3:8: error: an action in 'entry' must be a name or a map, not null"),
        ("[[a]]", "3:9: error: an action in 'entry' must be a name or a map, not a list"),
        ("{}", "3:8: error: an action is a map with one key, this one has 0; write several actions as a list"),
        (
            "{raise: a, assign: {k: 1}}",
            "3:8: error: an action is a map with one key, this one has 2; write several actions as a list"
        ),
        ("{rise: a}", "3:9: error: unknown key 'rise' in an action; did you mean 'raise'?"),
        ("{xyz: a}", "3:9: error: unknown key 'xyz' in an action; known are assign, raise"),
        ("{assign: [k]}", "3:17: error: 'assign' must be a map, not a list"),
        ("{assign: {conut: 1}}", "3:18: error: the context has no key 'conut'; did you mean 'count'?"),
        ("{assign: {other: 1}}", "3:18: error: the context has no key 'other'; declare it in 'context'"),
        ("{assign: {k..a: 1}}", "3:18: error: 'k..a' cannot be a path into the context: identifiers joined by dots"),
        ("{assign: {k-a: 1}}", "3:18: error: 'k-a' cannot be a path into the context: identifiers joined by dots"),
        ("{assign: {k: 1, k.a: 2}}", "3:24: error: 'k.a' lies inside 'k', which the same 'assign' sets"),
        (
            "{assign: {k: abc}}",
            "3:21: error: the string 'abc' would be an expression; expressions are not supported by this version"
        ),
        (
            "{assign: {k: [{x: 'on'}]}}",
            "3:26: error: the string 'on' would be an expression; expressions are not supported by this version"
        ),
        ("{assign: {k: .inf}}", "3:21: error: '.inf' is not a number that JSON has"),
        ("{raise: ~}", "3:16: error: 'raise' must be a name, not null"),
        ("{raise: {data: 1}}", "3:16: error: 'raise' needs an 'event'"),
        ("{raise: {event: e, dta: 1}}", "3:27: error: unknown key 'dta' in 'raise'; did you mean 'data'?"),
        (
            "{raise: {event: e, data: [x]}}",
            "3:34: error: the string 'x' would be an expression; expressions are not supported by this version"
        ),
        (
            "{raise: a.*}",
            "3:16: error: 'a.*' cannot be the name of an event: names joined by dots, "
                + "of letters, digits, '_' and '-'"
        ),
        ("nme", "3:8: error: the machine has no actions named 'nme'; did you mean 'name'?"),
        ("[name, zzz]", "3:15: error: the machine has no actions named 'zzz'"),
    ])
    func mistakesInAnAction(action: String, message: String) {
        let root = "context: {k: 0, count: 0}, actions: {name: {raise: x}},"
        #expect(diagnostics(of: oneState("entry: \(action)", root: root)) == [message])
    }

    @Test func undeclaredKeyIsAWarningWhereTheMachineIsNotStrict() {
        #expect(
            diagnostics(of: oneState("entry: {assign: {other: 1}}", root: "strict: false,")) == [
                "3:18: warning: the context has no key 'other'; declare it in 'context'"
            ])
    }

    @Test func namedActionsThatContainThemselvesAreRefused() {
        let text = oneState("entry: p", root: "actions: {p: [q], q: [{raise: x}, r], r: p, s: s},")
        #expect(
            diagnostics(of: text) == [
                "1:62: error: named actions that contain themselves: p -> q -> r -> p",
                "1:68: error: named actions that contain themselves: s -> s",
            ])
    }

    @Test func namesOfActionsFollowTheirGrammar() {
        #expect(
            diagnostics(of: oneState("entry: []", root: "actions: {'a b': []},")) == [
                "1:31: error: 'a b' cannot be a name: letters, digits, '_', '.' and '-', first a letter or '_'"
            ])
    }
}
