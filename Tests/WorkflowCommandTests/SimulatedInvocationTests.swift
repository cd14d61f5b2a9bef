import Testing
import WorkflowClientTesting

/// Tests `wfctl simulate` of machines with invocations.
struct SimulatedInvocationTests {
    private static let machine = """
        id: m
        initial: paying
        context: {receipt: null}
        states:
          paying:
            invoke:
              task: charge
              timeout: 10m
              onDone: {target: packing, actions: {assign: {receipt: event.data}}}
              onError: {target: rejected, actions: {assign: {receipt: event.data.type}}}
          packing: {invoke: {id: pack, task: stock, onDone: shipped, onError: rejected}}
          shipped: {type: final}
          rejected: {}
        """

    private func run(_ arguments: String..., script: String = "") async -> CommandHarness.Outcome {
        let harness = CommandHarness(files: ["m.yaml": Self.machine, "s": script])
        return await harness.run(["simulate", "m.yaml"] + arguments, transport: ScriptedTransport([])).outcome
    }

    @Test func itSaysWhatItWaitsFor() async {
        let outcome = await run()
        #expect(outcome.exit == 0 && outcome.output.contains("invoke paying: task charge"))
        #expect(outcome.errors == "It waits for 'paying'; give a result with --answer paying=JSON\n")
    }

    @Test func answersAreGivenWheneverSomethingRuns() async {
        let outcome = await run("--answer", #"paying="r-1""#, "--answer", "pack=null", "-o", "jsonl")
        #expect(outcome.exit == 0 && outcome.errors.isEmpty)
        let lines = outcome.output.split(separator: "\n")
        #expect(lines.count == 3)
        #expect(lines[1].contains(#""kind":"result","event":"done.invoke.paying""#))
        #expect(lines[1].contains(#""context":{"receipt":"r-1"}"#) && lines[2].contains(#""status":"done""#))
    }

    @Test func aScriptEndsThem() async {
        let outcome = await run(
            "--script", "s", "-o", "jsonl",
            script: #"{"after": "1m", "fail": "paying", "error": {"type": "declined", "message": "no"}}"#)
        #expect(outcome.exit == 0 && outcome.output.contains(#""receipt":"declined""#))
        let wrong = await run("--script", "s", script: #"{"done": "pack"}"#)
        #expect(wrong.exit == 5 && wrong.output.contains("no invocation 'pack' runs; there is 'paying'"))
        let both = await run("--script", "s", script: #"{"done": "pack", "event": "x"}"#)
        #expect(both.exit == 65 && both.errors.contains("A line has one of the fields 'event', 'done' and 'fail'"))
    }

    /// A request that can never be sent fails at once, as in the daemon.
    @Test func whatCannotBeSentFailsAtOnce() async {
        let harness = CommandHarness(files: [
            "m.yaml": """
            id: m
            initial: paying
            context: {name: "..", why: null}
            states:
              paying:
                invoke:
                  http: {url: "https://pay.example.com/{context.name}"}
                  onDone: paid
                  onError: {target: rejected, actions: {assign: {why: event.data}}}
              paid: {}
              rejected: {}
            """
        ])
        let (outcome, _) = await harness.run(["simulate", "m.yaml", "-o", "jsonl"], transport: ScriptedTransport([]))
        #expect(outcome.exit == 0 && outcome.errors.isEmpty)
        let lines = outcome.output.split(separator: "\n")
        #expect(lines.count == 2 && lines.last?.contains(#""event":"error.invoke.paying""#) == true)
        #expect(lines.last?.contains(#""type":"invalid-request""#) == true, "\(outcome.output)")
    }

    /// Requests and programs are shown as they would begin, and answered like tasks; calls need no answer.
    @Test func requestsProgramsAndCallsAreShown() async {
        let harness = CommandHarness(files: [
            "m.yaml": """
            id: m
            initial: paying
            context: {name: a/b, code: null}
            states:
              paying:
                invoke:
                  http: {url: "https://pay.example.com/{context.name}", body: {n: 1}}
                  onDone: {target: packing, actions: {assign: {code: event.data.status}}}
                  onError: left
              packing: {invoke: {exec: {program: pack, args: [context.name]}, onError: left}}
              left:
                type: final
                entry: [{call: {http: {url: "http://mail/{''}", text: "'t'"}}}, {call: {task: t, input: [1]}}]
            """,
            "s": #"{"fail": "packing", "error": {"type": "exit", "code": 1}}"#,
        ])
        let arguments = ["simulate", "m.yaml", "--answer", #"paying={"status":201}"#, "--script", "s", "-o", "jsonl"]
        let outcome = await harness.run(arguments, transport: ScriptedTransport([])).outcome
        #expect(outcome.exit == 0 && outcome.errors.isEmpty)
        let lines = outcome.output.split(separator: "\n")
        #expect(lines.count == 3)
        #expect(lines[0].contains(#""actions":["invoke paying: http POST https://pay.example.com/a%2Fb {\"n\":1}"]"#))
        #expect(lines[1].contains(#""context":{"code":201,"name":"a/b"}"#))
        #expect(lines[1].contains(#""invoke packing: exec pack [\"a/b\"]"]"#))
        #expect(
            lines[2].contains(
                #""actions":["call http POST \"t\" (invalid: '{''}' makes an empty segment of the url)","#
                    + #""call task t [1]"]"#))
    }

    @Test func itsTimeoutComesByItself() async {
        let outcome = await run("--until-idle", "-o", "jsonl")
        #expect(outcome.exit == 0 && outcome.output.contains(#""receipt":"timeout""#))
    }

    @Test(arguments: [
        ("payin=1", 65, "error: 'm' has no invocation 'payin'; did you mean 'paying'?\n"),
        ("zzzzzzzz=1", 65, "error: 'm' has no invocation 'zzzzzzzz'; it has 'paying', 'pack'\n"),
        ("paying", 64, "error: '--answer paying' has no '='; write --answer ID=JSON\n"),
    ])
    func aWrongAnswerIsRefused(answer: String, exit: Int32, message: String) async {
        let outcome = await run("--answer", answer)
        #expect(outcome.exit == exit && outcome.errors == message)
    }
}
