import Testing
import WorkflowAPI
import WorkflowClient
import WorkflowClientTesting

/// Tests `validate`, `apply` and `simulate`.
struct DefinitionVerbTests {
    private static let wrong = "id: order\ninitial: drft\nstates:\n  draft: {}\n"
    private let harness = CommandHarness(files: ["order.yaml": Sample.definition, "wrong.yaml": wrong])

    @Test func validateSaysOkOrWhatIsWrongWhere() async {
        let outcome = await harness.run("validate", "order.yaml", "wrong.yaml")
        #expect(outcome.exit == 65 && outcome.errors.isEmpty)
        let lines = outcome.output.split(separator: "\n").map(String.init)
        #expect(lines.first == "order.yaml: ok (machine 'order', 3 states)")
        #expect(lines.dropFirst().first?.hasPrefix("wrong.yaml:2:10: error: ") == true)
        #expect(await harness.run("validate", "order.yaml").exit == 0)
    }

    /// Outputs are for machines in memory: the verbs that lead to a daemon refuse them, and the others take them.
    @Test func outputsAreRefusedWhereADaemonWouldRefuseThem() async {
        let text = "id: flash\ninitial: a\nstates:\n  a: {on: {go: {actions: {emit: flash}}}}\n"
        let harness = CommandHarness(files: ["flash.yaml": text])
        for words in [["validate"], ["simulate"], ["apply"], ["replay", "x", "--with"]] {
            let (outcome, _) = await harness.run(words + ["flash.yaml"], transport: ScriptedTransport([]))
            #expect(outcome.exit == 65)
            #expect((outcome.output + outcome.errors).contains("flash.yaml:4:27: error: 'emit' works only"), "\(words)")
        }
        #expect(await harness.run("graph", "flash.yaml").output.contains("go / emit flash"))
        #expect(await harness.run("generate", "swift", "flash.yaml").output.contains("emit: flash"))
    }

    @Test func validatePrintsFields() async {
        let outcome = await harness.run("validate", "-o", "jsonl", "order.yaml")
        #expect(
            outcome.output
                == #"{"file":"order.yaml","valid":true,"machine":"order","states":3,"diagnostics":[]}"# + "\n")
    }

    @Test func validateReadsStandardInput() async {
        let outcome = await CommandHarness(files: ["-": Sample.definition]).run("validate", "-")
        #expect(outcome == .init(exit: 0, output: "-: ok (machine 'order', 3 states)\n", errors: ""))
    }

    @Test func applyTellsTheVersions() async {
        let answers = [ScriptedTransport.Step.value(Sample.machine, status: 201), .value(Sample.machine)]
        let outcome = await harness.run("apply", "order.yaml", "order.yaml", answers: answers)
        #expect(outcome == .init(exit: 0, output: "order: version 2\norder: version 2 (unchanged)\n", errors: ""))
    }

