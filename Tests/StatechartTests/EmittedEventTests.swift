import Statechart
import Testing
import WorkflowJSON

/// Tests `emit`: the outputs of a macrostep, their order and data, and the definitions that may have it.
struct EmittedEventTests {
    private static let refused =
        "error: 'emit' works only in a StateMachine of the Swift library, whose observers hear it: a history cannot "
        + "keep outputs yet; remove it, or request an effect with 'call'"

    private func machine(_ text: String, _ syntax: DefinitionSyntax = .detected) throws -> Machine {
        try DefinitionReader.read(text, syntax: syntax, isInMemory: true).machine
    }

    /// Starts a machine and sends events. Returns the outputs of each accepted macrostep.
    private func outputs(_ machine: Machine, _ events: String...) throws -> [[String]] {
        var outputs: [[String]] = []
        var snapshot: Snapshot?
        for event in ["init"] + events {
            let input = snapshot == nil ? Input.start() : .event(Event(name: event, data: ["by": 2]))
            guard case .accepted(let macrostep) = machine.apply(input, to: snapshot, as: .test) else {
                outputs.append(["refused"])
                continue
            }
            snapshot = macrostep.snapshot
            outputs.append(macrostep.emitted.map { $0.name + ($0.data.map { " \(JSONWriter.string($0))" } ?? "") })
        }
        return outputs
    }

    private func mistakes(_ text: String) -> [String] {
        do {
            return try DefinitionReader.read(text, isInMemory: true).warnings.map(\.description)
        } catch {
            return error.diagnostics.map(\.description)
        }
    }

