import Testing
import WorkflowAPI
import WorkflowClient
import WorkflowClientTesting
import WorkflowJSON

/// Tests `queues`, `queue`, `release`, `status`, and the output of `effects`: the requests and the output.
struct QueueVerbTests {
    private static let time = Sample.time

    @Test func queuesAreATable() async {
        let settings = QueueSettingsItem(
            queue: "task:stock", concurrency: 4, rate: QueueRate(count: 100, milliseconds: 1_000), paused: true)
        let items = [
            QueueItem(
                queue: "http:pay.example.com:443", ready: 1_000, waiting: 2, running: 16, failed: 3,
                oldestDue: Self.time,
                oldestDueInMilliseconds: -61_500, settings: QueueSettingsItem(queue: "http:pay.example.com:443")),
            QueueItem(queue: "task:stock", leased: 1, settings: settings),
        ]
        let transport = ScriptedTransport([.value(Page(items: items)), .value(Health(status: .ready, held: true))])
        let (outcome, _) = await CommandHarness().run(["queues"], transport: transport)
        #expect(transport.requests.map(\.target) == ["/v1/queues?limit=500", "/readyz"])
        #expect(
            outcome.output == """
                QUEUE                      READY   WAITING   RUNNING   FAILED   HELD   OLDEST DUE   SETTINGS
                http:pay.example.com:443   1000+   2         16        3        0      1m1s ago     -
                task:stock                 0       0         1         0        0      -            paused, 4 at a time, 100/s

                """)
        #expect(outcome.errors == "effects are held: 'wfctl release' lets them start\n")
    }

    @Test func aQueueIsSet() async {
        let answer = QueueSettingsItem(queue: "task:stock", rate: QueueRate(count: 5, milliseconds: 600_000))
        let transport = ScriptedTransport([.value(answer)])
        let (outcome, _) = await CommandHarness().run(
            ["queue", "stock", "--concurrency", "default", "--rate", "5/10m", "--resume"], transport: transport)
        #expect(transport.requests.map(\.target) == ["/v1/queues/stock"])
        #expect(transport.requests[0].method == .patch)
        #expect(
            transport.requests[0].body.map { String(decoding: $0.bytes, as: UTF8.self) }
                == #"{"concurrency":null,"rate":{"count":5,"milliseconds":600000},"paused":false}"#)
        #expect(outcome.output == "task:stock: 5/10m\n" && outcome.exit == 0)
    }

    @Test func aNewQueueIsSaidToBeOne() async {
        let transport = ScriptedTransport([.value(QueueSettingsItem(queue: "task:stock", paused: true))])
        _ = await CommandHarness().run(["queue", "stock", "--pause", "--new"], transport: transport)
        #expect(
            transport.requests[0].body.map { String(decoding: $0.bytes, as: UTF8.self) }
                == #"{"paused":true,"new":true}"#)
    }

    @Test(arguments: [
        ["queue", "stock"], ["queue", "stock", "--pause", "--resume"], ["queue", "stock", "--concurrency", "0"],
        ["queue", "stock", "--concurrency", "many"], ["queue", "stock", "--rate", "5"],
        ["queue", "stock", "--rate", "0/s"], ["queue", "stock", "--rate", "-1/s"], ["queue", "http:nope", "--pause"],
        ["queue", "stock", "--rate", "5/2d"], ["queue", "mail:x", "--pause"],
        ["effects", "retry"], ["effects", "retry", "o"], ["effects", "retry", "o", "id", "more"],
        ["effects", "skip", "o", "id"], ["effects", "cancel", "o", "id", "--result", "1"],
        ["effects", "skip", "o", "id", "--result", "1", "--new-key"], ["effects", "retry", "--all"],
        ["effects", "retry", "o", "id", "--all", "--queue", "q"], ["effects", "o", "id"],
        ["effects", "o", "--reason", "x"], ["effects", "retry", "o", "id", "--queue", "q"],
        ["effects", "retry", "o", "id", "--failure", "x"], ["effects", "retry", "o", "--names-from", "f"],
        ["effects", "o", "--failure", "x"], ["effects", "retry", "--failure", "x", "--key", "k"],
        ["effects", "retry", "o", "id", "--yes"], ["effects", "retry", "--all", "--queue", "q", "--key", "k"],
    ])
    func whatCannotBeMeantIsRefused(arguments: [String]) async {
        let outcome = await CommandHarness().run(arguments, transport: ScriptedTransport([])).outcome
        #expect(outcome.exit == 64, "\(outcome)")
    }

    @Test func aQueueThatNothingKnowsIsSetWithNew() async {
        let unknown = Problem(
            .queueNotFound, detail: "No definition names the queue 'task:stok'", suggestion: "task:stock")
        let refused = await CommandHarness().run("queue", "stok", "--pause", answers: [.problem(unknown)])
        #expect(refused.exit == 4, "\(refused)")
        #expect(
            refused.errors.hasSuffix("  '--new' accepts the name\n  did you mean 'task:stock'?\n"), "\(refused)")
    }

    @Test func releaseAndStatusSayWhatIsHeld() async {
        let harness = CommandHarness()
        let released = await harness.run("release", answers: [.value(ReleasedEffects(wasHeld: true))])
        #expect(released.output == "effects start from now on\n")
        let held = await harness.run(
            "status", answers: [.value(DaemonStatus(status: .ready, version: "1", held: true))])
        #expect(
            held.output == """
                status:    ready
                version:   1
                effects:   held: 'wfctl release' lets them start
                behind:    nothing is late
                instances: none
                backup:    none is known of

                """)
    }

    private static func answer(_ action: EffectVerbRequest.Action, failed: Bool? = nil) -> EffectVerbAnswer {
        EffectVerbAnswer(
            instance: "o", id: "pay", action: action, seq: 7, from: ["a"], to: action == .retry ? ["a"] : ["b"],
            failed: failed)
    }

    @Test func anEffectIsDecidedOn() async {
        let transport = ScriptedTransport([.value(Self.answer(.skip))])
        let (outcome, _) = await CommandHarness().run(
            [
                "effects", "skip", "o", "pay", "--result", #"{"r":1}"#, "--reason", "by hand", "--expect-seq", "3",
                "--key", "k",
            ],
            transport: transport)
        #expect(transport.requests.map(\.target) == ["/v1/instances/o/effects/pay"])
        #expect(transport.requests[0].key == "k")
        #expect(
            transport.requests[0].body.map { String(decoding: $0.bytes, as: UTF8.self) }
                == #"{"action":"skip","seq":3,"result":{"r":1},"reason":"by hand"}"#)
        #expect(outcome.output == "o: pay skipped, a -> b   (seq 7)\n" && outcome.exit == 0)
        let retry = await CommandHarness().run(
            "effects", "retry", "o", "pay", answers: [.value(Self.answer(.retry))])
        #expect(retry.output == "o: pay is tried again   (seq 7)\n")
    }

    @Test func aDecisionIsRehearsed() async {
        var answer = Self.answer(.cancel, failed: true)
        answer.dryRun = true
        let transport = ScriptedTransport([.value(answer)])
        let (outcome, _) = await CommandHarness().run(
            ["effects", "cancel", "o", "pay", "--dry-run"], transport: transport)
        #expect(
            transport.requests[0].body.map { String(decoding: $0.bytes, as: UTF8.self) }
                == #"{"action":"cancel","dryRun":true}"#)
        #expect(outcome.output == "o: pay would be cancelled, a -> b, and the instance would fail   (dry run, seq 7)\n")
        #expect(outcome.exit == 0)
    }

    private static func item(_ name: String) -> EffectItem {
        EffectItem(
            instance: name, id: "pay", seq: 2, queue: "task:stock", state: .failed, priority: 3, due: time,
            dueInMilliseconds: 0, attempts: 1)
    }

    @Test func manyAreDecidedOn() async {
        let transport = ScriptedTransport([
            .value(Page(items: [Self.item("o")], nextPage: "n")), .value(Self.answer(.retry)),
            .value(Page(items: [Self.item("p")])),
            .problem(Problem(.effectNotWaiting, detail: "Somebody works on it")),
        ])
        let (outcome, _) = await CommandHarness().run(
            ["effects", "retry", "--all", "--queue", "stock", "--yes"], transport: transport)
        #expect(
            transport.requests.map(\.target) == [
                "/v1/effects?queue=stock&state=failed&limit=500", "/v1/instances/o/effects/pay",
                "/v1/effects?queue=stock&state=failed&limit=500&page=n", "/v1/instances/p/effects/pay",
            ])
        #expect(outcome.output == "1 done, 1 refused\n" && outcome.exit == 1)
        #expect(
            outcome.errors == "p pay: Somebody works on it\nerror: 1 effects were not changed\n")
    }

    private static func failed(_ name: String, _ type: String, _ message: String, status: Int64? = nil) -> EffectItem {
        var item = item(name)
        var error: JSONObject = ["type": .string(type), "message": .string(message)]
        error["status"] = status.map(JSONValue.int)
        item.error = .object(error)
        return item
    }

    /// As `failures` shows it, or a part of it.
    @Test(arguments: [
        (["402"], ["o"]), (["http-status: no; no transition takes 'error.invoke.pay'"], ["o"]), (["refused"], ["p"]),
        (["402", "connect"], ["o", "p"]), (["cancelled"], []), (["403"], []),
    ])
    func thoseWithAnErrorAreTriedAgain(texts: [String], names: [String]) async {
        let items = [
            Self.failed("o", "http-status", "no", status: 402), Self.failed("p", "connect", "refused"),
            Self.failed("q", "cancelled", "by hand"), Self.item("r"),
        ]
        let answers = names.map { _ in ScriptedTransport.Step.value(Self.answer(.retry)) }
        let transport = ScriptedTransport([.value(Page(items: items))] + answers)
        let (outcome, _) = await CommandHarness().run(
            ["effects", "retry", "--yes"] + texts.flatMap { ["--failure", $0] }, transport: transport)
        #expect(transport.requests.first?.target == "/v1/effects?state=failed&limit=500")
        #expect(
            transport.requests.dropFirst().map(\.target).sorted()
                == names.map { "/v1/instances/\($0)/effects/pay" })
        #expect(outcome.output == "\(names.count) done\n" && outcome.exit == 0)
        #expect(outcome.errors == (names.isEmpty ? "note: no effect is failed with such an error\n" : ""))
    }

    @Test func thoseOfInstancesThatAFileNamesAreDecidedOn() async {
        let transport = ScriptedTransport([
            .value(Page(items: [Self.item("o")])), .value(Self.answer(.cancel)),
            .problem(Problem(.instanceNotFound, detail: "There is no instance 'gone'")),
            .value(Page(items: [Self.item("p")])), .value(Self.answer(.cancel)),
        ])
        var harness = CommandHarness()
        harness.files = ["who": "o\ngone\n\np\n"]
        let (outcome, _) = await harness.run(
            ["effects", "cancel", "--names-from", "who", "--queue", "stock"], transport: transport)
        #expect(
            transport.requests.map(\.target) == [
                "/v1/effects?instance=o&queue=stock&state=failed&limit=500", "/v1/instances/o/effects/pay",
                "/v1/effects?instance=gone&queue=stock&state=failed&limit=500",
                "/v1/effects?instance=p&queue=stock&state=failed&limit=500", "/v1/instances/p/effects/pay",
            ])
        #expect(outcome.output == "2 done, 1 refused\n" && outcome.exit == 1)
        #expect(outcome.errors.hasPrefix("There is no instance 'gone'\n"), "\(outcome.errors)")
    }

    @Test func aDryRunOnlyShows() async {
        let transport = ScriptedTransport([.value(Page(items: [Self.item("o")]))])
        let (outcome, _) = await CommandHarness().run(
            ["effects", "cancel", "--all", "--queue", "stock", "--dry-run"], transport: transport)
        #expect(transport.requests.count == 1 && outcome.output.contains("o          pay"))
    }

    @Test(arguments: [([], "nothing"), (["pay", "stop"], "pay, stop only")] as [([String], String)])
    func showSaysThatTheLastTimerWasSkipped(accepted: [String], rest: String) async {
        var instance = Sample.instance("o")
        instance.timerSkipped = SkippedTimerItem(
            event: "after.1h.a", at: Sample.time, lateMilliseconds: 259_200_000, accepted: accepted)
        let outcome = await CommandHarness().run("show", "o", answers: [.value(instance)])
        let line = "waits for: \(rest): its last timer was skipped at 2026-07-31T09:30:00.123Z, 3d late\n"
        #expect(outcome.output.hasSuffix(line), "\(outcome.output)")
    }

    @Test func showSaysWhatAnInstanceWaitsFor() async {
        var waiting = Self.item("o")
        waiting.state = .ready
        waiting.dueInMilliseconds = 12_400
        waiting.error = ["type": "http-status", "message": "status 503"]
        var instance = Sample.instance("o")
        instance.waitsFor = [waiting, Self.item("o")]
        let outcome = await CommandHarness().run("show", "o", answers: [.value(instance)])
        #expect(
            outcome.output.hasSuffix(
                """
                waits for: pay of task:stock, attempt 2 in 12s: http-status: status 503
                           pay of task:stock, failed after 1 attempt

                """), "\(outcome.output)")
    }
}
