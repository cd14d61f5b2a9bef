import Testing
import WorkflowAPI
import WorkflowClient
import WorkflowClientTesting
import WorkflowJSON

/// Tests the output of each verb about the daemon's answers.
struct VerbTests {
    @Test func sendPrintsTheMove() async {
        let outcome = await CommandHarness().run("send", "order-1042", "pay", answers: [.value(Sample.sent)])
        #expect(
            outcome
                == .init(exit: 0, output: "order-1042: awaiting_payment -> packing   (seq 4 -> 5)\n", errors: ""))
    }

    @Test func sendPassesItsOptionsOn() async throws {
        var answer = Sample.sent
        answer.to = ["a.x", "b.y"]
        answer.exited = ["awaiting_payment"]
        answer.entered = []
        answer.status = .done
        answer.dryRun = true
        answer.begun = [
            .init(id: "paying", queue: "http:pay.example.com:443"), .init(id: "call.5.1", queue: "task:mail"),
        ]
        answer.cancelled = ["packing"]
        let transport = ScriptedTransport([.value(answer)])
        let arguments = [
            "send", "order-1042", "pay", "--data", "-5", "--dry-run", "--detail", "--expect-seq", "4", "--expect-state",
            "awaiting_payment",
        ]
        let (outcome, _) = await CommandHarness().run(arguments, transport: transport)
        #expect(
            outcome.output == """
                order-1042: awaiting_payment -> a.x, b.y   (seq 4 -> 5, done, dry run: nothing was changed)
                  exited: awaiting_payment
                  entered: -
                  begins: paying (http:pay.example.com:443)
                  begins: call.5.1 (task:mail)
                  cancels: packing

                """)
        let request = try #require(transport.requests.first)
        #expect(request.target == "/v1/instances/order-1042/events?dryRun=true&detail=true")
        let text = #"{"event":"pay","data":-5,"expect":{"seq":4,"state":"awaiting_payment"}}"#
        #expect(request.body?.bytes == Array(text.utf8))
        #expect(transport.isShutDown)
    }

    @Test(arguments: [("@f.json", #"{"x":1}"#), ("-", "[1.0]"), (#""a""#, #""a""#)])
    func dataComesFromFilesToo(argument: String, sent: String) async throws {
        let harness = CommandHarness(files: ["f.json": #"{ "x": 1 }"#, "-": "[1.0]\n"])
        let transport = ScriptedTransport([.value(Sample.sent)])
        let (outcome, _) = await harness.run(["send", "o", "pay", "--data", argument], transport: transport)
        #expect(outcome.exit == 0)
        let text = #"{"event":"pay","data":"# + sent + "}"
        #expect(transport.requests.first?.body?.bytes == Array(text.utf8))
    }

    @Test func startPrintsWhereItBegins() async throws {
        let transport = ScriptedTransport([.value(Sample.instance("order-1"), status: 201)])
        let arguments = ["start", "order", "order-1", "--version", "2", "--data", #"{"amount":250}"#]
        let (outcome, _) = await CommandHarness().run(arguments, transport: transport)
        #expect(
            outcome == .init(exit: 0, output: "order-1: started in draft   (order version 2, seq 1)\n", errors: ""))
        let text = #"{"machine":"order","version":2,"instance":"order-1","data":{"amount":250}}"#
        #expect(transport.requests.first?.body?.bytes == Array(text.utf8))
    }

    @Test func showPrintsAnInstance() async {
        let answers = [ScriptedTransport.Step.value(Sample.instance("order-1", configuration: ["a.x", "b"], seq: 7))]
        let outcome = await CommandHarness().run("show", "order-1", answers: answers)
        #expect(
            outcome.output == """
                instance:  order-1
                machine:   order version 2
                status:    running
                state:     a.x, b
                seq:       7
                created:   2026-07-31T09:30:00.123Z
                updated:   2026-07-31T09:30:00.123Z
                context:   {
                  "amount": 250,
                  "note": "true"
                }

                """)
    }

    @Test func showSaysSinceWhenByWhomAndWhyAnInstanceIsSuspended() async {
        var instance = Sample.instance("order-1", status: .suspended)
        let since = "since 2026-07-31T09:30:00.123Z"
        for (actor, reason, text) in [
            ("uid:1(ada)", "OPS-1", "\(since) by uid:1(ada) (OPS-1)"), ("uid:1", nil, "\(since) by uid:1"),
            ("brake", "brake", "\(since) by brake"), (nil, nil, since),
        ] {
            instance.suspended = InstanceSuspensionItem(at: Sample.time, actor: actor, reason: reason)
            let outcome = await CommandHarness().run("show", "order-1", answers: [.value(instance)])
            #expect(outcome.output.contains("\nstatus:    suspended \(text)\nstate:     draft\n"), "\(outcome.output)")
        }
        // The suspension of its machine is told too, whatever the instance's own status.
        instance = Sample.instance("order-1")
        instance.machineSuspended = MachineSuspensionItem(
            machine: "order", at: Sample.time, actor: "uid:1", reason: "the till is broken")
        let outcome = await CommandHarness().run("show", "order-1", answers: [.value(instance)])
        #expect(
            outcome.output.contains(
                """

                machine:   order version 2, suspended \(since) by uid:1 (the till is broken)
                status:    running

                """), "\(outcome.output)")
    }

    @Test func aListInJSONSaysSinceWhenByWhomAndWhy() async {
        var instance = Sample.instance("order-1", status: .suspended)
        instance.suspended = InstanceSuspensionItem(at: Sample.time, actor: "uid:1", reason: "OPS-1")
        let outcome = await CommandHarness().run(
            "list", "-o", "json", answers: [.value(Page(items: [instance]))])
        let text = outcome.output.filter { !$0.isWhitespace }
        #expect(
            text.contains(#""suspended":{"at":"2026-07-31T09:30:00.123Z","actor":"uid:1","reason":"OPS-1"}"#),
            "\(outcome.output)")
    }

    @Test func showPrintsTags() async {
        var instance = Sample.instance("order-1")
        for (tags, line) in [(nil, ""), ([], ""), (["busy", "slow"], "tags:      busy, slow\n")] {
            instance.tags = tags
            let outcome = await CommandHarness().run("show", "order-1", answers: [.value(instance)])
            #expect(outcome.output.contains("state:     draft\n\(line)seq:       1\n"))
        }
    }

    @Test func eventsSayWhatIsAccepted() async {
        let items = [
            EventItem(event: "pay", accepted: true), EventItem(event: "submit", accepted: false),
            EventItem(event: "ok", accepted: nil),
        ]
        let outcome = await CommandHarness().run("events", "order-1", answers: [.value(Page(items: items))])
        #expect(
            outcome.output == """
                EVENT    ACCEPTED
                pay      yes
                submit   no
                ok       depends on its data

                """)
    }

    @Test func eventsSayWhatIsSuspended() async {
        let items = [EventItem(event: "pay", accepted: true)]
        let suspension = MachineSuspensionItem(
            machine: "order", at: Sample.time, actor: "uid:0(root)", reason: "OPS-14")
        let machine = AcceptedEvents(items: items, machineSuspended: suspension)
        let outcome = await CommandHarness().run("events", "order-1", answers: [.value(machine)])
        #expect(
            outcome.errors == """
                note: machine 'order' is suspended since 2026-07-31T09:30:00.123Z by uid:0(root) (OPS-14): its instances \
                take no events
                  'wfctl resume --machine order' lets them go on

                """)
        let instance = await CommandHarness().run(
            "events", "order-1", answers: [.value(AcceptedEvents(items: items, status: .suspended))])
        #expect(
            instance.errors == """
                note: order-1 is suspended and takes no events
                  'wfctl resume order-1' lets it go on

                """)
        let ended = await CommandHarness().run(
            "events", "order-1", answers: [.value(AcceptedEvents(items: items, status: .done))])
        #expect(ended.errors == "note: order-1 is done and takes no more events\n")
    }

    @Test func machinesAreListed() async {
        let outcome = await CommandHarness().run("machines", answers: [.value(Page(items: [Sample.machine]))])
        #expect(
            outcome.output == """
                MACHINE   VERSION   ACTIVE   CREATED                    DIGEST
                order     2         latest   2026-07-31T09:30:00.123Z   0a0a0a0a0a0a

                """)
    }

    /// Ended instances take no steps any more.
    @Test func outdatedInstancesAreCounted() async {
        func item(_ version: Int64, _ status: Instance.Status, _ count: Int64) -> TallyItem {
            TallyItem(
                machine: "order", version: version, semantics: 1, status: status, configuration: ["a"], count: count)
        }
        let transport = ScriptedTransport([
            .value(Page(items: [item(3, .running, 4), item(1, .done, 9), item(1, .failed, 2)], nextPage: "p2")),
            .value(Page(items: [item(3, .suspended, 1), item(2, .cancelled, 7)])),
        ])
        let (outcome, _) = await CommandHarness().run(["machines", "--outdated"], transport: transport)
        #expect(
            outcome.output == """
                MACHINE   VERSION   SEMANTICS   INSTANCES
                order     1         1           2
                order     3         1           5

                """)
        #expect(
            transport.requests.map(\.target) == [
                "/v1/tally?outdated=true&limit=500", "/v1/tally?outdated=true&limit=500&page=p2",
            ])
    }

    @Test func machinePrintsItsSourceToTheByte() async {
        var machine = Sample.machine
        machine.source = "id: order\n# no line end"
        let transport = ScriptedTransport([.value(machine)])
        let (outcome, _) = await CommandHarness().run(["machine", "order", "--version", "2"], transport: transport)
        #expect(outcome == .init(exit: 0, output: "id: order\n# no line end", errors: ""))
        #expect(transport.requests.map(\.target) == ["/v1/machines/order/versions/2"])
    }

    @Test func anEmptyListHasTitlesOnly() async {
        let outcome = await CommandHarness().run("machines", answers: [.value(Page<MachineSummary>(items: []))])
        #expect(outcome.output == "MACHINE   VERSION   ACTIVE   CREATED   DIGEST\n")
    }
}

