import Statechart
import Testing
import WorkflowJSON

@Suite struct GuardTests {
    private static let door = """
        id: door
        initial: shut
        context: {codes: [1, 2], tries: 0, limit: 2}
        guards:
          known: event.data.code in context.codes
          patient: "!exhausted"
          exhausted: context.tries >= context.limit
        states:
          shut:
            on:
              enter:
                - {guard: known && patient, target: open}
                - {guard: patient, actions: {assign: {tries: context.tries + 1}}}
          open: {on: {shut: shut}}
        """

    @Test func aGuardThatSaysNoLetsTheNextCandidateTry() throws {
        var run = try TimedRun(Self.door)
        try run.send("enter", ["code": 9])
        #expect(run.state == "shut" && run.snapshot.context["tries"] == 1)
        try run.send("enter", ["code": 2])
        #expect(run.state == "open")
    }

    @Test func aRefusalTellsWhichGuardsWereAskedAndWhatTheyRead() throws {
        var run = try TimedRun(Self.door)
        for _ in 0..<2 { try run.send("enter", ["code": 9]) }
        guard case .guardRejected(let findings) = run.refusal(of: "enter", ["code": 2]) else {
            Issue.record("\(String(describing: run.refusal(of: "enter")))")
            return
        }
        #expect(findings.map(\.expression) == ["known && patient", "patient"])
        #expect(
            findings[0].reads.map(\.message) == [
                "known = true", "patient = false", "event.data.code = 2", "context.codes = [1,2]", "exhausted = true",
                "context.tries = 2", "context.limit = 2",
            ])
        let refusal = Refusal.guardRejected([findings[1]])
        #expect(
            refusal.message(for: "enter", in: run.machine)
                == "'enter' was rejected: guard 'patient' on line 13 is false (patient = false, exhausted = true, "
                + "context.tries = 2, context.limit = 2)")
    }

    @Test func explainListsEveryCandidateInTheOrderTried() throws {
        let machine = try DefinitionReader.read(
            """
            id: m
            initial: a
            context: {n: 1}
            on: {go: .b}
            states:
              a:
                initial: inner
                on:
                  go: [{guard: context.n > 1, target: b}, {guard: 1 / 0 > context.n, target: b}]
                  'go.*': b
                  '*': b
                states: {inner: {on: {go: {guard: event.data.ok, target: '#a'}}}}
              b: {}
            """
        ).machine
        guard case .accepted(let started) = machine.apply(.start(), to: nil, as: .test) else {
            Issue.record("the machine does not start")
            return
        }
        func verdicts(_ data: JSONValue) -> [String] {
            machine.explain(started.snapshot, Event(name: "go", data: data), as: .test).map {
                "\(machine[$0.transition].line) \($0.verdict.rawValue) \($0.reads.map(\.message))"
            }
        }
        #expect(
            verdicts(["ok": true]) == [
                "12 taken [\"event.data.ok = true\"]", "9 not asked []", "9 not asked []", "10 not asked []",
                "11 not asked []", "4 not asked []",
            ])
        #expect(
            verdicts(["ok": false]) == [
                "12 rejected [\"event.data.ok = false\"]", "9 rejected [\"context.n = 1\"]",
                "9 failed [\"context.n = 1\"]", "10 taken []", "11 not asked []", "4 not asked []",
            ])
    }

    @Test func aGuardThatFailsIsFalseAndRaisesAnError() throws {
        let definition = """
            id: m
            initial: a
            context: {n: 0, error: null}
            states:
              a: {on: {go: [{guard: 1 / context.n > 0, target: b}, {guard: event.data, target: c}]}}
              b: {}
              c: {on: {error.execution: {target: d, actions: {assign: {error: event.data}}}}}
              d: {}
            """
        var run = try TimedRun(definition)
        try run.send("go", true)
        #expect(run.state == "d")
        #expect(
            run.snapshot.context["error"]
                == ["expression": "1 / context.n > 0", "line": 5, "message": "division by zero", "state": "a"])
        // The only guard that is left says no, and nothing handles the other one's error.
        guard case .expressionFailed(let failure) = try TimedRun(definition).refusal(of: "go", false) else {
            Issue.record("a failing guard must be told")
            return
        }
        #expect(failure.expression == "1 / context.n > 0" && failure.line == 5)
    }

    @Test func aGuardOfAlwaysThatFailsRaisesOncePerMacrostep() throws {
        var run = try TimedRun(
            """
            id: m
            initial: a
            context: {n: 0, errors: 0}
            on: {error.execution: {actions: {assign: {errors: context.errors + 1}}}}
            states:
              a: {on: {go: b}}
              b:
                always: {guard: 1 / context.n > 0, target: a}
                entry: [{raise: x}, {raise: y}]
                on: {x: {}, y: {}, again: {}}
            """)
        try run.send("go")
        #expect(run.snapshot.context["errors"] == 1)
        try run.send("again")
        #expect(run.snapshot.context["errors"] == 2)
    }

    @Test func aGuardThatIsSharedByRegionsIsAskedOnce() throws {
        var run = try TimedRun(
            """
            id: m
            type: parallel
            context: {n: 0, errors: 0}
            on:
              error.execution: {actions: {assign: {errors: context.errors + 1}}}
              go: [{guard: 1 / context.n > 0}, {}]
            states:
              left: {}
              right: {}
            """)
        try run.send("go")
        #expect(run.snapshot.context["errors"] == 1)
    }

    @Test func acceptanceAsksGuardsThatDoNotReadTheEvent() throws {
        let machine = try DefinitionReader.read(
            """
            id: m
            initial: a
            context: {n: 1}
            guards: {fits: event.data.n == context.n}
            on: {first: {guard: 1 / 0 == context.n}}
            states:
              a:
                on:
                  first: {target: a}
                  yes: {guard: context.n == 1, target: a}
                  no: {guard: context.n == 2, target: a}
                  depends: {guard: fits, target: a}
                  sure: [{guard: fits, target: a}, {}]
                  broken: [{guard: 1 / 0 == context.n}, {}]
                  mine: {guard: "In('a') && instance.name == 'test-1'"}
            """
        ).machine
        guard case .accepted(let started) = machine.apply(.start(), to: nil, as: .test) else {
            Issue.record("the machine does not start")
            return
        }
        let answers = machine.acceptance(in: started.snapshot, as: .test, at: .zero)
        let told = answers.map { "\($0.descriptor) \($0.isAccepted.map(String.init(describing:)) ?? "nil")" }
        #expect(told == ["broken nil", "depends nil", "first true", "mine true", "no false", "sure true", "yes true"])
        #expect(
            machine.accepted(in: started.snapshot, as: .test, at: .zero) == [
                "broken", "depends", "first", "mine", "sure", "yes",
            ])
    }

    @Test func anEndlessExpressionEndsTheMacrostepAndIsNoRefusalOfAGuard() throws {
        let run = try TimedRun(
            """
            id: m
            strict: false
            initial: a
            context: {list: [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]}
            states:
              a:
                on:
                  go:
                    - guard: >-
                        context.list.all(a, context.list.all(b, context.list.all(c, context.list.all(d,
                        context.list.all(e, context.list.all(f, a + b + c + d + e + f >= 0))))))
                      target: b
                    - c
              b: {}
              c: {}
            """)
        guard case .expressionFailed(let failure) = run.refusal(of: "go") else {
            Issue.record("\(String(describing: run.refusal(of: "go")))")
            return
        }
        #expect(failure.message == "the expression takes more than 1000000 steps")
    }
}
