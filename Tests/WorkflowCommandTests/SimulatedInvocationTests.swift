import Testing
import WorkflowClientTesting

/// `wfctl simulate` of machines that have work done.
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
          packing: {invoke: {id: pack, task: stock, onDone: shipped}}
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

    @Test func itsTimeoutComesByItself() async {
        let outcome = await run("--until-idle", "-o", "jsonl")
        #expect(outcome.exit == 0 && outcome.output.contains(#""receipt":"timeout""#))
    }

    @Test(arguments: [
        ("payin=1", 65, "error: 'm' has no invocation 'payin'; did you mean 'paying'?\n"),
        ("paying", 64, "error: '--answer paying' has no '='; one is written --answer ID=JSON\n"),
    ])
    func aWrongAnswerIsRefused(answer: String, exit: Int32, message: String) async {
        let outcome = await run("--answer", answer)
        #expect(outcome.exit == exit && outcome.errors == message)
    }
}
