import Statechart
import Testing

struct DefinitionStateTests {
    @Test(arguments: [
        ("{initial: a, states: {a: {}}}", ["1:1: error: a machine needs a name: the key 'id'"]),
        ("{id: m}", ["1:1: error: a machine needs states: the key 'states', such as states: {idle: {}}"]),
        (
            "{id: m, states: {}}",
            ["1:17: error: 'states' of the machine is empty; a machine needs at least one, such as {idle: {}}"]
        ),
        (
            "{id: m, type: final}",
            [
                "1:1: error: a machine needs states: the key 'states', such as states: {idle: {}}",
                "1:15: error: a machine cannot be of type 'final'",
            ]
        ),
        (
            "{id: m, type: history, initial: a, states: {a: {}}}",
            ["1:15: error: a machine cannot be of type 'history'"]
        ),
        ("{id: [m], initial: a, states: {a: {}}}", ["1:6: error: 'id' must be a name, not a list"]),
        ("{id: ~, initial: a, states: {a: {}}}", ["1:6: error: 'id' must be a name, not null"]),
        ("{id: m, initial: a, states: [a]}", ["1:29: error: 'states' must be a map, not a list"]),
        (
            "{id: m, initial: a, strict: yes, states: {a: {}}}",
            ["1:29: error: 'strict' must be true or false, not a string"]
        ),
        (
            "{id: m, initial: a, context: 5, states: {a: {}}}",
            ["1:30: error: 'context' must be a map, not a number"]
        ),
        (
            "{id: m, initial: a, context: {a-b: 5}, states: {a: {}}}",
            ["1:31: error: 'a-b' cannot be a key of the context: letters, digits and '_', first not a digit"]
        ),
        (
            "{id: m, initial: a, actions: [a], states: {a: {}}}",
            ["1:30: error: 'actions' of the machine must be a map, not a list"]
        ),
        (
            "{id: m, initial: a, states: {a: {}}, version: 3}",
            [
                "1:38: error: unknown key 'version' in the machine; known are id, context, types, events, guards, actions, strict, "
                    + "initial, type, states, on, always, after, invoke, entry, exit, onDone, description, tags, meta"
            ]
        ),
    ])
    func mistakesAtTheRoot(text: String, messages: [String]) {
        #expect(diagnostics(of: text) == messages)
    }

    @Test(arguments: [
        ("b: , s: {on: {b: b}}", "2:13: error: state 'b' must be a map ({} when there is nothing to say), not null"),
        (
            "b: x, s: {on: {b: b}}",
            "2:13: error: state 'b' must be a map ({} when there is nothing to say), not a string"
        ),
        (
            "s: {states: {x: {}}}",
            "2:10: error: state 's' needs 'initial', one of its states, for example 'x'"
        ),
        ("s: {initial: x}", "2:14: error: state 's' has no states for 'initial'"),
        ("s: {states: {}}", "2:22: error: 'states' of state 's' is empty; leave it out"),
        (
            "s: {type: parallel, initial: x, states: {x: {}}}",
            "2:30: error: state 's' is parallel and needs no 'initial': all its states are active"
        ),
        ("s: {type: parallel}", "2:20: error: state 's' is of type 'parallel' and needs 'states'"),
        ("s: {type: compound}", "2:20: error: state 's' is of type 'compound' and needs 'states'"),
        (
            "s: {type: atomic, initial: x, states: {x: {}}}",
            "2:20: error: state 's' is of type 'atomic' and cannot have 'states'"
        ),
        ("s: {type: finla}", "2:20: error: state 's' has the unknown type 'finla'; did you mean 'final'?"),
        (
            "s: {type: xyz}",
            "2:20: error: state 's' has the unknown type 'xyz'; types are atomic, compound, parallel, final, history"
        ),
        ("s: {type: final, on: {x: s}}", "2:27: error: the final state 's' cannot have 'on'"),
        ("s: {type: final, always: s}", "2:27: error: the final state 's' cannot have 'always'"),
        (
            "s: {type: final, initial: x, states: {x: {}}}",
            "2:27: error: the final state 's' cannot have 'initial'"
        ),
        ("s: {onDone: s}", "2:14: error: state 's' has no states that could be done"),
        ("s: {context: {x: 1}}", "2:14: error: 'context' does not belong to state 's'; it stands at the root"),
        (
            "s: {target: s}",
            "2:14: error: 'target' does not belong to state 's'; it stands in a transition or a history state"
        ),
        (
            "s: {history: deep}",
            "2:14: error: 'history' does not belong to state 's'; it stands in a history state"
        ),
        (
            "s: {type: parallel, states: {x: {type: final}, y: {}}}",
            "2:39: error: state 's.x' cannot be final: it is a region of a parallel state"
        ),
        (
            "s: {initial: h, states: {h: {type: history, target: h}}}",
            "2:34: error: state 's' needs a state that is not a history state"
        ),
    ])
    func mistakesInAState(state: String, message: String) {
        let text = "{id: m, initial: s,\nstates: {\(state)}}"
        #expect(diagnostics(of: text).first == message)
    }