/// Tests lists that have several pages.
struct PagingTests {
    @Test func listWalksAllPages() async {
        let first = Page(items: [Sample.instance("a"), Sample.instance("b")], nextPage: "p2")
        let empty = Page<Instance>(items: [], nextPage: "p3")
        let last = Page(items: [Sample.instance("c", status: .done, configuration: ["x", "y"], seq: 12)])
        let transport = ScriptedTransport([.value(first), .value(empty), .value(last)])
        let arguments = ["list", "--machine", "order", "--state", "draft", "--status", "running"]
        let (outcome, _) = await CommandHarness().run(arguments, transport: transport)
        #expect(
            outcome.output == """
                INSTANCE   MACHINE   VERSION   STATUS    STATE   SEQ   UPDATED
                a          order     2         running   draft   1     2026-07-31T09:30:00.123Z
                b          order     2         running   draft   1     2026-07-31T09:30:00.123Z
                c          order     2         done      x, y    12    2026-07-31T09:30:00.123Z

                """)
        let query = "/v1/instances?machine=order&status=running&state=draft&limit=500"
        #expect(transport.requests.map(\.target) == [query, query + "&page=p2", query + "&page=p3"])
    }

    private static func failed(_ name: String) -> Instance {
        var instance = Sample.instance(name, status: .failed)
        instance.failure = Instance.Failure(
            event: "count", type: .expressionFailed, detail: "'count' was undone: division by zero", seq: 3,
            at: Sample.time, message: "division by zero")
        return instance
    }

    @Test func listSaysWhyInstancesFailed() async {
        let page = Page(items: [Sample.instance("a"), Self.failed("b"), Sample.instance("c")])
        let outcome = await CommandHarness().run("list", answers: [.value(page)])
        #expect(
            outcome.output == """
                INSTANCE   MACHINE   VERSION   STATUS    STATE   SEQ   UPDATED                    WHY
                a          order     2         running   draft   1     2026-07-31T09:30:00.123Z
                b          order     2         failed    draft   1     2026-07-31T09:30:00.123Z   'count' was undone: division by zero
                c          order     2         running   draft   1     2026-07-31T09:30:00.123Z

                """)
    }

    /// The titles have been printed by then.
    @Test func listSaysWhyALateInstanceFailed() async {
        let first = Page(items: (1...500).map { Sample.instance("i-\($0)") }, nextPage: "p2")
        let second = Page(items: [Self.failed("late")])
        let outcome = await CommandHarness().run("list", answers: [.value(first), .value(second)])
        let lines = outcome.output.split(separator: "\n")
        #expect(lines.count == 502)
        #expect(lines.first == "INSTANCE   MACHINE   VERSION   STATUS    STATE   SEQ   UPDATED")
        let row = "late       order     2         failed    draft   1     2026-07-31T09:30:00.123Z"
        #expect(lines.last.map(String.init) == row + "   'count' was undone: division by zero")
    }

    @Test func aLimitEndsTheWalk() async {
        let first = Page(items: [Sample.instance("a"), Sample.instance("b")], nextPage: "p2")
        let second = Page(items: [Sample.instance("c")], nextPage: "p3")
        let transport = ScriptedTransport([.value(first), .value(second)])
        let (outcome, _) = await CommandHarness().run(["list", "--limit", "3", "-o", "jsonl"], transport: transport)
        #expect(outcome.exit == 0)
        #expect(outcome.output.split(separator: "\n").count == 3)
        #expect(transport.requests.map(\.target) == ["/v1/instances?limit=3", "/v1/instances?limit=1&page=p2"])
    }

    @Test func aPageThatNamesItselfEndsInAnError() async {
        let page = Page(items: [Sample.instance("a")], nextPage: "p")
        let outcome = await CommandHarness().run("list", answers: [.value(page), .value(page)])
        #expect(outcome.exit == 1)
        #expect(
            outcome.errors
                == "error: Cannot understand the answer of 'unix:/run/test.sock': a page names itself as its next one\n"
        )
    }

    @Test func historyIsShownNewestFirstOnRequest() async {
        let rows = [
            Sample.row(2, "pay", from: ["a.x", "b"], to: ["c"]), Sample.row(1, "init", from: [], to: ["a.x", "b"]),
        ]
        let transport = ScriptedTransport([.value(Page(items: rows))])
        let arguments = ["history", "o", "--reverse", "--limit", "2", "--after", "0"]
        let (outcome, _) = await CommandHarness().run(arguments, transport: transport)
        #expect(
            outcome.output == """
                SEQ   AT                         KIND      EVENT   FROM     TO       DATA
                2     2026-07-31T09:30:00.123Z   event     pay     a.x, b   c        {"card":"tok"}
                1     2026-07-31T09:30:00.123Z   started   init    -        a.x, b

                """)
        #expect(transport.requests.map(\.target) == ["/v1/instances/o/history?limit=2&after=0&reverse=true"])
    }

    /// The newest rows come first, then the rows after the last of them, until the instance is done.
    @Test func followBeginsWithTheNewestAndEndsWithTheInstance() async {
        let newest = [Sample.row(2, "b", from: ["a"], to: ["a"]), Sample.row(1, "init", from: [], to: ["a"])]
        let next = Page(items: [Sample.row(3, "pay", from: ["a"], to: ["b"])])
        let transport = ScriptedTransport([
            .value(Page(items: newest, nextPage: "p2")), .value(next), .value(Page<HistoryItem>(items: [])),
            .value(Sample.instance("o", status: .done, seq: 3)),
        ])
        let arguments = ["history", "o", "--follow", "--limit", "2", "--detail", "-o", "jsonl"]
        let (outcome, _) = await CommandHarness().run(arguments, transport: transport)
        #expect(outcome.exit == 0 && outcome.errors.isEmpty)
        #expect(
            outcome.output == """
                {"seq":1,"at":"2026-07-31T09:30:00.123Z","kind":"started","event":"init","from":[],\
                "to":["a"],"cursor":"c1"}
                {"seq":2,"at":"2026-07-31T09:30:00.123Z","kind":"event","event":"b",\
                "data":{"card":"tok"},"from":["a"],"to":["a"],"cursor":"c2"}
                {"seq":3,"at":"2026-07-31T09:30:00.123Z","kind":"event","event":"pay",\
                "data":{"card":"tok"},"from":["a"],"to":["b"],"cursor":"c3"}

                """)
        #expect(
            transport.requests.map(\.target) == [
                "/v1/instances/o/history?limit=2&reverse=true&detail=true",
                "/v1/instances/o/history?limit=500&cursor=c2&detail=true&wait=60",
                "/v1/instances/o/history?limit=500&cursor=c3&detail=true&wait=60", "/v1/instances/o",
            ])
    }

    private static func machine(_ name: String, version: Int64, _ source: String? = nil) -> ScriptedTransport.Step {
        var machine = Sample.machine
        machine.machine = name
        machine.version = version
        machine.source = source
        return .value(machine)
    }

    /// An empty list stays empty. A note beside it says that no version has the state.
    @Test func aStateThatNoVersionHasIsSuggested() async {
        let empty = ScriptedTransport.Step.value(Page<Instance>(items: []))
        let transport = ScriptedTransport([
            empty, Self.machine("order", version: 2), Self.machine("order", version: 2, Sample.definition),
            Self.machine("order", version: 1, Sample.definition),
        ])
        let arguments = ["list", "--machine", "order", "--state", "reveiw", "-o", "json"]
        let (outcome, _) = await CommandHarness().run(arguments, transport: transport)
        #expect(
            outcome
                == .init(
                    exit: 0, output: "[]\n",
                    errors: "note: no version of machine 'order' has a state 'reveiw'; did you mean 'review'?\n"))
    }

    @Test(arguments: [
        // A former version has it; a version that this wfctl does not understand may have it; there is one in it.
        (["id: order\nstates: {x: {}}\n", Sample.definition], Page<Instance>(items: [])),
        (["future: true", "future: true"], Page<Instance>(items: [])),
        ([], Page(items: [Sample.instance("a", configuration: ["review"])])),
    ])
    func nothingIsSaidOfAStateThatThereMayBe(sources: [String], page: Page<Instance>) async {
        var answers: [ScriptedTransport.Step] = [.value(page), Self.machine("order", version: 2)]
        answers += sources.enumerated().map { Self.machine("order", version: Int64(2 - $0), $1) }
        let (outcome, _) = await CommandHarness().run(
            ["list", "--machine", "order", "--state", "review"], transport: ScriptedTransport(answers))
        #expect(outcome.exit == 0 && outcome.errors.isEmpty, "\(outcome)")
    }
}
