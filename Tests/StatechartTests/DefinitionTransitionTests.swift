import Statechart
import Testing

struct DefinitionTransitionTests {
    @Test(arguments: [
        (
            "exit: [], always: ~",
            "3:19: error: a transition must be a target or a map ({} takes the event and does nothing), not null"
        ),
        (
            "always: [[a]]",
            "3:10: error: a transition must be a target or a map, not a list"
        ),
        (
            "always: []",
            "3:9: error: the list of transitions is empty; {} takes the event and does nothing"
        ),
        (
            "always: {target: []}",
            "3:18: error: 'target' is an empty list; leave it out to stay where the machine is"
        ),
        ("always: {target: ~}", "3:18: error: 'target' must be a name, not null"),
        (
            "always: {target: }",
            "3:18: error: 'target' must be a name, not null; a target such as '#review' stands in quotes"
        ),
        (
            "always: {target: #a\n}",
            "4:1: error: 'target' must be a name, not null; a target such as '#review' stands in quotes"
        ),
        (
            "after: {1s: #a\n}",
            "4:1: error: a transition must be a target or a map ({} takes the event and does nothing), not null"
                + "; a target such as '#review' stands in quotes"
        ),
        ("always: {target: {x: a}}", "3:18: error: 'target' must be a name, not a map"),
        ("always: {target: [a, [b]]}", "3:22: error: a target must be a name, not a list"),
        ("always: {target: a, reenter: 1}", "3:30: error: 'reenter' must be true or false, not a number"),
        ("always: {tarjet: a, target: b}", "3:10: error: unknown key 'tarjet' in a transition; did you mean 'target'?"),
        (
            "always: {cond: a, target: b}",
            "3:10: error: unknown key 'cond' in a transition; did you mean 'guard'?"
        ),
        (
            "always: {target: a, entry: b}",
            "3:21: error: 'entry' does not belong to a transition; it stands in a state"
        ),
        ("always: {target: a, actions: ~}", "3:30: error: an action in 'actions' must be a name or a map, not null"),
    ])
    func mistakesInATransition(keys: String, message: String) {
        #expect(diagnostics(of: oneState(keys)) == [message])
    }

    @Test func handlersMustBeAMap() {
        let text = "{id: m, initial: a, states: {a: {on: [x]}}}"
        #expect(diagnostics(of: text) == ["1:38: error: 'on' must be a map, not a list"])
    }

    @Test(arguments: ["'a..b'", "a.", ".a", "'*.a'", "a.*.b", "1a", "'a b'", "''", "ä", "'**'", "a*", "'.*'"])
    func descriptorsFollowTheirGrammar(descriptor: String) {
        let text = "{id: m, initial: a, states: {a: {on: {\(descriptor): a}}}}"
        let name = descriptor.filter { $0 != "'" }
        let rule = "names joined by dots, of letters, digits, '_' and '-'"
        #expect(diagnostics(of: text) == ["1:39: error: '\(name)' cannot be the name of an event: \(rule)"])
    }

    @Test func reservedNamesMayBeHandled() {
        let names = "done.state.a: a, done.invoke.x: a, error.*: a, after.x: a, '*': a, x.*: a, x-1.2: a"
        #expect(diagnostics(of: "{id: m, initial: a, states: {a: {on: {\(names)}}}}").isEmpty)
    }

    @Test func everyFormIsCompiled() throws {
        let text = """
            id: m
            initial: a
            states:
              a:
                on:
                  one: b
                  object: {target: b, reenter: true}
                  list: [{target: b}, a]
                  nothing: {}
                  several: {target: [p.x.x2, p.y.y2]}
              b: {on: {back: a}}
              p:
                type: parallel
                states:
                  x: {initial: x1, states: {x1: {on: {n: x2}}, x2: {}}}
                  y: {initial: y1, states: {y1: {on: {n: y2}}, y2: {}}}
                on: {back: a, again: p}
            """
        let reading = try DefinitionReader.read(text)
        #expect(
            reading.warnings.map(\.description) == [
                "8:27: warning: this transition is never taken: the one on line 8 always takes 'list' first"
            ])
        let machine = reading.machine
        let shown = machine.transitions.prefix(6).map { transition in
            let targets = transition.targets.map { machine[$0].path }.joined(separator: " ")
            return "\(transition.line) \(transition.descriptor ?? "-") \(targets) \(transition.reenters)"
        }
        #expect(
            shown == [
                "6 one b false", "7 object b true", "8 list b false", "8 list a false", "9 nothing  false",
                "10 several p.x.x2 p.y.y2 false",
            ])
        #expect(machine.transitions.map(\.index) == machine.transitions.indices.map { TransitionIndex($0) })
    }

    @Test(arguments: [
        ("{actions: []}", "2:1: error: 'initial' needs a 'target'"),
        ("[x]", "2:1: error: 'initial' must be a name, not a list"),
        (
            "{target: x, guard: y}",
            "2:13: error: 'guard' does not belong to 'initial'; it stands in a transition or a branch of 'choose'"
        ),
        ("'#a'", "2:1: error: 'initial' of state 's' must lie below it; state 'a' does not"),
        ("'#s'", "2:1: error: 'initial' of state 's' must lie below it; state 's' does not"),
        ("''", "2:1: error: target '' does not exist; there are 'x', 'y'"),
    ])
    func mistakesInInitial(initial: String, message: String) {
        let text =
            "{id: m, initial: s, states: {a: {}, s: {states: {x: {on: {n: y, a: '#a'}}, y: {}}, initial:\n\(initial)}}}"
        #expect(diagnostics(of: text) == [message])
    }
}
