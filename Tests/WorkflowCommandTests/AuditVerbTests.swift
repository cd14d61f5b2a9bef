import Testing
import WorkflowAPI
import WorkflowClient
import WorkflowClientTesting

/// Tests `audit`: the requests and the output.
struct AuditVerbTests {
    private static func run(
        _ arguments: [String], _ answers: [ScriptedTransport.Step]
    ) async -> (asked: [String], outcome: CommandHarness.Outcome) {
        let transport = ScriptedTransport(answers)
        let (outcome, _) = await CommandHarness().run(["audit"] + arguments, transport: transport)
        return (transport.requests.map(\.target), outcome)
    }

    private static func at(_ second: Int64) -> WireTime { WireTime(milliseconds: Sample.time.milliseconds + second) }

    @Test func whoDidWhat() async {
        let items = [
            AuditItem(
                .token, object: "shop", detail: "created: send, work, until 2027-02-24", at: Self.at(3),
                actor: "uid:1000(ops)"),
            AuditItem(.apply, object: "order", version: 7, at: Self.at(2), actor: "token:ci"),
            AuditItem(.suspend, object: "order", at: Self.at(1), reason: "OPS-1"),
            AuditItem(.activate, object: "order", version: 6, detail: "active: 6", at: Self.at(1), actor: "token:ci"),
            AuditItem(
                .delete, version: 6, uuid: "01a3de3f", machine: "order", rows: 3, digest: "e3462f197be9aa",
                at: Self.at(0), actor: "retention"),
            AuditItem(.runBegin, object: "r", detail: "retry: 3 instances", at: Self.at(0), reason: "OPS-2"),
        ]
        let (asked, outcome) = await Self.run([], [.value(Page(items: items))])
        #expect(asked == ["/v1/audit?limit=500"])
        #expect(
            outcome.output == """
                AT                         ACTOR           ACTION      OBJECT     REASON
                2026-07-31T09:30:00.126Z   uid:1000(ops)   token       shop       created: send, work, until 2027-02-24
                2026-07-31T09:30:00.125Z   token:ci        apply       order 7    -
                2026-07-31T09:30:00.124Z   -               suspend     order      OPS-1
                2026-07-31T09:30:00.124Z   token:ci        activate    order      active: 6
                2026-07-31T09:30:00.123Z   retention       delete      01a3de3f   -
                2026-07-31T09:30:00.123Z   -               run-begin   r          retry: 3 instances; OPS-2

                """)
        let (_, deletions) = await Self.run(["--action", "delete"], [.value(Page(items: [items[4]]))])
        #expect(
            deletions.output == """
                AT                         UUID       MACHINE   VERSION   ROWS   DIGEST         ACTOR       REASON
                2026-07-31T09:30:00.123Z   01a3de3f   order     6         3      e3462f197be9   retention   -

                """)
    }

    @Test(arguments: [
        (
            ["--actor", "uid:1000(ops)", "--action", "run-begin"],
            "?action=run-begin&actor=uid%3A1000%28ops%29&limit=500"
        ),
        (["--since", "2026-07-31"], "?since=2026-07-31T00%3A00%3A00.000Z&limit=500"),
        (["--since", "2026-07-31T09:30:00Z", "--limit", "3"], "?since=2026-07-31T09%3A30%3A00.000Z&limit=3"),
        (["--since", "2026-07-31T09:30:00.123Z"], "?since=2026-07-31T09%3A30%3A00.123Z&limit=500"),
    ])
    func whatIsAsked(arguments: [String], query: String) async {
        let (asked, outcome) = await Self.run(arguments, [.value(Page<AuditItem>(items: []))])
        #expect(asked == ["/v1/audit" + query] && outcome.exit == 0, "\(asked) \(outcome)")
    }

    /// A span counts from wfd's clock. A page without items may have a next one.
    @Test func aSpanCountsBackFromNow() async {
        let item = AuditItem(.hold, at: Sample.time)
        let (asked, outcome) = await Self.run(
            ["--since", "1d", "-o", "jsonl"],
            [
                .value(ClockStatus(clock: .virtual, now: Sample.time)),
                .value(Page<AuditItem>(items: [], nextPage: "n")), .value(Page(items: [item])),
            ])
        let since = "since=2026-07-30T09%3A30%3A00.123Z&limit=500"
        #expect(asked == ["/v1/clock", "/v1/audit?\(since)", "/v1/audit?\(since)&page=n"], "\(asked)")
        #expect(outcome.output == #"{"action":"hold","at":"2026-07-31T09:30:00.123Z"}"# + "\n")
    }

    @Test(arguments: [
        (["--since", "yesterday"], "'--since' takes a time, such as 2026-07-31 or 2026-07-31T09:30:00Z, or a span"),
        (["--since", "2026-13-01"], "'--since' takes a time"), (["--since", "7"], "'--since' takes a time"),
        (["--action", "edit"], "it must be one of 'delete', 'apply', 'activate'"),
    ])
    func aWrongOptionIsNamed(arguments: [String], message: String) async {
        let (asked, outcome) = await Self.run(arguments, [])
        #expect(asked.isEmpty && outcome.exit == 64 && outcome.errors.contains(message), "\(outcome)")
    }
}