    @Test(arguments: [
        ("1a", "1a"), ("'a b'", "a b"), ("'a,b'", "a,b"), ("''", ""), ("ä", "ä"), ("'#a'", "#a"), ("'.a'", ".a"),
    ])
    func stateNamesFollowTheirGrammar(key: String, name: String) {
        let text = "{id: m, initial: s, states: {s: {}, \(key): {}}}"
        let rule = "letters, digits, '_', '.' and '-', first a letter or '_'"
        #expect(diagnostics(of: text) == ["1:37: error: '\(name)' cannot be a name: \(rule)"])
    }

    @Test func finalStateHasNoStates() {
        #expect(
            diagnostics(of: "{id: m, initial: s, states: {s: {type: final, states: {x: {}}}}}") == [
                "1:47: error: the final state 's' cannot have 'states'"
            ])
    }

    @Test(arguments: [
        ("{type: history, history: depe}", "3:26: error: 'history' must be shallow or deep, not 'depe'"),
        ("{type: history, on: {x: x}}", "3:17: error: the history state 's.h' cannot have 'on'"),
        ("{type: history, entry: []}", "3:17: error: the history state 's.h' cannot have 'entry'"),
        ("{type: history, target: xx}", "3:25: error: target 'xx' does not exist; did you mean 'x'?"),
        ("{type: history, target: '#o'}", "3:25: error: 'target' of state 's.h' must lie below state 's'"),
        ("{type: history, target: h}", "3:25: error: 'target' of state 's.h' cannot be a history state"),
        (
            "{type: history, target: [x, y]}",
            "3:29: error: targets 'x' and 'y' cannot be active together: "
                + "they are not in different regions of a parallel state"
        ),
    ])
    func historyStatesHaveTheirRules(history: String, message: String) {
        let text = """
            {id: m, initial: s, on: {r: .s.h, o: .o}, states: {o: {}, s: {initial: x, states: {x: {on: {y: y}}, y: {},
            h:
            \(history)}}}}
            """
        #expect(diagnostics(of: text) == [message])
    }

    @Test func historyStateNeedsATargetWhereItsParentBeginsWithIt() {
        let text = "{id: m, initial: s, states: {s: {initial: h, states: {h: {type: history}, x: {}}}}}"
        #expect(diagnostics(of: text) == ["1:55: error: state 's.h' needs a 'target': it is where state 's' begins"])
    }

    @Test func notesMayStandEverywhere() {
        let text = """
            id: m
            description: a machine
            tags: [x, .inf]
            meta: {anything: goes}
            initial: {target: a}
            states:
              a: {description: 'a', tags: b, meta: ~, on: {f: {target: f, description: it, meta: 1, tags: 2}}}
              f: {type: final, description: it, tags: [], meta: {}}
            """
        #expect(diagnostics(of: text).isEmpty)
    }
}
