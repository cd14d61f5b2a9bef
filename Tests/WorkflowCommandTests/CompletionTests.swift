import Testing
import WorkflowAPI
import WorkflowClient
import WorkflowClientTesting

/// Tests the completions that a shell gets for a word: the names that a daemon knows.
struct CompletionTests {
    private static func complete(
        _ verb: String, _ argument: String, _ words: [String], _ answers: [ScriptedTransport.Step]
    ) async -> CommandHarness.Outcome {
        let request = ["---completion", verb, "--", argument, "\(words.count - 1)", "\(words.last?.count ?? 0)"]
        return await CommandHarness().run(request + words, transport: ScriptedTransport(answers)).outcome
    }

    private static let pages = [["order-1", "job-1"], ["order-2"], [], [], ["old"]].map { names in
        ScriptedTransport.Step.value(Page(items: names.map { Sample.instance($0) }))
    }

    @Test func namesOfInstancesAreOffered() async {
        let all = await Self.complete("show", "positional@0", ["wfctl", "show", ""], Self.pages)
        #expect(all == .init(exit: 0, output: "order-1\njob-1\norder-2\nold\n", errors: ""))
        let some = await Self.complete("graph", "--instance", ["wfctl", "graph", "--instance", "or"], Self.pages)
        #expect(some.output == "order-1\norder-2\n")
    }

    @Test func machinesAndEventsAreOffered() async {
        let machines = await Self.complete(
            "start", "positional@0", ["wfctl", "start", ""], [.value(Page(items: [Sample.machine]))])
        #expect(machines.output == "order\n")
        let events = AcceptedEvents(items: [
            .init(event: "pay", accepted: true), .init(event: "pack", accepted: false),
            .init(event: "p", accepted: nil),
        ])
        let transport = ScriptedTransport([.value(events)])
        let request = ["---completion", "send", "--", "positional@1", "3", "0", "wfctl", "send", "order-1", ""]
        let (outcome, _) = await CommandHarness().run(request, transport: transport)
        #expect(outcome.output == "pay\np\n")
        #expect(transport.requests.map(\.target) == ["/v1/instances/order-1/events"])
    }

    @Test func theAddressOfTheLineIsAsked() async {
        let request = [
            "---completion", "show", "--", "positional@0", "4", "0", "wfctl", "show", "--address", "a:1", "",
        ]
        let (_, addresses) = await CommandHarness().run(request, transport: ScriptedTransport(Self.pages))
        #expect(addresses == [.tcp(host: "a", port: 1)])
    }

    @Test func aDaemonThatIsAwayOffersNothing() async {
        let gone = ScriptedTransport.Step.failure(.unreachable(.unix(path: "/run/test.sock"), reason: "gone"))
        let outcome = await Self.complete("show", "positional@0", ["wfctl", "show", ""], [gone])
        #expect(outcome == .init(exit: 0, output: "\n", errors: ""))
    }
}
