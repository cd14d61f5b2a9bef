import Statechart
import Testing
import ThreadTesting
import WorkflowInterchange
import WorkflowJSON

/// Tests the definitions that are made from XState configurations.
@Suite(.ownThreads) struct XStateImportTests {
    @Test(arguments: ["traffic-light", "form"])
    func configurationBecomesItsDefinition(name: String) throws {
        let imported = try XStateImport.definition(from: Documents.text(name + ".json"))
        let (definition, notes) = Documents.lines(imported)
        #expect(definition == (try Documents.text(name + ".yaml")))
        #expect(notes == (try Documents.text(name + ".txt")))
    }

    @Test func ownDefinitionsComeOutAsTheyWentIn() throws {
        for (name, text) in try DefinitionFolders.examples() {
            let imported = try XStateImport.definition(from: text)
            #expect(imported.definition == Documents.lenient(try DefinitionText.tree(of: text)), "\(name)")
            #expect(imported.notes.allSatisfy { $0.severity == .info }, "\(name)")
        }
    }

    @Test func vectorsComeOutAsTheyWentIn() throws {
        guard let vectors = try DefinitionFolders.vectors() else {
            print("vectorsComeOutAsTheyWentIn: skipped, there is no folder of conformance vectors")
            return
        }
        for (name, text) in vectors {
            let tree = try DefinitionText.tree(of: text)
            // Some vectors are named after files, by names that no machine of ours can have.
            guard StateName.isValid(tree["id"]?.text ?? "") else { continue }
            let imported = try XStateImport.definition(from: text)
            // A vector of regions beside an ancestor does otherwise than XState.
            let others = imported.notes.filter { !$0.message.hasPrefix("when the region") }
            #expect(others.allSatisfy { $0.severity == .info || !imported.losses.isEmpty }, "\(name)")
            guard imported.losses.isEmpty else { continue }
            #expect(imported.definition == Documents.lenient(tree), "\(name)")
        }
    }

    @Test func everythingOfADefinitionStays() throws {
        let text = """
            {id: m, initial: a, strict: true, description: all, tags: [x], meta: {in: 1}, context: {n: 1, i: 0, wait: 5s, l: []},
             events: {go: {data: {n: int}}}, guards: {big: context.n > 2, ok: "big || event.name == 'x'"},
             actions: {inc: {assign: {n: context.n + 1}}, two: [inc, inc]},
             states: {
               a: {
                 entry: [inc, {log: "'x'"}, {choose: [{guard: big, actions: two}, {actions: [{raise: r}]}]}],
                 exit: {foreach: {array: context.l, item: n, index: i, actions: [{cancel: c}, {send: {event: e, id: c, delay: 1s}}]}},
                 on: {go: [{guard: ok, target: b}, {guard: "true", target: .in, reenter: true}], done.state.b: {}, x.*: b, "*": {}},
                 after: {PT1M: b, 1000: {target: b, guard: event.at > timestamp(0)}, context.wait: b}, initial: in,
                 states: {in: {id: inner, always: {target: internal, guard: "!big && In('b')"}}, internal: {},
                   h: {type: history, history: deep, target: in, tags: [t]}}, onDone: b},
               b: {type: parallel, states: {cond: {}, data: {initial: x, states: {x: {type: final, output: {a: "'t'", b: [context.n]}}}}}}}}
            """
        let imported = try XStateImport.definition(from: text)
        #expect(imported.definition == (try DefinitionText.tree(of: text)))
        #expect(imported.notes == [])
    }

    @Test func theTrafficLightRuns() throws {
        var run = try Run(XStateImport.definition(from: Documents.text("traffic-light.json")))
        try run.send("PUSH_BUTTON")
        #expect(run.leaves == ["green"])
        try run.advance(30_000)
        #expect(run.leaves == ["yellow"])
        try run.advance(5_000)
        #expect(run.leaves == ["red.walk"])
        try run.send("PED_COUNTDOWN")
        try run.send("PED_COUNTDOWN")
        #expect(run.leaves == ["red.wait_soon"])
        // The red light itself is not left, so nothing is remembered yet.
        try run.send("RESUME")
        #expect(run.leaves == ["red.walk"])
    }

