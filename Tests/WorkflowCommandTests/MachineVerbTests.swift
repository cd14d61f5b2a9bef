import Testing
import WorkflowAPI
import WorkflowClient
import WorkflowClientTesting
import WorkflowJSON

/// Tests verbs for a machine itself: the requests and the output.
struct MachineVerbTests {
    /// Returns the paths and bodies of the requests, and the output.
    private static func told(
        _ arguments: [String], _ answers: ScriptedTransport.Step...
    ) async -> (asked: [String], outcome: CommandHarness.Outcome) {
        let transport = ScriptedTransport(answers)
        let (outcome, _) = await CommandHarness().run(arguments, transport: transport)
        let asked = transport.requests.map { request in
            let body = request.body.map { " " + String(decoding: $0.bytes, as: UTF8.self) } ?? ""
            return request.target + body
        }
        return (asked, outcome)
    }

    private static let suspension = MachineSuspensionItem(
        machine: "order", at: WireTime(milliseconds: 0), actor: "ops", reason: "OPS-14")

    private static func settings(
        suspended: MachineSuspensionItem? = nil, retention: Int64? = nil, instances: Int64? = nil, run: String? = nil,
        dryRun: Bool? = nil
    ) -> ScriptedTransport.Step {
        .value(
            MachineSettingsItem(
                machine: "order", latest: 2, active: .latest, suspended: suspended, retentionInMilliseconds: retention,
                instances: instances, run: run, dryRun: dryRun))
    }

    private static func run(_ counts: BulkCounts) -> ScriptedTransport.Step {
        let time = WireTime(milliseconds: 0)
        let run = BulkRun(
            run: "ops-14", action: BulkAction(.resume),
            select: BulkSelect(machines: ["order"], suspendedBy: BulkSelect.byMachine), state: .done,
            selected: counts.done + counts.refused, counts: counts, begunAt: time, updatedAt: time)
        return .lines([JSONWriter.string(BulkLine.run(run))])
    }

