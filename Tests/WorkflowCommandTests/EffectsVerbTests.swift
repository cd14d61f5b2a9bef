import Testing
import WorkflowAPI
import WorkflowClient
import WorkflowClientTesting
import WorkflowJSON

/// Tests `effects`: the requests and the output.
struct EffectsVerbTests {
    private static let error: JSONValue = ["type": "no-box", "message": "none left"]

    private static let items = [
        EffectItem(
            instance: "order-1", id: "packing", seq: 2, queue: "task:stock", state: .ready, priority: 3,
            due: Sample.time, dueInMilliseconds: 1_000, attempts: 1, error: error,
            failedAttempts: [
                EffectItem.Attempt(
                    attempt: 1, begun: Sample.time,
                    ended: WireTime(milliseconds: Sample.time.milliseconds + 1_500), outcome: "no-box", error: error)
            ]),
        EffectItem(
            instance: "order-1", id: "mail", seq: 2, queue: "task:post", state: .leased, priority: 1,
            due: Sample.time, dueInMilliseconds: 1_000, attempts: 1, worker: "host:1", failedAttempts: []),
    ]

    @Test func theEffectsOfAnInstanceComeWithTheirFailedAttempts() async {
        let transport = ScriptedTransport([.value(Page(items: Self.items))])
        let (outcome, _) = await CommandHarness().run(["effects", "order-1"], transport: transport)
        #expect(transport.requests.map(\.target) == ["/v1/effects?instance=order-1&limit=500"])
        #expect(
            outcome.output == """
                INSTANCE   ID        QUEUE        STATE    DUE                        ATTEMPTS   WORKER   WHY
                order-1    packing   task:stock   ready    2026-07-31T09:30:00.123Z   1          -        no-box: none left
                order-1    mail      task:post    leased   2026-07-31T09:30:00.123Z   1          host:1

                ID        ATTEMPT   BEGUN                      TOOK      OUTCOME   WHY
                packing   1         2026-07-31T09:30:00.123Z   1s500ms   no-box    none left

                """)
    }

    /// The list includes ended effects, over several pages.
    @Test func theAttemptsOfAnInstanceAreListed() async throws {
        let attempt = try #require(Self.items[0].failedAttempts?.first)
        let transport = ScriptedTransport([
            .value(Page(items: [AttemptItem(id: "packing", seq: 7, attempt: attempt)], nextPage: "n")),
            .value(Page(items: [AttemptItem(id: nil, seq: 2, attempt: attempt)])),
        ])
        let (outcome, _) = await CommandHarness().run(["attempts", "order-1"], transport: transport)
        let path = "/v1/instances/order-1/attempts?limit=500"
        #expect(transport.requests.map(\.target) == [path, path + "&page=n"])
        #expect(
            outcome.output == """
                SEQ   ID        ATTEMPT   BEGUN                      TOOK      OUTCOME   WHY
                7     packing   1         2026-07-31T09:30:00.123Z   1s500ms   no-box    none left
                2     -         1         2026-07-31T09:30:00.123Z   1s500ms   no-box    none left

                """)
    }

    /// Why one that is due does not start, and that it has begun.
    @Test(arguments: [
        (EffectItem.Turn.running, "running", "attempt 2 runs"),
        (.paused, "ready, paused", "attempt 3 is due, but its queue is paused: 'wfctl queue task:stock --resume'"),
        (.held, "ready, held", "attempt 3 is due, but effects are held: 'wfctl release'"),
    ])
    func itsTurnIsTold(turn: EffectItem.Turn, state: String, words: String) async throws {
        var item = Self.items[0]
        (item.turn, item.dueInMilliseconds, item.attempts, item.error) = (turn, 0, 2, nil)
        let listed = await CommandHarness().run("effects", answers: [.value(Page(items: [item]))])
        #expect(listed.output.contains("task:stock   \(state)   "))
        var shown = Sample.instance("order-1")
        shown.waitsFor = [item]
        let outcome = await CommandHarness().run("show", "order-1", answers: [.value(shown)])
        #expect(outcome.output.hasSuffix("waits for: packing of task:stock, \(words)\n"), "\(outcome.output)")
    }

    @Test func filtersAreAskedForAndPagesFollowed() async {
        let item = Self.items[1]
        let transport = ScriptedTransport([
            .value(Page(items: [item], nextPage: "n")), .value(Page(items: [item])),
        ])
        let (outcome, _) = await CommandHarness().run(
            ["effects", "--queue", "post", "--state", "leased", "--limit", "2", "-o", "jsonl"], transport: transport)
        #expect(
            transport.requests.map(\.target) == [
                "/v1/effects?queue=post&state=leased&limit=2", "/v1/effects?queue=post&state=leased&limit=1&page=n",
            ])
        #expect(outcome.output.split(separator: "\n").count == 2 && outcome.exit == 0)
    }

    @Test func queuesAndStatesAddUp() async {
        let transport = ScriptedTransport([.value(Page<EffectItem>(items: [])), .value(Page<EffectItem>(items: []))])
        let filters = ["--queue", "post", "--queue", "mail", "--state", "failed", "--state", "held"]
        _ = await CommandHarness().run(["effects"] + filters, transport: transport)
        let (outcome, _) = await CommandHarness().run(
            ["effects", "cancel", "--all", "--reason", "r", "--yes"] + filters, transport: transport)
        let target = "/v1/effects?queue=post&queue=mail&state=failed&state=held&limit=500"
        #expect(transport.requests.map(\.target) == [target, target])
        #expect(outcome.errors.contains("note: no effect of queue 'post' or 'mail' is failed or held\n"), "\(outcome)")
    }

    @Test func manyAreRefusedWithoutAWord() async {
        let transport = ScriptedTransport([.value(Page(items: Array(repeating: Self.items[1], count: 101)))])
        let line = ["effects", "cancel", "--all", "--queue", "post", "--reason", "r"]
        let (outcome, _) = await CommandHarness().run(line, transport: transport)
        #expect(
            outcome.exit == 64
                && outcome.errors.hasPrefix("error: More than 100 effects are selected; nothing was done\n"),
            "\(outcome)")
        #expect(transport.requests.count == 1)
        let one = await CommandHarness().run("effects", "cancel", "o", "packing", "--yes")
        #expect(one.exit == 64 && one.errors.contains("'--yes' needs '--all'"), "\(one)")
    }

    @Test func noneAreAnEmptyTable() async {
        let outcome = await CommandHarness().run("effects", answers: [.value(Page<EffectItem>(items: []))])
        #expect(outcome.output == "INSTANCE   ID   QUEUE   STATE   DUE   ATTEMPTS   WORKER\n")
    }

    @Test(arguments: [["effects", "--state", "gone"], ["effects", "--limit", "0"]])
    func aWrongCommandIsRefused(arguments: [String]) async {
        let (outcome, _) = await CommandHarness().run(arguments, transport: ScriptedTransport([]))
        #expect(outcome.exit == 64)
    }
}
