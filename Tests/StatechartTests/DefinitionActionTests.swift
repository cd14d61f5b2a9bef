import Statechart
import Testing
import WorkflowJSON

private let pathRule = "identifiers joined by dots, and expressions in brackets, such as items[0].name"

struct DefinitionActionTests {
    private func actions(_ keys: String, root: String = "context: {k: 0, d: 1.5, o: {}},") throws -> [Action] {
        let machine = try DefinitionReader.read(oneState("entry: \(keys)", root: root)).machine
        return machine.states[3].entry
    }

    @Test func assignTakesLiterals() throws {
        let actions = try actions("{assign: {k: 3, o.a.b: [1, {x: ~}], o.c: 2.5}}")
        guard case .assign(let assignments, line: 3) = actions.first, actions.count == 1 else {
            Issue.record("\(actions)")
            return
        }
        #expect(assignments.map(\.keys) == [["k"], ["o", "a", "b"], ["o", "c"]])
        #expect(assignments.map(\.value.literal) == [3, [1, ["x": .null]], 2.5])
    }

    @Test func keyThatBeganAsADoubleStaysOne() throws {
        let actions = try actions("{assign: {d: 2, k: 2, o.d: 2}}")
        guard case .assign(let assignments, _) = actions.first else {
            Issue.record("\(actions)")
            return
        }
        #expect(assignments.map(\.value.literal) == [2.0, 2, 2])
    }

    @Test func raiseTakesANameOrAnObject() throws {
        let actions = try actions("[raise: go, {raise: {event: on, data: {n: 1}}}]")
        guard case .raise("go", data: nil, line: 3) = actions.first, case .raise("on", let data, _) = actions.last
        else {
            Issue.record("\(actions)")
            return
        }
        #expect(data?.literal == ["n": 1])
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
        (
            "{xyz: a}",
            "3:9: error: unknown key 'xyz' in an action; known are assign, raise, send, emit, cancel, log, choose, foreach, call"
        ),
        ("{assign: [k]}", "3:17: error: 'assign' must be a map, not a list"),
        ("{assign: {conut: 1}}", "3:18: error: the context has no key 'conut'; did you mean 'count'?"),
        ("{assign: {other: 1}}", "3:18: error: the context has no key 'other'; declare it in 'context'"),
        ("{assign: {k..a: 1}}", "3:18: error: 'k..a' cannot be a path into the context: \(pathRule)"),
        ("{assign: {k-a: 1}}", "3:18: error: 'k-a' cannot be a path into the context: \(pathRule)"),
        ("{assign: {'k[0': 1}}", "3:18: error: 'k[0' cannot be a path into the context: \(pathRule)"),
        ("{assign: {'k[]': 1}}", "3:18: error: 'k[]' cannot be a path into the context: \(pathRule)"),
        ("{assign: {'[0]': 1}}", "3:18: error: '[0]' cannot be a path into the context: \(pathRule)"),
        ("{assign: {o: 1, o.a: 2}}", "3:24: error: 'o.a' lies inside 'o', which the same 'assign' sets"),
        ("{assign: {k: .inf}}", "3:21: error: '.inf' is not a number that JSON has"),
        ("{raise: ~}", "3:16: error: 'raise' must be a name, not null"),
        ("{raise: {data: 1}}", "3:16: error: 'raise' needs an 'event'"),
        ("{raise: {event: e, dta: 1}}", "3:27: error: unknown key 'dta' in 'raise'; did you mean 'data'?"),
        (
            "{raise: done.state.x}",
            "3:16: error: 'done.state.x' is an event of the engine's own: it alone uses names under 'done.state.'"
        ),
        (
            "{send: error.x}",
            "3:15: error: 'error.x' is an event of the engine's own: it alone uses names under 'error.'"
        ),
        ("{send: {delay: 1s}}", "3:15: error: 'send' needs an 'event'"),
        (
            "{send: {event: e, id: x}}",
            "3:30: warning: 'id' does nothing without a 'delay': 'cancel' ends delayed events"
        ),
        (
            "{send: {event: e, to: parent}}",
            "3:26: error: 'to' needs messages between instances, which this version does not have"
        ),
        ("{cancel: [x]}", "3:17: error: 'cancel' must be a name, not a list"),
        (
            "{choose: [{cond: 'true', actions: []}]}",
            "3:19: error: unknown key 'cond' in a branch of 'choose'; did you mean 'guard'?"
        ),
        ("{choose: {}}", "3:17: error: 'choose' must be a list of branches with 'guard' and 'actions', not a map"),
        ("{choose: [{guard: 'true'}]}", "3:18: error: a branch of 'choose' needs 'actions'"),
        (
            "{choose: [{actions: []}, {actions: []}]}",
            "3:18: warning: the branches after this one are never taken: it has no 'guard'"
        ),
        ("{foreach: {item: k, actions: []}}", "3:9: error: 'foreach' needs 'array'"),
        (
            "{foreach: {array: context.o, item: kk, actions: []}}",
            "3:43: error: the context has no key 'kk'; did you mean 'k'?"
        ),
        (
            "{foreach: {array: context.k, item: 'k.x', actions: []}}",
            "3:43: error: 'item' must be a key of the context, not 'k.x'"
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
        let root = "context: {k: 0, o: null, count: 0}, actions: {name: {raise: x}},"
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

extension Assignment {
    /// The keys of a path that has nothing but keys.
    fileprivate var keys: [String] {
        path.compactMap { if case .key(let key) = $0 { key } else { nil } }
    }
}

extension Template {
    /// The value of a template without expressions.
    fileprivate var literal: JSONValue? {
        if case .literal(let value) = self { value } else { nil }
    }
}