    @Test func aFormRunsOnceItsGuardsAreWritten() throws {
        let imported = try XStateImport.definition(from: Documents.text("form.json"))
        let text = imported.definition.text(as: .yaml).replacing("isValid: false", with: "isValid: context.tries == 0")
        var run = try Run(XStateImport.definition(from: text))
        try run.send("CHANGE")
        try run.send("SUBMIT")
        #expect(run.leaves == ["sending.data.on", "sending.files.on"])
        try run.send("SENT")
        #expect(run.leaves == ["done"])
        #expect(run.snapshot.output == ["text": "thank you", "tries": 0, "list": [1, "x"]])
    }

    @Test(arguments: [
        (#"{"type": "and", "guards": ["g", "context.n > 1"]}"#, "g && (context.n > 1)"),
        (#"{"type": "xstate.or", "children": ["g", {"type": "not", "guards": ["g"]}]}"#, "g || !g"),
        (#"{"type": "not", "params": {"guard": {"type": "and", "guards": ["g", "g"]}}}"#, "!(g && g)"),
        (#"{"type": "stateIn", "stateValue": "a"}"#, "In('a')"), (##"{"type": "in", "state": "#m.p.x"}"##, "In('p.x')"),
        (#"{"type": "stateIn", "params": {"p": {"x": "x1", "y": {}}}}"#, "In('p.x.x1') && In('id-y')"),
        (#"{"type": "g"}"#, "g"), (#""g && !In('a')""#, "g && !In('a')"),
    ])
    func guardBecomesAnExpression(written: String, expression: String) throws {
        let text = """
            {"id": "m", "initial": "a", "context": {"n": 1}, "guards": {"g": "context.n > 0"},
             "states": {"a": {"on": {"e": {"target": "p", "guard": \(written)}}},
              "p": {"type": "parallel", "states": {"x": {"initial": "x1", "states": {"x1": {}}}, "y": {"id": "id-y"}}}}}
            """
        let imported = try XStateImport.definition(from: text)
        #expect(imported.definition["states"]?["a"]?["on"]?["e"]?["guard"] == .string(expression))
        #expect(imported.notes.map(\.message) == [Documents.strictness])
    }

    @Test(arguments: [
        (#"{"type": "not", "guard": "named"}"#, "false && (!named)"),
        (#"{"type": "not", "guard": {"type": "stateIn", "stateValue": "nowhere"}}"#, "false && (!false)"),
        (#"{"type": "stateIn", "stateValue": "nowhere"}"#, "false"), (#"{"x": 1}"#, "false"), ("5", "false"),
        ("null", "false"),
        (#""is it open?""#, "is_it_open_"), (#""int""#, "int_guard"), (#""for""#, "for_guard"),
        (#""context.x y""#, "context_x_y"),
    ])
    func aGuardThatIsNotThereNeverHolds(written: String, expression: String) throws {
        let text =
            #"{"id": "m", "initial": "a", "states": {"a": {"on": {"e": {"target": "b", "guard": "#
            + written + #"}}}, "b": {}}}"#
        let imported = try XStateImport.definition(from: text)
        #expect(imported.definition["states"]?["a"]?["on"]?["e"]?["guard"] == .string(expression))
        #expect(!imported.losses.isEmpty)
        var run = try Run(imported)
        let event = Input.event(Event(name: "e"))
        if run.machine.isStrict, case .refused = run.machine.apply(event, to: run.snapshot, as: Run.identity) {
            return
        }
        try run.send("e")
        #expect(run.leaves == ["a"])
    }

    @Test(arguments: [
        ("a", "a", true), ("a", ".a1", false), ("a", "#m.a.a1", true), ("a", "b", false), ("a.a1", "a1", true),
        ("a.a1", "a2", false),
    ])
    func versionFourLeavesItsOwnState(source: String, target: String, reenters: Bool) throws {
        let text = { (first: String) in
            let transition = { (state: String) in state == source ? #""on": {"e": "\#(target)"}"# : #""tags": []"# }
            return #"""
                {"id": "m", \#(first) "initial": "a", "states": {"a": {\#(transition("a")), "initial": "a1",
                 "states": {"a1": {\#(transition("a.a1"))}, "a2": {}}}, "b": {}}}
                """#
        }
        for (first, isFour) in [("\"predictableActionArguments\": true,", true), ("", false)] {
            let definition = try XStateImport.definition(from: text(first)).definition
            let state = source == "a" ? definition["states"]?["a"] : definition["states"]?["a"]?["states"]?["a1"]
            #expect((state?["on"]?["e"]?["reenter"] == .bool(true)) == (reenters && isFour))
        }
    }

    @Test(arguments: [
        (#"{"type": "xstate.raise", "event": "go"}"#, "- raise: go"),
        (
            #"{"type": "xstate.raise", "params": {"event": {"type": "go", "n": 1}}}"#,
            "- raise:\n          event: go\n          data:\n            n: 1"
        ),
        (
            #"{"type": "xstate.raise", "event": "go", "delay": 10, "id": "x"}"#,
            "- send:\n          event: go\n          delay: 10\n          id: x"
        ),
        (#"{"type": "xstate.send", "event": {"type": "go"}}"#, "- send: go"),
        (#"{"type": "xstate.cancel", "sendId": "x"}"#, "- cancel: x"),
        (#"{"type": "do it"}"#, "- do_it"), (#"{"assign": {"n": 1}}"#, "- assign:\n          n: 1"),
    ])
    func actionBecomesAnAction(written: String, action: String) throws {
        let text =
            #"{"id": "m", "initial": "a", "context": {"n": 0}, "#
            + #""states": {"a": {"on": {"e": {}}, "entry": [\#(written)]}}}"#
        let definition = Documents.lines(try XStateImport.definition(from: text)).definition
        #expect(definition.contains("entry:\n      \(action)\n"))
    }

    @Test(arguments: ["xstate.sendTo", "xstate.stop"])
    func anActionWithoutCounterpartIsLeftOut(type: String) throws {
        let text = #"{"id": "m", "initial": "a", "states": {"a": {"entry": [{"type": "\#(type)", "event": 5}, {}]}}}"#
        let imported = try XStateImport.definition(from: text)
        #expect(
            imported.notes.filter { $0.severity != .info }.map(\.description) == [
                "1:56: loss: the action '\(type)' has no counterpart and is left out",
                "1:\(82 + type.count): warning: an action without 'type' has no counterpart and is left out",
            ])
    }
}

/// Tests that actors of XState become tasks.
struct XStateActorTests {
    @Test func actorsBecomeTasks() throws {
        let imported = try XStateImport.definition(
            from: """
                {"id": "m", "initial": "a", "states": {
                  "a": {
                    "invoke": [
                      {"src": "load user", "input": {"id": 7, "kind": "x"}, "onDone": {"target": "b"}, "onError": "c"},
                      {"src": {"type": "beep"}, "id": "beeper"}, {"src": {"function": "() => {}"}, "systemId": "s",
                       "input": {"function": "x"}}
                    ],
                    "on": {"xstate.done.actor.beeper": "c", "error.platform.beeper": "b"}
                  },
                  "b": {"invoke": {"src": "beep", "id": "beeper"}}, "c": {}
                }}
                """)
        let states = try DefinitionText.tree(
            of: """
                states:
                  a:
                    invoke:
                      - {task: load_user, input: {id: 7, kind: "'x'"}, onDone: {target: b}, onError: c}
                      - {id: beeper, task: beep}
                      - {id: a.3, task: actor}
                    on: {done.invoke.beeper: c, error.invoke.beeper: b}
                  b: {invoke: {id: beeper_2, task: beep}}
                  c: {}
                """)["states"]
        #expect(imported.definition["states"] == states, "\(imported.definition.text(as: .yaml))")
        #expect(
            imported.notes.map(\.description).filter { $0.contains("actor") } == [
                "4:15: warning: the actor 'load user' is the task 'load_user' here: "
                    + "a worker gives its result; what else an actor sends does not come",
                "5:15: warning: the actor 'beep' is the task 'beep' here: "
                    + "a worker gives its result; what else an actor sends does not come",
                "5:58: warning: this actor is code; it is the task 'actor' here: "
                    + "a worker gives its result; what else an actor sends does not come",
                "5:84: warning: 'systemId' of an actor is left out",
                "6:8: loss: the 'input' of this actor is code; it is left out",
                "10:27: warning: the actor 'beep' is the task 'beep' here: "
                    + "a worker gives its result; what else an actor sends does not come",
                "10:41: info: the actor 'beeper' is called 'beeper_2' here",
            ], "\(imported.notes.map(\.description))")
        #expect(imported.losses.count == 1)
        _ = try DefinitionReader.read(imported.definition.text(as: .yaml))
    }

    @Test func whatAnActorShowsIsALoss() throws {
        let imported = try XStateImport.definition(
            from: #"{"id": "m", "initial": "a", "states": {"a": {"invoke": {"src": "x", "onSnapshot": {}}}}}"#)
        #expect(imported.losses.map(\.description) == ["1:69: loss: 'onSnapshot' is left out: a task shows none"])
    }
}
