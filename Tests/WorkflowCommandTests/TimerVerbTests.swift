import Testing
import WorkflowAPI
import WorkflowClient
import WorkflowClientTesting
import WorkflowJSON

/// Tests `timers`, `clock` and `--key`: the requests and the output.
struct TimerVerbTests {
    private static let due = Sample.time

    @Test func timersSayWhatIsNextAndWhatIsLate() async {
        let items = [
            TimerItem(instance: "order-1", event: "after.P3D.review", due: Self.due, dueInMilliseconds: -90_000),
            TimerItem(instance: "order-2", event: "remind", due: Self.due, dueInMilliseconds: 259_200_250),
        ]
        let outcome = await CommandHarness().run("timers", answers: [.value(Page(items: items))])
        #expect(
            outcome.output == """
                DUE                        IN              INSTANCE   EVENT
                2026-07-31T09:30:00.123Z   late by 1m30s   order-1    after.P3D.review
                2026-07-31T09:30:00.123Z   3d250ms         order-2    remind

                """)
    }

    @Test func timersOfAnInstanceTellWhatEndsThem() async throws {
        let items = [
            TimerItem(
                instance: "o", event: "after.1h.review", due: Self.due, dueInMilliseconds: 0, state: "review",
                skipMilliseconds: 3_600_000),
            TimerItem(
                instance: "o", event: "after.2h.review", due: Self.due, dueInMilliseconds: 0, state: "review",
                skipMilliseconds: 600_000, rearms: true),
            TimerItem(instance: "o", event: "after.1d.order", due: Self.due, dueInMilliseconds: 1_000, state: ""),
            TimerItem(
                instance: "o", event: "remind", due: Self.due, dueInMilliseconds: -1, id: "x", waits: true),
            TimerItem(instance: "o", event: "step", due: Self.due, dueInMilliseconds: 5),
        ]
        let transport = ScriptedTransport([.value(Page(items: items))])
        let (outcome, _) = await CommandHarness().run(["timers", "o"], transport: transport)
        #expect(transport.requests.map(\.target) == ["/v1/instances/o/timers"])
        #expect(
            outcome.output == """
                DUE                        IN              INSTANCE   EVENT             ENDS WITH             MISFIRE
                2026-07-31T09:30:00.123Z   0s              o          after.1h.review   leaving review        skip after 1h
                2026-07-31T09:30:00.123Z   0s              o          after.2h.review   leaving review        next after 10m
                2026-07-31T09:30:00.123Z   1s              o          after.1d.order    leaving the machine   fire
                2026-07-31T09:30:00.123Z   waits: failed   o          remind            cancel x              fire
                2026-07-31T09:30:00.123Z   5ms             o          step              -                     fire

                """)
    }

    @Test func timersOfAllAreReadPageByPage() async throws {
        let item = TimerItem(instance: "o", event: "e", due: Self.due, dueInMilliseconds: 0)
        let transport = ScriptedTransport([
            .value(Page(items: [item, item], nextPage: "next")), .value(Page(items: [item])),
        ])
        let (outcome, _) = await CommandHarness().run(["timers", "--limit", "3", "-o", "jsonl"], transport: transport)
        #expect(transport.requests.map(\.target) == ["/v1/timers?limit=3", "/v1/timers?limit=1&page=next"])
        #expect(outcome.output.split(separator: "\n").count == 3)
    }

    @Test func theClockIsShown() async {
        let answer = ScriptedTransport.Step.value(ClockStatus(clock: .real, now: Self.due))
        let outcome = await CommandHarness().run("clock", answers: [answer])
        #expect(outcome == .init(exit: 0, output: "2026-07-31T09:30:00.123Z   (real)\n", errors: ""))
    }

    /// The request has a time and not a distance, and is repeated as long as there are timers on the way.
    @Test func theClockIsMovedUntilItIsThere() async throws {
        let target = WireTime(milliseconds: Self.due.milliseconds + 86_400_000)
        let halfway = WireTime(milliseconds: Self.due.milliseconds + 1_000)
        let transport = ScriptedTransport([
            .value(ClockStatus(clock: .virtual, now: Self.due)),
            .value(ClockStatus(clock: .virtual, now: halfway, fired: 10_000, done: false)),
            .failure(.answerLost(.unix(path: "/run/test.sock"), reason: "closed")),
            .value(ClockStatus(clock: .virtual, now: target, fired: 1, done: true)),
        ])
        let (outcome, _) = await CommandHarness().run(["clock", "advance", "1d"], transport: transport)
        #expect(
            outcome
                == .init(
                    exit: 0, output: "2026-08-01T09:30:00.123Z   (10001 timers fired)\n",
                    errors: "2026-07-31T09:30:01.123Z: 10000 timers fired so far\n"))
        let bodies = transport.requests.dropFirst().map { String(decoding: $0.body?.bytes ?? [], as: UTF8.self) }
        #expect(bodies == Array(repeating: #"{"to":"2026-08-01T09:30:00.123Z","stopAtTasks":true}"#, count: 3))
    }

    /// The output has commands for the rest of the way, with workers and without.
    @Test func theClockStopsForWorkers() async throws {
        let target = WireTime(milliseconds: Self.due.milliseconds + 3_600_000)
        let stop = WireTime(milliseconds: Self.due.milliseconds + 1_320_000)
        let transport = ScriptedTransport([
            .value(ClockStatus(clock: .virtual, now: Self.due)),
            .value(ClockStatus(clock: .virtual, now: stop, fired: 2, done: false, tasks: ["task:pack", "task:ship"])),
        ])
        let (outcome, _) = await CommandHarness().run(["clock", "advance", "1h"], transport: transport)
        #expect(
            outcome
                == .init(
                    exit: 75, output: "2026-07-31T09:52:00.123Z   (2 timers fired)\n",
                    errors: """
                        error: The clock stopped 38m before its goal: a task is ready or leased in 'task:pack', \
                        'task:ship'
                          let workers end it, then 'wfctl clock advance 38m'
                          'wfctl clock advance 38m --no-tasks' goes on without them

                        """))
        let without = ScriptedTransport([
            .value(ClockStatus(clock: .virtual, now: Self.due)),
            .value(ClockStatus(clock: .virtual, now: target, fired: 2, done: true)),
        ])
        let (passed, _) = await CommandHarness().run(["clock", "advance", "1h", "--no-tasks"], transport: without)
        #expect(passed.exit == 0, "\(passed)")
        let body = without.requests.last.map { String(decoding: $0.body?.bytes ?? [], as: UTF8.self) }
        #expect(body == #"{"to":"2026-07-31T10:30:00.123Z"}"#)
    }

    @Test(arguments: [
        ["clock", "advance"], ["clock", "advance", "soon"], ["clock", "back", "1d"], ["clock", "--no-tasks"],
    ])
    func aClockIsMovedByADelayOnly(arguments: [String]) async {
        let transport = ScriptedTransport([])
        let (outcome, _) = await CommandHarness().run(arguments, transport: transport)
        #expect(outcome.exit == 64 && transport.requests.isEmpty)
    }

    // MARK: Keys

    private static let lost = ScriptedTransport.Step.failure(
        .answerLost(.unix(path: "/run/test.sock"), reason: "closed"))

    private static func keys(_ transport: ScriptedTransport) -> [String?] {
        transport.requests.map(\.key)
    }

    @Test(arguments: [[], ["--key", "my key"]], [true, false])
    func anUnknownOutcomeIsAskedForAgainWithTheSameKey(option: [String], isLost: Bool) async {
        // One failure only: the patience is in real time, and this machine may be slow.
        let unknown = isLost ? Self.lost : .problem(Problem(.outcomeUnknown, detail: "Unknown"))
        let transport = ScriptedTransport([unknown, .value(Sample.sent)])
        let (outcome, _) = await CommandHarness().run(["send", "order-1042", "pay"] + option, transport: transport)
        #expect(outcome.exit == 0 && outcome.errors.isEmpty)
        #expect(Self.keys(transport) == Array(repeating: option.last ?? Sample.key, count: 2))
    }

    @Test func aRefusalIsNotAskedAgain() async {
        let transport = ScriptedTransport([.problem(Problem(.overloaded, detail: "Full"))])
        let (outcome, _) = await CommandHarness().run(["start", "order"], transport: transport)
        #expect(
            outcome
                == .init(
                    exit: 75, output: "",
                    errors: "error: Full\n  send it again later\n"))
        #expect(Self.keys(transport) == [Sample.key])
    }

    @Test func whatTheDetailSaysIsNotSaidTwice() async {
        let draining = Problem(.draining, detail: "The daemon is stopping; nothing was changed")
        let (outcome, _) = await CommandHarness().run(
            ["start", "order"], transport: ScriptedTransport([.problem(draining)]))
        #expect(
            outcome
                == .init(
                    exit: 75, output: "",
                    errors: "error: The daemon is stopping; nothing was changed\n  send it again later\n"))
    }

    @Test func aDryRunHasNoKey() async {
        let transport = ScriptedTransport([.value(Sample.sent)])
        _ = await CommandHarness().run(["send", "o", "pay", "--dry-run"], transport: transport)
        #expect(Self.keys(transport) == [nil])
    }

    /// The answer does not tell if the request was carried out, so the key is printed, to ask again.
    @Test(.timeLimit(.minutes(20)), arguments: [["start", "order", "order-1"], ["send", "order-1", "pay"]])
    func whoIsNotToldGetsTheKey(arguments: [String]) async {
        let transport = ScriptedTransport(
            Array(repeating: .problem(Problem(.outcomeUnknown, detail: "The outcome is unknown")), count: 100))
        let (outcome, _) = await CommandHarness().run(arguments, transport: transport)
        #expect(
            outcome
                == .init(
                    exit: 75, output: "",
                    errors: """
                        error: The outcome is unknown
                          with '--key \(Sample.key)' the same command reports the outcome, and does nothing twice

                        """))
        #expect(Set(Self.keys(transport)) == [Sample.key] && (2...5).contains(transport.requests.count))
    }

    @Test(arguments: ["", "é", String(repeating: "x", count: 201)])
    func aKeyThatIsNoneIsRefused(key: String) async {
        let outcome = await CommandHarness().run("send", "o", "pay", "--key", key)
        #expect(outcome.exit == 64)
        #expect(
            outcome.errors.contains("'--key' must be 1 to 200 printable ASCII characters; a UUID of version 7 is best"))
    }
}