    @Test func aMachineAloneIsSuspendedItself() async {
        let (asked, outcome) = await Self.told(
            ["suspend", "--machine", "order", "--reason", "OPS-14"],
            Self.settings(suspended: Self.suspension, instances: 1_204))
        #expect(asked == [#"/v1/machines/order/suspend {"reason":"OPS-14"}"#])
        #expect(
            outcome
                == .init(exit: 0, output: "order: suspended; 1,204 running instances take nothing\n", errors: ""))
        let (_, rehearsed) = await Self.told(
            ["suspend", "--machine", "order", "--dry-run"], Self.settings(instances: 1, dryRun: true))
        #expect(rehearsed.output == "order: would be suspended; 1 running instance would take nothing\n")
    }

    @Test func aResumeFollowsItsRun() async {
        let (asked, outcome) = await Self.told(
            ["resume", "--machine", "order", "--run", "ops-14", "--reason", "OPS-14"],
            Self.settings(instances: 88, run: "ops-14"), Self.run(BulkCounts(done: 88)))
        #expect(
            asked == [
                #"/v1/machines/order/resume {"run":"ops-14","reason":"OPS-14"}"#,
                #"/v1/bulk {"run":"ops-14","action":{"verb":"resume"},"#
                    + #""select":{"machine":"order","suspendedBy":"machine"},"reason":"OPS-14"}"#,
            ])
        #expect(
            outcome
                == .init(exit: 0, output: "ops-14: 88 of 88: 88 went on\n", errors: "order: resumed; run: ops-14\n"))
        let (_, refused) = await Self.told(
            ["resume", "--machine", "order", "--run", "ops-14"], Self.settings(instances: 2, run: "ops-14"),
            Self.run(BulkCounts(done: 1, refused: 1)))
        #expect(refused.exit == 5 && refused.output == "ops-14: 2 of 2: 1 went on, 1 refused\n")
        let (rehearsal, rehearsed) = await Self.told(
            ["resume", "--machine", "order", "--dry-run"], Self.settings(instances: 1, dryRun: true))
        #expect(rehearsal == [#"/v1/machines/order/resume {"dryRun":true}"#])
        #expect(rehearsed.output == "order: would be resumed; 1 suspended instance would go on\n")
    }

    /// Anything else that selects makes it a run over instances.
    @Test(arguments: [
        (["--all"], #"{"machine":"order"}"#), (["--state", "paid"], #"{"machine":"order","state":"paid"}"#),
        (["--from", "1"], #"{"machine":"order","version":1}"#),
        (["--status", "running"], #"{"machine":"order","status":"running"}"#),
        (["--older-than", "2d"], #"{"machine":"order","olderThan":"2d"}"#),
        (["--failure", "x"], #"{"machine":"order","failure":"x"}"#),
        (["--prefix", "o-1"], #"{"machine":"order","prefix":"o-1"}"#),
        (["--where", "context.n > 1"], #"{"machine":"order","where":"context.n > 1"}"#),
    ])
    func moreThanAMachineIsARun(_ more: [String], _ select: String) async {
        for verb in ["suspend", "resume"] {
            let (asked, outcome) = await Self.told(
                [verb, "--machine", "order", "--run", "ops-14", "--yes"] + more, Self.run(BulkCounts(done: 1)))
            #expect(asked == [#"/v1/bulk {"run":"ops-14","action":{"verb":"\#(verb)"},"select":\#(select)}"#])
            #expect(outcome.exit == 0)
        }
    }

    @Test(arguments: [
        (["suspend", "--machine", "o", "--run", "r"], "'suspend --machine' begins no run, so '--run' needs '--all'"),
        (
            ["suspend", "--machine", "o", "--expect", "abcdef"],
            "'--expect' goes with a selection, such as '--all' or '--state'"
        ),
        (
            ["resume", "--machine", "o", "--expect", "abcdef"],
            "'--expect' goes with a selection, such as '--all' or '--state'"
        ),
        (["suspend", "--all", "--state", "a"], "'--all' selects all instances: only '--machine' may accompany it"),
        (
            ["machine", "set", "o", "--retention", "soon"],
            "'--retention': 'soon' is no delay; one is written such as 250ms"
        ),
        (["machine", "set", "o", "--retention", "1"], "'--retention': '1' has no unit; write 90d, 36h or another"),
        (["purge", "--finished-before", "1", "--reason", "r"], "'--finished-before': '1' has no unit"),
        (["list", "--older-than", "2"], "'--older-than': '2' has no unit"),
        (["retry", "--older-than", "soon"], "'--older-than': 'soon' is no delay"),
    ])
    func wrongOptionsAreTold(_ arguments: [String], _ message: String) async {
        let (asked, outcome) = await Self.told(arguments)
        #expect(asked == [] && outcome.exit == 64)
        #expect(outcome.errors.hasPrefix("error: \(message)"), "\(outcome.errors)")
    }

    @Test func aRetentionIsSetTakenBackAndRehearsed() async {
        let (asked, outcome) = await Self.told(
            ["machine", "set", "order", "--retention", "90d"], Self.settings(retention: 90 * 86_400_000))
        #expect(asked == [#"/v1/machines/order/retention {"retention":"90d"}"#])
        #expect(outcome == .init(exit: 0, output: "order: finished instances are kept for 90d\n", errors: ""))
        let (taken, back) = await Self.told(["machine", "set", "order", "--retention", "none"], Self.settings())
        #expect(taken == [#"/v1/machines/order/retention {"retention":"none"}"#])
        #expect(back.output == "order: finished instances are kept\n")
        let (_, rehearsed) = await Self.told(
            ["machine", "set", "order", "--retention", "1h", "--dry-run"],
            Self.settings(instances: 1_000, dryRun: true))
        #expect(rehearsed.output == "order: 1,000 instances would be deleted now\n")
    }

    @Test func aMachineIsShownWithWhatIsSetForIt() async {
        let machine = MachineSummary(
            machine: "order", version: 1, semantics: 2, suspended: Self.suspension,
            retentionInMilliseconds: 3_600_000, digest: "d", createdAt: WireTime(milliseconds: 0))
        let (_, outcome) = await Self.told(
            ["machine", "show", "order"], .value(machine), .value(Page<TallyItem>(items: [])))
        #expect(
            outcome.output == """
                VERSION   NEW INSTANCES   RUNNING   FAILED   SUSPENDED   DONE   CANCELLED
                1         suspended       0         0        0           0      0

                """)
        #expect(
            outcome.errors == """
                order is suspended since 1970-01-01T00:00:00.000Z by ops (OPS-14): \
                'wfctl resume --machine order' lets it go on
                finished instances are deleted 1h after the last that came to them

                """)
    }
}
