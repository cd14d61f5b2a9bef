import Testing
import WorkflowAPI
import WorkflowClient
import WorkflowClientTesting

/// Tests `wfctl stats`.
struct StatsVerbTests {
    private static func stats(_ complete: Bool, others: OtherStats? = nil) -> MachineStats {
        MachineStats(
            machine: "order", since: Sample.time, complete: complete, progress: .init(done: 40, total: 90), rows: 40,
            read: 40,
            states: [
                StateStats(
                    state: "draft", visits: 9, stays: 8, p50InMilliseconds: 250, p95InMilliseconds: 7_260_000,
                    longest: .init(instance: "o-1", since: Sample.time, sinceInMilliseconds: 86_400_000)),
                StateStats(state: "review.legal", visits: 1, stays: 0),
            ],
            transitions: [
                TransitionStats(event: "init", from: [], to: ["draft"], count: 9),
                TransitionStats(event: "submit", from: ["draft"], to: ["review.legal", "review.money"], count: 8),
            ],
            failures: [
                FailureStats(
                    event: "pay", type: .expressionFailed, state: "", line: 4, expression: "assign x", message: "no",
                    count: 3), FailureStats(event: "pay", count: 1),
            ], others: others)
    }

    @Test func tablesAreShownOnceAllIsCounted() async {
        let transport = ScriptedTransport([.value(Self.stats(false)), .value(Self.stats(true))])
        let since = Sample.time.text
        let (outcome, _) = await CommandHarness().run(
            ["stats", "order", "--since", since, "--version", "2"], transport: transport)
        #expect(
            outcome.output == """
                STATE          VISITS   STAYS   P50     P95     LONGEST NOW
                draft          9        8       250ms   2h 1m   o-1 1d
                review.legal   1        0       -       -       -

                COUNT   EVENT    FROM    TO
                9       init     -       draft
                8       submit   draft   review.legal, review.money

                FAILED   EVENT   AT                WHY
                3        pay     machine, line 4   no
                1        pay                       (redacted)

                40 rows since \(since)

                """)
        #expect(outcome.errors == "" && outcome.exit == 0)
        let target = "/v1/machines/order/stats?since=\(since.replacing(":", with: "%3A"))&version=2"
        #expect(transport.requests.map(\.target) == [target, target])
    }

    @Test func whatIsNotListedIsSaid() async {
        let stats = Self.stats(true, others: .init(states: 1, transitions: 2, failures: 3))
        let outcome = await CommandHarness().run("stats", "order", answers: [.value(stats)])
        #expect(
            outcome.output.hasSuffix(
                "not listed: 1 rows with other states, 2 with other transitions, 3 with other failures\n"))
        let json = await CommandHarness().run("stats", "order", "-o", "jsonl", answers: [.value(stats)])
        #expect(json.output.contains(#""others":{"states":1,"transitions":2,"failures":3}"#))
    }

    @Test func timesAreChecked() async {
        let outcome = await CommandHarness().run("stats", "order", "--since", "soon")
        #expect(outcome.exit == 64 && outcome.errors.contains("'--since' takes a time"))
    }
}