    @Test func applyPrintsFields() async {
        let outcome = await harness.run("apply", "-o", "jsonl", "order.yaml", answers: [.value(Sample.machine)])
        #expect(
            outcome.output == #"{"machine":"order","version":2,"semantics":2,"digest":""# + Sample.machine.digest
                + #"","createdAt":"2026-07-31T09:30:00.123Z","warnings":[],"unchanged":true,"file":"order.yaml"}"#
                + "\n")
    }

    @Test func applyTellsWhatDiffersFromTheVersionBefore() async {
        var (some, none) = (Sample.machine, Sample.machine)
        some.differences = (1...22).map { "line \($0): x" }
        none.differences = []
        let outcome = await harness.run(
            "apply", "order.yaml", "order.yaml", answers: [.value(some, status: 201), .value(none, status: 201)])
        let line = "order: version 2 (semantics 2)\n"
        let way = "instances cross by 'wfctl migrate --machine order --from 1 --to 2'\n"
        #expect(outcome.exit == 0 && outcome.output == line + line)
        #expect(
            outcome.errors == "note: version 1 of 'order' has earlier semantics; version 2 differs:\n"
                + (1...20).map { "  line \($0): x\n" }.joined() + "  and 2 more\n" + way
                + "note: version 1 of 'order' has earlier semantics; for this definition they are the same\n" + way)
    }

    @Test func applySendsNothingWhenOneFileIsWrong() async {
        let transport = ScriptedTransport([])
        let (outcome, addresses) = await harness.run(["apply", "order.yaml", "wrong.yaml"], transport: transport)
        #expect(outcome.exit == 65 && outcome.output.isEmpty)
        #expect(outcome.errors.hasPrefix("wrong.yaml:2:10: error: "))
        #expect(outcome.errors.hasSuffix("error: Nothing was applied: 1 of 2 have mistakes\n"))
        #expect(transport.requests.isEmpty && addresses.isEmpty)
    }

    @Test func applyNamesTheFileThatTheDaemonRefuses() async {
        let problem = Problem(
            .invalidDefinition, detail: "The definition has a mistake",
            diagnostics: [DefinitionDiagnostic(severity: .error, line: 3, column: 4, message: "no")])
        let outcome = await harness.run(
            "apply", "order.yaml", "order.yaml", answers: [.value(Sample.machine), .problem(problem)])
        #expect(
            outcome
                == .init(
                    exit: 65, output: "order: version 2 (unchanged)\n",
                    errors: "error: Cannot apply 'order.yaml': The definition has a mistake\n  3:4: error: no\n"))
    }

    @Test func simulatePrintsEveryMacrostep() async {
        let outcome = await harness.run(
            "simulate", "order.yaml", "--event", "submit", "--event", "submitt", "--event", "submit", "--event", "ok",
            "--event", "ok", "-o", "table")
        #expect(
            outcome
                == .init(
                    exit: 5,
                    output: """
                        SEQ   TIME   EVENT     STATE                                                                     \
                        CONTEXT          ACTIONS
                        1     +0s    init      draft                                                                     \
                        {"amount":0.5}
                        2     +0s    submit    review                                                                    \
                        {"amount":0.5}
                        2     +0s    submitt   refused: Machine 'order' has no event 'submitt'; did you mean 'submit'?
                        2     +0s    submit    refused: 'submit' is not accepted in this state
                        3     +0s    ok        done (done)                                                               \
                        {"amount":0.5}
                        3     +0s    ok        refused: The instance has finished and accepts no more events

                        """,
                    errors: "error: 3 events were refused\n"))
    }

    @Test func simulateLetsTimePassAndGoesOnUntilItIsIdle() async {
        var harness = harness
        harness.files["lamp.yaml"] = """
            id: lamp
            initial: off
            context: {turns: 0}
            states:
              off: {on: {turn: {target: on, actions: {assign: {turns: context.turns + 1}}}}}
              on: {after: {5m: off}, on: {turn: off}}
            """
        harness.files["s.jsonl"] = """
            {"event": "turn"}
            {"after": "4m", "event": "turn"}
            {"after": 60000, "event": "turn"}
            """
        let outcome = await harness.run("simulate", "lamp.yaml", "--script", "s.jsonl", "--until-idle")
        #expect(
            outcome
                == .init(
                    exit: 0,
                    output: """
                        SEQ   TIME   EVENT         STATE   CONTEXT       ACTIONS
                        1     +0s    init          off     {"turns":0}
                        2     +0s    turn          on      {"turns":1}   assign turns = 1
                        3     +4m    turn          off     {"turns":1}
                        4     +5m    turn          on      {"turns":2}   assign turns = 2
                        5     +10m   after.5m.on   off     {"turns":2}

                        """, errors: ""))
    }

    @Test func simulateTracesMicrosteps() async {
        var harness = harness
        harness.files["m.yaml"] = """
            id: m
            initial: a
            context: {n: 0}
            states:
              a:
                on: {go: {target: b, actions: [{log: "'n is ' + string(context.n)"}, {raise: {event: x, data: [1]}}]}}
              b: {entry: {assign: {n: 1 / 0}}, on: {x: {}, error.execution: c}}
              c: {always: {guard: context.n == 0, target: d}}
              d: {type: final, output: context.n}
            """
        let outcome = await harness.run("simulate", "m.yaml", "--event", "go", "--trace")
        #expect(
            outcome.output == """
                1  +0s  init: - -> a   {"n":0}
                    init: start
                      enter a
                2  +0s  go: a -> d (done 0)   {"n":0}
                    go: a -> b (line 6)
                      exit a
                      line 6: log "n is 0"
                      line 6: raise x [1]
                      enter b
                      line 7: failed: assign n: 1 / 0: division by zero
                    x: b (line 7)
                    error.execution: b -> c (line 7)
                      exit b
                      enter c
                    always: c -> d (line 8)
                      exit c
                      enter d

                """)
    }

    /// Exit actions come from the innermost state outwards, then the actions of transitions, then entry actions
    /// inwards.
    @Test func aTraceListsActionsInTheOrderInWhichTheyRun() async {
        var harness = harness
        harness.files["m.yaml"] = """
            id: m
            initial: p
            states:
              p:
                initial: a
                exit: {log: "'exit p'"}
                states:
                  a: {on: {go: {target: '#q.r', actions: {log: "'go'"}}}}
              q:
                id: q
                entry: {log: "'enter q'"}
                initial: r
                states: {r: {}, s: {}}
            """
        let outcome = await harness.run("simulate", "m.yaml", "--event", "go", "--trace")
        #expect(
            outcome.output == """
                1  +0s  init: - -> p.a   {}
                    init: start
                      enter p, p.a
                2  +0s  go: p.a -> q.r   {}
                    go: p.a -> q.r (line 8)
                      exit p.a, p
                      line 6: log "exit p"
                      line 8: log "go"
                      enter q
                      line 11: log "enter q"
                      enter q.r

                """)
    }

    @Test func simulateEndsAMachineThatNeverComesToRest() async {
        var harness = harness
        harness.files["beat.yaml"] = "{id: beat, initial: a, states: {a: {after: {1s: {target: a, reenter: true}}}}}"
        let outcome = await harness.run("simulate", "beat.yaml", "--until-idle", "-o", "jsonl")
        #expect(outcome.exit == 1)
        #expect(
            outcome.errors == """
                error: The machine does not come to rest: 10000 events came by themselves
                  the first 20 of them are shown

                """)
        #expect(outcome.output.split(separator: "\n").count == 21)
    }

    /// Rows after the cut would be no prediction: the machine would be somewhere else then.
    @Test func simulateEndsItsScriptWhereTheMachineNeverRests() async {
        var harness = harness
        harness.files["beat.yaml"] = """
            {id: beat, initial: a, states: {a: {on: {go: b}}, b: {after: {1s: {target: b, reenter: true}}, on: {end: a}}}}
            """
        harness.files["-"] = [
            #"{"event":"go"}"#, #"{"after":"25s"}"#, #"{"event":"end"}"#, #"{"event":"go"}"#, #"{"after":"1d"}"#,
            #"{"event":"end"}"#, #"{"event":"go"}"#,
        ].joined(separator: "\n")
        let outcome = await harness.run("simulate", "beat.yaml", "--script", "-", "-o", "jsonl")
        #expect(outcome.exit == 1)
        #expect(
            outcome.errors == """
                error: The machine does not come to rest: 10000 events came by themselves
                  the first 20 of them are shown
                  the script ends there: 2 of its lines are not played

                """)
        let events = outcome.output.split(separator: "\n").map { line in
            line.firstMatch(of: /"event":"([^"]+)"/).map { String($0.1) } ?? ""
        }
        let beats = Array(repeating: "after.1s.b", count: 25)
        #expect(events == ["init", "go"] + beats + ["end", "go"] + beats.prefix(20))
    }

    @Test func simulatePrintsFields() async {
        var harness = harness
        harness.files["-"] = #"{"event":"submit","data":{"x":1}}"# + "\n\n" + #"{"event":"submit"}"# + "\n"
        let outcome = await harness.run(
            "simulate", "order.yaml", "--data", #"{"amount":3}"#, "--script", "-", "-o", "jsonl")
        #expect(outcome.exit == 5)
        #expect(
            outcome.output == """
                {"seq":1,"afterMilliseconds":0,"kind":"started","event":"init","accepted":true,"from":[],\
                "to":["draft"],"configuration":["draft"],"context":{"amount":3.0},"status":"running","exited":[],\
                "entered":["draft"],"actions":[],"microsteps":[{"event":"init","transitions":[],"exited":[],\
                "entered":["draft"],"actions":[]}]}
                {"seq":2,"afterMilliseconds":0,"kind":"event","event":"submit","accepted":true,"from":["draft"],\
                "to":["review"],"configuration":["review"],"context":{"amount":3.0},"status":"running",\
                "exited":["draft"],"entered":["review"],"actions":[],"microsteps":[{"event":"submit",\
                "transitions":[{"source":"draft","targets":["review"],"line":5}],"exited":["draft"],\
                "entered":["review"],"actions":[]}]}
                {"seq":2,"afterMilliseconds":0,"kind":"event","event":"submit","accepted":false,"from":["review"],\
                "to":["review"],"configuration":["review"],"context":{"amount":3.0},"status":"running","exited":[],\
                "entered":[],"actions":[],"microsteps":[],"reason":"'submit' is not accepted in this state"}

                """)
    }

    @Test func simulateRefusesAWrongScriptBeforeItRuns() async {
        var harness = harness
        harness.files["s.jsonl"] = #"{"event":"submit"}"# + "\n" + #"{"evnt":"submit","event":"x"}"#
        let outcome = await harness.run("simulate", "order.yaml", "--script", "s.jsonl")
        #expect(
            outcome
                == .init(
                    exit: 65, output: "",
                    errors: "error: s.jsonl:2: Unknown field 'evnt' (known here: event, done, fail, after, data); "
                        + "did you mean 'event'?\n")
        )
    }

    @Test func simulateRefusesDataThatDoesNotFit() async {
        let outcome = await harness.run("simulate", "order.yaml", "--data", #"{"amuont":3}"#)
        #expect(outcome.exit == 65 && outcome.output.isEmpty)
        #expect(outcome.errors.hasPrefix("error: Cannot start 'order': "))
    }

    @Test func simulateDoesNotRunAWrongDefinition() async {
        let outcome = await harness.run("simulate", "wrong.yaml")
        #expect(outcome.exit == 65 && outcome.output.isEmpty)
        #expect(outcome.errors.hasSuffix("error: Cannot simulate 'wrong.yaml': the definition has mistakes\n"))
    }
}
