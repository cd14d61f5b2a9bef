import Testing
import WorkflowAPI
import WorkflowClient
import WorkflowClientTesting

/// `validate`, `apply` and `simulate`.
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
            outcome.output == #"{"machine":"order","version":2,"digest":""# + Sample.machine.digest
                + #"","createdAt":"2026-07-31T09:30:00.123Z","warnings":[],"unchanged":true,"file":"order.yaml"}"#
                + "\n")
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
            "--event", "ok", "--event", "done.state.x")
        #expect(
            outcome
                == .init(
                    exit: 5,
                    output: """
                        SEQ   EVENT          FROM     TO
                        1     init           -        draft
                        2     submit         draft    review
                        2     submitt        review   refused: Machine 'order' has no event 'submitt'; did you mean 'submit'?
                        2     submit         review   refused: 'submit' is not accepted in this state
                        3     ok             review   done
                        3     ok             done     refused: The instance has finished and accepts no more events
                        3     done.state.x   done     refused: names under done.state., done.invoke., \
                        error., after. are reserved

                        """,
                    errors: "error: 4 events were refused\n"))
    }

    @Test func simulatePrintsFields() async {
        var harness = harness
        harness.files["-"] = #"{"event":"submit","data":{"x":1}}"# + "\n\n" + #"{"event":"submit"}"# + "\n"
        let outcome = await harness.run(
            "simulate", "order.yaml", "--data", #"{"amount":3}"#, "--script", "-", "--detail", "-o", "jsonl")
        #expect(outcome.exit == 5)
        #expect(
            outcome.output == """
                {"seq":1,"event":"init","accepted":true,"from":[],"to":["draft"],\
                "configuration":["draft"],"context":{"amount":3.0},"status":"running","exited":[],\
                "entered":["draft"]}
                {"seq":2,"event":"submit","accepted":true,"from":["draft"],"to":["review"],\
                "configuration":["review"],"context":{"amount":3.0},"status":"running",\
                "exited":["draft"],"entered":["review"]}
                {"seq":2,"event":"submit","accepted":false,"from":["review"],"to":["review"],\
                "configuration":["review"],"context":{"amount":3.0},"status":"running",\
                "reason":"'submit' is not accepted in this state"}

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
                    errors: "error: s.jsonl:2: Unknown field 'evnt' (known here: event, data); did you mean 'event'?\n")
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
