import Testing
import WorkflowAPI
import WorkflowClient
import WorkflowClientTesting

/// Tests operators' questions about many instances.
struct CountVerbTests {
    private static let day: Int64 = 86_400_000

    private static func failure(_ count: Int64, since days: Int64, state: String? = "packing") -> FailureItem {
        FailureItem(
            machine: "order", version: 1, count: count, since: Sample.time,
            sinceInMilliseconds: days * day + 4 * 3_600_000, instance: "order-1", event: "after.2d.packing",
            type: state == nil ? .livelock : .expressionFailed, state: state, line: state == nil ? nil : 31,
            expression: state == nil ? nil : "assign x", message: "no such overload: string + int")
    }

    @Test func failuresAreShownByTheirReason() async {
        let items = [
            Self.failure(88, since: 2), Self.failure(2, since: 0, state: ""), Self.failure(1, since: 0, state: nil),
        ]
        let transport = ScriptedTransport([.value(FailureList(items: items, others: 7, redacted: 2))])
        let (outcome, _) = await CommandHarness().run(["failures", "--machine", "order"], transport: transport)
        #expect(
            outcome.output == """
                MACHINE   V   COUNT   SINCE   EVENT              AT                 WHY
                order     1   88      2d 4h   after.2d.packing   packing, line 31   no such overload: string + int
                order     1   2       4h      after.2d.packing   machine, line 31   no such overload: string + int
                order     1   1       4h      after.2d.packing                      no such overload: string + int

                """)
        #expect(
            outcome.errors == """
                note: 7 more have failed for still other reasons
                note: 2 more have failed for a redacted reason; 'wfctl list --status failed' has them

                """)
        #expect(transport.requests.map(\.target) == ["/v1/failures?machine=order"])
    }

    @Test func aFailureOfAnEarlierVersionSaysSo() async {
        var moved = Self.failure(3, since: 1)
        moved.version = 3
        moved.failedVersion = 1
        let outcome = await CommandHarness().run("failures", answers: [.value(FailureList(items: [moved]))])
        #expect(outcome.output.contains("   3   3 ") && outcome.output.contains(" packing, line 31 of version 1 "))
    }

    @Test func theTallyIsAListOfPages() async {
        func item(_ status: Instance.Status, _ configuration: [String], _ count: Int64) -> TallyItem {
            TallyItem(
                machine: "order", version: 2, semantics: 2, status: status, configuration: configuration, count: count)
        }
        let transport = ScriptedTransport([
            .value(Page(items: [item(.failed, ["packing"], 88)], nextPage: "p2")),
            .value(Page(items: [item(.running, ["a.b", "c"], 1_204)])),
        ])
        let (outcome, _) = await CommandHarness().run(["tally", "order"], transport: transport)
        #expect(
            outcome.output == """
                MACHINE   VERSION   STATUS    STATE     COUNT
                order     2         failed    packing   88
                order     2         running   a.b, c    1204

                """)
        #expect(
            transport.requests.map(\.target) == [
                "/v1/tally?machine=order&limit=500", "/v1/tally?machine=order&limit=500&page=p2",
            ])
    }

    @Test func aListByAgeShowsHowLong() async {
        var old = Sample.instance("order-1042", configuration: ["review.legal.pending"], seq: 4)
        old.inState = 2 * Self.day + 7 * 3_600_000 + 59_000
        let transport = ScriptedTransport([.value(Page(items: [old]))])
        let arguments = ["list", "--machine", "order", "--state", "review", "--older-than", "2d", "--sort", "age"]
        let (outcome, _) = await CommandHarness().run(arguments, transport: transport)
        #expect(
            outcome.output == """
                INSTANCE     STATE                  IN STATE   SEQ   STATUS
                order-1042   review.legal.pending   2d 7h      4     running

                """)
        #expect(outcome.errors.isEmpty)
        #expect(
            transport.requests.map(\.target)
                == ["/v1/instances?machine=order&state=review&olderThan=2d&sort=age&limit=500"])
        let all = ScriptedTransport([.value(Page(items: [old]))])
        let (ofAll, _) = await CommandHarness().run(["list", "--sort", "age"], transport: all)
        #expect(ofAll.output.hasPrefix("INSTANCE     MACHINE   STATE"))
    }

    @Test func aSearchSaysWhatHasNoValue() async {
        let first = InstanceSearch.Failed(instance: "order-7", message: "no such key: 'customer'")
        let transport = ScriptedTransport([
            .value(InstancePage(items: [], nextPage: "p", search: InstanceSearch(examined: 20_000))),
            .value(
                InstancePage(
                    items: [Sample.instance("order-1042", seq: 4)],
                    search: InstanceSearch(examined: 500, failed: 2, first: first))),
        ])
        let arguments = ["list", "--prefix", "order", "--where", "context.customer == 'c-17'", "--limit", "5"]
        let (outcome, _) = await CommandHarness().run(arguments, transport: transport)
        #expect(outcome.exit == 0 && outcome.output.contains("order-1042"))
        #expect(
            outcome.errors == """
                note: the expression has no value for 2 of 20,500 instances, which are left out; 'order-7': \
                no such key: 'customer'

                """)
        let query = "prefix=order&where=context.customer%20%3D%3D%20%27c-17%27&limit=5"
        #expect(transport.requests.map(\.target) == ["/v1/instances?\(query)", "/v1/instances?\(query)&page=p"])
        let sorted = await CommandHarness().run("list", "--where", "true", "--sort", "age")
        #expect(sorted.exit == 64 && sorted.errors.contains("'--sort' can only be 'name'"))
    }

    @Test func aListOfWhatIsAheadShowsItsTimes() async {
        let transport = ScriptedTransport([.value(Page(items: [Sample.instance("order-1042", seq: 4)]))])
        let (outcome, _) = await CommandHarness().run(["list", "--ahead"], transport: transport)
        #expect(outcome.exit == 0 && outcome.output.contains("UPDATED"), "\(outcome)")
        #expect(transport.requests.map(\.target) == ["/v1/instances?ahead=true&limit=500"])
    }

    @Test func whatIsSelectedTwiceAddsUpOrIsRefused() async {
        let transport = ScriptedTransport([.value(Page<Instance>(items: []))])
        let both = [
            "list", "--status", "failed", "--status", "suspended", "--failure", "a", "--failure=b", "--machine", "m",
            "--machine=n",
        ]
        let (outcome, _) = await CommandHarness().run(both, transport: transport)
        #expect(outcome.exit == 0, "\(outcome)")
        #expect(
            transport.requests.map(\.target)
                == ["/v1/instances?machine=m&machine=n&status=failed&status=suspended&failure=a&failure=b&limit=500"])
        let spans = await CommandHarness().run("list", "--older-than", "1h", "--older-than=2h")
        #expect(
            spans == .init(exit: 64, output: "", errors: "error: '--older-than' is given twice, but takes one value\n"))
        let counts = ScriptedTransport([.value(FailureList(items: [])), .value(Page<TallyItem>(items: []))])
        _ = await CommandHarness().run(["failures", "--machine", "m", "--machine", "n"], transport: counts)
        _ = await CommandHarness().run(["tally", "m", "n"], transport: counts)
        #expect(
            counts.requests.map(\.target)
                == ["/v1/failures?machine=m&machine=n", "/v1/tally?machine=m&machine=n&limit=500"])
        // A shell alias may bring `-o json`, and a later option overrides it.
        let again = ScriptedTransport([.value(Page<Instance>(items: []))])
        let (overridden, _) = await CommandHarness().run(["list", "-o", "json", "--output", "jsonl"], transport: again)
        #expect(overridden.exit == 0)
    }

    /// A sorted list needs a pass over all instances for each page.
    @Test func aSortedListEndsByItself() async {
        let pages = (0..<3).map { page in
            Page(items: (0..<500).map { Sample.instance("i-\(page)-\($0)") }, nextPage: "p\(page)")
        }
        let transport = ScriptedTransport(pages.map { .value($0) })
        let (outcome, _) = await CommandHarness().run(
            ["list", "--sort", "name", "--failure", "a b"], transport: transport)
        #expect(outcome.output.split(separator: "\n").count == 1_001)
        #expect(outcome.errors == "note: these are the first 1000; --limit sets the number\n")
        #expect(transport.requests.map(\.target)[0] == "/v1/instances?failure=a%20b&sort=name&limit=500")
        let bad = await CommandHarness().run("list", "--sort", "size")
        #expect(bad.exit == 64 && bad.errors.contains("it must be one of 'age', 'updated', 'name'"))
    }

    @Test func theStatusSaysWhatNeedsSomebody() async {
        let status = DaemonStatus(
            status: .ready, version: "1.2", behind: 90_000, waiting: 3,
            instances: [.init(status: .failed, count: 88), .init(status: .running, count: 1_204)],
            failures: [Self.failure(88, since: 2)], otherFailures: 2, redactedFailures: 3,
            disk: .init(file: 3 << 20, log: 512, free: 5 << 30), otherRuns: 55, lastBackupAt: Sample.time)
        let outcome = await CommandHarness().run("status", answers: [.value(status)])
        #expect(
            outcome.output == """
                status:    ready
                version:   1.2
                behind:    a timer is 1m 30s late, 3 commands wait
                instances: 88 failed, 1204 running
                failed:    88 of order version 1 on after.2d.packing, since 2d 4h: no such overload: string + int
                           2 more reasons: 'wfctl failures'
                           3 for a redacted reason: 'wfctl list --status failed'
                runs:      55 runs: 'wfctl bulk list'
                disk:      3.0 MiB, log 512 B, 5.0 GiB free
                backup:    2026-07-31T09:30:00.123Z

                """)
        #expect(outcome.exit == 0)
    }

    @Test func theStatusHasALineForAQueueThatStands() async {
        let paused = QueueSettingsItem(queue: "task:stock", paused: true)
        let status = DaemonStatus(
            status: .ready, version: "1.2", behind: 90_000, lateTimers: 12,
            queues: [
                QueueItem(
                    queue: "http:pay.example.com:443", failed: 3, held: 1_000,
                    settings: QueueSettingsItem(queue: "http:pay.example.com:443")),
                QueueItem(
                    queue: "task:stock", ready: 12, workers: 0, oldestDue: Sample.time,
                    oldestDueInMilliseconds: -7_200_000, settings: paused),
            ], otherQueues: 2)
        let outcome = await CommandHarness().run("status", answers: [.value(status)])
        #expect(
            outcome.output == """
                status:    ready
                version:   1.2
                behind:    12 timers are late, the first by 1m 30s
                instances: none
                queues:    http:pay.example.com:443: 3 failed, 1000+ held
                           task:stock: 12 ready, since 2h, paused, no worker asks
                           2 more queues: 'wfctl queues'
                backup:    none is known of

                """)
    }

    @Test func theStatusSaysSinceWhenAndWhyMachinesAreSuspended() async {
        var machines = (1...7).map { MachineSuspensionItem(machine: "m-\($0)", at: Sample.time) }
        machines[0].actor = "uid:0(root)"
        machines[0].reason = "OPS-14"
        let status = DaemonStatus(status: .ready, version: "1.2", suspendedMachines: machines)
        let lines = await CommandHarness().run("status", answers: [.value(status)]).output.split(separator: "\n")
        let since = "since 2026-07-31T09:30:00.123Z"
        #expect(
            lines.dropFirst(2).prefix(6) == [
                "suspended: m-1 \(since) by uid:0(root) (OPS-14): 'wfctl resume --machine m-1'",
                "           m-2 \(since): 'wfctl resume --machine m-2'",
                "           m-3 \(since): 'wfctl resume --machine m-3'",
                "           m-4 \(since): 'wfctl resume --machine m-4'",
                "           m-5 \(since): 'wfctl resume --machine m-5'",
                "           2 more machines: 'wfctl machines'",
            ])
    }

    private static func caller(_ role: Role) -> Whoami {
        Whoami(actor: "token:t", roles: [role], permissions: Array(role.permissions))
    }

    /// A caller who may not read sees numbers alone.
    @Test func theStatusPointsToWhatTheCallerMayDo() async {
        let status = DaemonStatus(
            status: .ready, version: "1.2", held: true,
            suspendedMachines: [MachineSuspensionItem(machine: "m", at: Sample.time)], otherFailures: 1,
            redactedFailures: 3, otherRuns: 2)
        let worker = await CommandHarness().run("status", answers: [.value(status), .value(Self.caller(.work))])
        #expect(
            worker.output == """
                status:    ready
                version:   1.2
                effects:   held: 'wfctl release' (needs the role 'operate') lets them start
                suspended: m since 2026-07-31T09:30:00.123Z: 'wfctl resume --machine m' (needs the role 'operate')
                behind:    nothing is late
                instances: none
                failed:    1 reason: 'wfctl failures' (needs the role 'view')
                           3 for a redacted reason: 'wfctl list --status failed' (needs the role 'view')
                runs:      2 runs: 'wfctl bulk list' (needs the role 'view')
                backup:    none is known of

                """)
        let onCall = await CommandHarness().run("status", answers: [.value(status), .value(Self.caller(.operate))])
        #expect(onCall.output.contains("'wfctl release' lets") && !onCall.output.contains("needs"))
        let viewer = await CommandHarness().run("status", answers: [.value(status), .value(Self.caller(.view))])
        #expect(viewer.output.contains("'wfctl release' (needs the role 'operate')"))
        #expect(viewer.output.contains("1 reason: 'wfctl failures'\n"))
        // A program has the fields alone, and nothing else is asked.
        let transport = ScriptedTransport([.value(status)])
        _ = await CommandHarness().run(["status", "-o", "json"], transport: transport)
        #expect(transport.requests.map(\.target) == ["/v1/status"])
    }

    /// The output has all known facts, and then the reason.
    @Test func aStatusThatIsNotReadyEndsAsARequestWould() async {
        let status = DaemonStatus(status: .storageUnavailable, reason: "disk full", version: "1")
        let problem = Problem(.storageUnavailable, detail: "Nothing can be written: disk full")
        let outcome = await CommandHarness().run(
            "status", answers: [.value(status), .value(Self.caller(.admin)), .problem(problem)])
        #expect(outcome.output.hasPrefix("status:    storage-unavailable: disk full\nversion:   1\n"))
        #expect(outcome.errors.contains("Nothing can be written: disk full"))
        #expect(outcome.exit == 75)
    }
}