    /// Outputs come in the order of the actions: exits, the transition, entries, and then the next microsteps.
    @Test func outputsAreInTheOrderOfTheActions() throws {
        let machine = try machine(
            """
            id: m
            initial: a
            context: {n: 0}
            states:
              a:
                entry: {emit: begun}
                exit: {emit: {event: left, data: context.n}}
                on:
                  go:
                    target: b.c
                    actions:
                      - {assign: {n: context.n + event.data.by}}
                      - {emit: {event: order.shipped, data: {code: event.data.by, n: context.n, text: "'x'"}}}
                      - {raise: next}
                      - {assign: {n: context.n + 1}}
              b:
                entry: [{emit: outer}]
                initial: c
                states:
                  c:
                    entry: {emit: {event: inner, data: {n: context.n}}}
                    on: {next: {target: d, actions: {emit: {event: second, data: ~}}}}
                  d: {type: final}
                onDone: {actions: {emit: third}}
            """)
        #expect(
            try outputs(machine, "go") == [
                ["begun"],
                [
                    "left 0", #"order.shipped {"code":2,"n":2,"text":"x"}"#, "outer", #"inner {"n":3}"#,
                    "second null", "third",
                ],
            ])
    }

    @Test func branchesLoopsAndNamedActionsEmit() throws {
        let machine = try machine(
            """
            {"id": "m", "initial": "a", "context": {"list": [1, 2], "item": 0},
            "actions": {"each": {"foreach": {"array": "context.list", "item": "item", "actions":
              {"choose": [{"guard": "context.item > 1", "actions": {"emit": {"event": "big", "data": "context.item"}}},
                {"actions": {"emit": "small"}}]}}}},
            "states": {"a": {"on": {"go": {"actions": ["each", {"log": "1"}]}}}}}
            """, .json)
        #expect(machine.emits)
        #expect(try outputs(machine, "go") == [[], ["small", "big 2"]])
        let silent = try self.machine("{id: m, initial: a, states: {a: {on: {go: {actions: {raise: a}}}}}}")
        #expect(!silent.emits)
    }

    /// The data that fails ends its block as for other actions; the outputs before it stay.
    @Test func aFailureInTheDataIsAnError() throws {
        let text = """
            id: m
            initial: a
            context: {n: 0}
            states:
              a:
                on:
                  go: {actions: [{emit: first}, {emit: {event: bad, data: 1 / context.n}}, {emit: never}]}
                  ERROR
              b: {entry: {emit: {event: why, data: event.data.expression}}}
            """
        let handled = try machine(text.replacing("ERROR", with: "error.execution: b"))
        #expect(try outputs(handled, "go") == [[], ["first", #"why "emit bad data: 1 / context.n""#]])
        let unhandled = try machine(text.replacing("ERROR", with: "x: b"))
        #expect(try outputs(unhandled, "go") == [[], ["refused"]])
    }

    @Test func anItemThatFailsEmitsNothing() throws {
        let machine = try machine(
            """
            id: m
            initial: a
            context: {n: 0}
            states:
              a: {on: {go: {actions: {send: bad}}, bad: {actions: [{emit: lost}, {assign: {n: 1 / context.n}}]}}}
            """)
        let begun = try #require(snapshot(machine.apply(.start(), to: nil, as: .test)))
        let chain = try machine.chain(.event(Event(name: "go")), from: begun, as: .test).get()
        #expect(chain.count == 2 && chain.refusal != nil)
        #expect(chain.links.flatMap(\.macrostep.emitted).isEmpty)
    }

    private func snapshot(_ outcome: Outcome) -> Snapshot? {
        if case .accepted(let macrostep) = outcome { macrostep.snapshot } else { nil }
    }

    @Test func aMacrostepEmitsSoManyEventsAtMost() throws {
        func outcome(_ count: Int) throws -> Outcome {
            let list = (0..<count).map(String.init).joined(separator: ", ")
            let machine = try machine(
                """
                id: m
                initial: a
                context: {list: [\(list)], item: 0}
                states:
                  a: {entry: {foreach: {array: context.list, item: item, actions: {emit: tick}}}}
                """)
            return machine.apply(.start(), to: nil, as: .test)
        }
        guard case .accepted(let macrostep) = try outcome(1_000) else {
            Issue.record("1000 events are allowed")
            return
        }
        #expect(macrostep.emitted.count == 1_000)
        guard case .refused(.expressionFailed(let failure)) = try outcome(1_001) else {
            Issue.record("1001 events are too many")
            return
        }
        #expect(failure.message == "one macrostep emits at most 1000 events")
    }

    @Test func theDataHasItsDeclaredType() throws {
        let root = "events: {sum: {data: {n: double}}}, context: {k: 0, any: ~},"
        #expect(
            mistakes(oneState("entry: {emit: {event: sum, data: {n: \"'x'\"}}}", root: root)) == [
                "3:9: error: the data of 'sum' does not fit: data.n is a string, not a double; write double(…)"
            ])
        #expect(mistakes(oneState("entry: {emit: {event: go, data: context.kk}}", root: root)).count == 1)
        let machine = try machine(oneState("entry: {emit: {event: sum, data: {n: context.k}}}", root: root))
        #expect(try outputs(machine) == [[#"sum {"n":0.0}"#]])
    }

    @Test(arguments: [
        ("{emit: {}}", "3:15: error: 'emit' needs an 'event'"),
        ("{emit: [x]}", "3:15: error: 'emit' must be a name, not a list"),
        ("{emit: {event: x, delay: 5}}", "3:26: error: 'delay' does not belong to 'emit'; it stands in a 'send'"),
        (
            "{emit: a b}",
            "3:15: error: 'a b' cannot be the name of an event: names joined by dots, of letters, digits, "
                + "'_' and '-'"
        ),
        (
            "{emit: error.x}",
            "3:15: error: 'error.x' is an event of the engine's own: it alone uses names under 'error.'"
        ),
    ])
    func mistakesAreToldWithTheirPlace(action: String, message: String) {
        #expect(mistakes(oneState("entry: \(action)")) == [message])
    }

    /// A host says so for each place, beside all other mistakes.
    @Test func aHostRefusesEachPlace() {
        let text = """
            id: m
            initial: a
            actions: {unused: {emit: x}}
            states:
              a:
                entry: {choose: [{actions: {emit: {event: x, dta: 1}}}]}
                on: {go: {actions: unused}}
            """
        #expect(
            diagnostics(of: text) == [
                "3:20: \(Self.refused)", "6:33: \(Self.refused)",
                "6:50: error: unknown key 'dta' in 'emit'; did you mean 'data'?",
            ])
        #expect(throws: DefinitionError.self) { try DefinitionReader.read(stored: text, semantics: .current) }
    }

    @Test func theTraceHasTheOutput() throws {
        let machine = try machine("{id: m, initial: a, states: {a: {entry: {emit: {event: x, data: {n: 1}}}}}}")
        guard case .accepted(let macrostep) = machine.apply(.start(), to: nil, as: .test, isTracing: true) else {
            Issue.record("the machine starts")
            return
        }
        #expect(macrostep.microsteps.flatMap(\.deeds).map(\.text) == [#"emit x {"n":1}"#])
    }
}
