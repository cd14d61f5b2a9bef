import Testing
import WorkflowAPI
import WorkflowClient
import WorkflowClientTesting
import WorkflowJSON

/// Tests verbs with a selection: the requests and the output.
struct BulkVerbTests {
    private static func run(
        _ counts: BulkCounts, _ verb: BulkAction.Verb = .retry, state: BulkRun.State = .done, paused: String? = nil,
        told: [BulkTold]? = nil
    ) -> String {
        let time = WireTime(milliseconds: 0)
        var action = BulkAction(verb, event: verb == .send ? "pay" : nil)
        if verb == .undo { action.undone = "ops-11" }
        let run = BulkRun(
            run: "ops-12", action: action,
            select: BulkSelect(machines: ["order"], versions: [1], failures: ["x"]),
            state: state, paused: paused, selected: 1_602, counts: counts, told: told, begunAt: time, updatedAt: time)
        return JSONWriter.string(BulkLine.run(run))
    }

    private static func rehearsal(_ rehearsal: BulkRehearsal) -> String {
        JSONWriter.string(BulkLine.rehearsal(rehearsal))
    }

    /// Returns the body of the only request, and the output.
    private static func told(
        _ arguments: [String], _ lines: String..., files: [String: String] = [:]
    ) async -> (asked: String, outcome: CommandHarness.Outcome) {
        let transport = ScriptedTransport([.lines(lines)])
        var harness = CommandHarness()
        harness.files = files
        let (outcome, _) = await harness.run(arguments, transport: transport)
        let asked = transport.requests.map { $0.body.map { String(decoding: $0.bytes, as: UTF8.self) } ?? "" }
        return (asked.joined(separator: "; "), outcome)
    }

    @Test func aRehearsalTellsWhereAllWouldStand() async {
        typealias Group = BulkRehearsal.Group
        let found = BulkRehearsal(
            digest: "5f3c9a" + String(repeating: "0", count: 58), selected: 88, counts: BulkCounts(done: 88),
            groups: [Group(configuration: ["shipped"], count: 86), Group(configuration: ["packing"], count: 2)])
        let (asked, outcome) = await Self.told(
            ["retry", "--machine", "order", "--from", "1", "--failure", "string + int", "--dry-run"],
            Self.rehearsal(found))
        #expect(
            asked
                == #"{"action":{"verb":"retry"},"select":{"machine":"order","version":1,"failure":"string + int"},"#
                + #""dryRun":true}"#)
        #expect(
            outcome == .init(exit: 0, output: "88 would go on: shipped 86, packing 2    digest 5f3c9a\n", errors: ""))
        let retry = ["retry", "--machine", "order", "--dry-run", "--expect"]
        #expect(await Self.told(retry + ["5F3C9A"], Self.rehearsal(found)).outcome.exit == 0)
        let changed = await Self.told(retry + ["5f3c9b"], Self.rehearsal(found)).outcome
        #expect(changed.exit == 6 && changed.output.hasPrefix("88 would go on"), "\(changed)")
        #expect(
            changed.errors
                == "error: The selection is no longer '5f3c9b'; with this '--expect' nothing would be done\n")
    }

    @Test func aRehearsalTellsWhatServicesWouldHear() async {
        let found = BulkRehearsal(
            digest: String(repeating: "a", count: 64), selected: 3, counts: BulkCounts(done: 3),
            groups: [
                BulkRehearsal.Group(configuration: ["paid"], count: 2),
                BulkRehearsal.Group(configuration: ["review.legal", "review.pay"], count: 1),
            ], begun: 1_240, again: 5, cancelled: 2)
        let (_, outcome) = await Self.told(
            ["reset", "--to", "2", "--all", "--reason", "r", "--dry-run"], Self.rehearsal(found))
        #expect(
            outcome.output
                == """
                3 would be reset: paid 2, review.legal + review.pay 1    digest aaaaaa
                  begins 1,240 invocations or calls
                  begins 5 invocations again; their services act twice
                  cancels 2 invocations

                """)
    }

    @Test func aRehearsalTellsWhoWouldNot() async {
        let found = BulkRehearsal(
            digest: String(repeating: "a", count: 64), selected: 3, counts: BulkCounts(refused: 1, failed: 2),
            told: [BulkTold(outcome: "refused", instance: "o-1", message: "it runs")])
        var (_, outcome) = await Self.told(["skip", "--all", "--reason", "r", "--dry-run"], Self.rehearsal(found))
        #expect(
            outcome.output
                == "2 would fail; 1 would be refused    digest aaaaaa\n  refused  o-1: it runs\n  and 2 more\n")
        // If the migration is for all or none, nothing would be done.
        let migrate = ["migrate", "--machine", "order", "--from", "1", "--to", "2", "--dry-run", "--all-or-nothing"]
        (_, outcome) = await Self.told(migrate, Self.rehearsal(found))
        #expect(outcome.exit == 65, "\(outcome)")
        #expect(outcome.errors == "error: 3 of 3 instances would be left out, so nothing would be done\n")
        (_, outcome) = await Self.told(migrate.dropLast(), Self.rehearsal(found))
        #expect(outcome.exit == 0 && outcome.errors == "")
    }

    @Test func aReasonThatNamesItsInstanceStandsAlone() async {
        let found = BulkRehearsal(
            digest: String(repeating: "a", count: 64), selected: 2, counts: BulkCounts(refused: 2),
            told: [
                BulkTold(outcome: "refused", instance: "o-1", message: "o-1, in state 'a' (seq 2), runs"),
                BulkTold(outcome: "refused", instance: "o-1", message: "o-12 is another"),
            ])
        let (_, outcome) = await Self.told(["skip", "--all", "--reason", "r", "--dry-run"], Self.rehearsal(found))
        #expect(
            outcome.output.hasSuffix("  refused  o-1, in state 'a' (seq 2), runs\n  refused  o-1: o-12 is another\n"),
            "\(outcome)")
    }

    /// A mistake in '--where' is one of the command line, whichever verb has it.
    @Test(arguments: [
        (["list"], "Parameter 'where'"), (["retry", "--dry-run"], "Field 'select.where'"),
        (["retry", "--yes", "--run", "r"], "Field 'select.where'"),
    ])
    func aMistakeInACondition(line: [String], place: String) async {
        let type: ProblemType = line == ["list"] ? .invalidParameter : .invalidRequest
        let problem = Problem(type, detail: "\(place): line 1, column 9: expected a name")
        let (outcome, _) = await CommandHarness().run(
            line + ["--where", "context."], transport: ScriptedTransport([.problem(problem)]))
        #expect(outcome.exit == 64, "\(outcome)")
        #expect(outcome.errors.hasSuffix("error: '--where': line 1, column 9: expected a name\n"), "\(outcome)")
        for option in ["--where", "--prefix", "--failure"] {
            let (empty, _) = await CommandHarness().run(line + [option, ""], transport: ScriptedTransport([]))
            #expect(empty.exit == 64 && empty.errors.hasPrefix("error: '\(option)' must not be empty\n"), "\(empty)")
        }
    }

    @Test func aRunTellsWhyTheFirstWasLeftOut() async {
        let told = [
            BulkTold(outcome: "done", instance: "o-1"),
            BulkTold(outcome: "refused", instance: "o-2", message: "o-2, in state 'a' (seq 3), has failed"),
        ]
        let arguments = ["skip", "--machine", "order", "--run", "ops-12", "--reason", "r", "--yes"]
        var (_, outcome) = await Self.told(arguments, Self.run(BulkCounts(done: 1, refused: 1), told: told))
        #expect(
            outcome
                == .init(
                    exit: 5, output: "ops-12: 2 of 1,602: 1 went on, 1 refused\n",
                    errors: "error: o-2, in state 'a' (seq 3), has failed\n"))
        (_, outcome) = await Self.told(arguments, Self.run(BulkCounts(done: 1, refused: 4), told: told))
        #expect(outcome.errors.hasSuffix("\n  'wfctl bulk show ops-12' shows the others\n"))
    }

    @Test func aFollowerConnectsAgainWhenItIsCutOff() async {
        let running = Self.run(BulkCounts(done: 3), state: .running)
        let transport = ScriptedTransport([
            .lines([running]), .failure(.unreachable(.unix(path: "/run/test.sock"), reason: "none")),
            .lines([Self.run(BulkCounts(done: 1_602))]),
        ])
        let (outcome, _) = await CommandHarness().run(
            ["retry", "--machine", "order", "--run", "ops-12", "--yes"], transport: transport)
        #expect(
            outcome
                == .init(
                    exit: 0, output: "ops-12: 1,602 of 1,602: 1,602 went on\n",
                    errors: "cut off, connecting again; the run goes on with wfd\n"))
        let bodies = transport.requests.map { $0.body.map { String(decoding: $0.bytes, as: UTF8.self) } }
        #expect(bodies.count == 3 && Set(bodies).count == 1)
    }

    @Test func aRunTellsItsCountsAndItsExitCodeWhatBecameOfIt() async {
        let arguments = ["retry", "--machine", "order", "--run", "ops-12", "--expect", "5f3c9a"]
        let running = Self.run(BulkCounts(), state: .running, paused: "the disk is full")
        var (asked, outcome) = await Self.told(arguments, running, Self.run(BulkCounts(done: 1_601, changed: 1)))
        #expect(
            asked == #"{"run":"ops-12","action":{"verb":"retry"},"select":{"machine":"order"},"expect":"5f3c9a"}"#)
        #expect(
            outcome
                == .init(
                    exit: 6, output: "ops-12: 1,602 of 1,602: 1,601 went on, 1 changed\n",
                    errors: "ops-12 pauses: the disk is full\n"))
        (_, outcome) = await Self.told(arguments, Self.run(BulkCounts(done: 1_602)))
        #expect(outcome.exit == 0)
        (_, outcome) = await Self.told(arguments, Self.run(BulkCounts(done: 1, refused: 1)))
        #expect(outcome.exit == 5)
        (_, outcome) = await Self.told(arguments, Self.run(BulkCounts(done: 2), state: .stopped))
        #expect(outcome.output == "ops-12: 2 of 1,602: 2 went on, stopped\n")
    }

    /// A filter that selects more than a hundred instances is rehearsed before anything is done.
    @Test func whoSelectsManyHasSeenThemOrSaysSo() async {
        func found(_ selected: Int64) -> String {
            Self.rehearsal(
                BulkRehearsal(
                    digest: "5f3c9a" + String(repeating: "0", count: 58), selected: selected,
                    counts: BulkCounts(done: selected)))
        }
        let cancel = ["cancel", "--all", "--reason", "it's over", "--run", "a"]
        var (asked, outcome) = await Self.told(cancel, found(1_045))
        #expect(
            asked == #"{"action":{"verb":"cancel"},"select":{"all":true},"dryRun":true,"reason":"it's over"}"#)
        #expect(outcome.exit == 64 && outcome.output.isEmpty)
        #expect(
            outcome.errors == "error: 1,045 instances are selected; nothing was done\n"
                + #"  wfctl cancel --all --reason 'it'\''s over' --run a --expect 5f3c9a acts on these, if none of "#
                + "them has changed by then\n"
                + "  '--dry-run' shows what would happen, and '--yes' proceeds without '--expect'\n")
        let run = #"{"run":"a","action":{"verb":"cancel"},"select":{"all":true},"reason":"it's over"}"#
        (asked, outcome) = await Self.told(cancel + ["--yes"], Self.run(BulkCounts(done: 1_602), .cancel))
        #expect(asked == run && outcome.exit == 0)
        let transport = ScriptedTransport([
            .lines([found(100)]), .lines([Self.run(BulkCounts(done: 1_602), .cancel)]),
        ])
        let (few, _) = await CommandHarness().run(cancel, transport: transport)
        #expect(few.exit == 0 && transport.requests.count == 2, "\(few)")
    }

    /// It is rehearsed, confirmed and reported like any other run, and names the instances that it leaves.
    @Test func anUndoIsARunToo() async {
        let told = [BulkTold(outcome: "changed", instance: "o-3", message: "it has gone on")]
        func found(_ done: Int64) -> String {
            Self.rehearsal(
                BulkRehearsal(
                    digest: "5f3c9a" + String(repeating: "0", count: 58), selected: done + 1,
                    counts: BulkCounts(done: done, changed: 1),
                    groups: [BulkRehearsal.Group(configuration: ["packing"], count: done)], told: told))
        }
        let undo = ["bulk", "undo", "ops-11"]
        let rest =
            "  deeds stay done: what the instances have asked of the world stays asked\n"
            + "  changed  o-3: it has gone on\n"
        var (asked, outcome) = await Self.told(undo + ["--dry-run", "--invocations", "again"], found(2))
        #expect(asked == #"{"action":{"verb":"undo","run":"ops-11","invocations":"again"},"dryRun":true}"#)
        #expect(
            outcome
                == .init(
                    exit: 0, output: "2 would be put back: packing 2; 1 had gone on    digest 5f3c9a\n" + rest,
                    errors: ""))
        for verb in [undo, ["migrate", "--undo", "ops-11"]] {
            let line = verb + ["--reason", "r"]
            (asked, outcome) = await Self.told(line, found(100))
            #expect(asked == #"{"action":{"verb":"undo","run":"ops-11"},"dryRun":true,"reason":"r"}"#)
            #expect(outcome.exit == 64 && outcome.output.isEmpty)
            #expect(
                outcome.errors.hasPrefix(
                    "error: 101 instances are selected; nothing was done\n"
                        + "  wfctl \(line.joined(separator: " ")) --expect 5f3c9a acts on these"), "\(outcome)")
            let run = Self.run(BulkCounts(done: 2, changed: 1), .undo, told: told)
            (asked, outcome) = await Self.told(line + ["--yes"], run)
            #expect(asked == #"{"run":"undo-ops-11","action":{"verb":"undo","run":"ops-11"},"reason":"r"}"#)
            #expect(
                outcome == .init(exit: 6, output: "ops-11: 2 put back, 1 had gone on (listed)\n" + rest, errors: ""))
        }
        (asked, _) = await Self.told(
            undo + ["--reason", "r", "--run", "u", "--expect", "5F3C9A"], Self.run(BulkCounts(done: 2), .undo))
        #expect(
            asked == #"{"run":"u","action":{"verb":"undo","run":"ops-11"},"expect":"5f3c9a","reason":"r"}"#)
    }

    @Test func allOfAnOutcomeAreListed() async {
        let lines = ["o-1", "o-2"].map {
            JSONWriter.string(BulkTold(outcome: "misfit", instance: $0, message: "no state 'a'"))
        }
        let transport = ScriptedTransport([.lines(lines)])
        let (outcome, _) = await CommandHarness().run(
            ["bulk", "show", "m", "--outcome", "misfit", "-o", "jsonl"], transport: transport)
        #expect(outcome == .init(exit: 0, output: lines.map { $0 + "\n" }.joined(), errors: ""))
        #expect(transport.requests.map(\.target) == ["/v1/bulk/m/instances?outcome=misfit"])
        let two = ScriptedTransport([.lines(lines), .lines(lines)])
        let both = ["bulk", "show", "m", "--outcome", "refused", "--outcome", "misfit", "-o", "jsonl"]
        let (all, _) = await CommandHarness().run(both, transport: two)
        #expect(all.exit == 0 && all.output.split(separator: "\n").count == 4)
        #expect(
            two.requests.map(\.target) == ["misfit", "refused"].map { "/v1/bulk/m/instances?outcome=\($0)" })
        let bad = await CommandHarness().run("bulk", "show", "m", "--outcome", "done")
        #expect(bad.exit == 64 && bad.errors.contains("it must be one of 'misfit', 'refused', 'passedOver', 'changed'"))
    }

    @Test func whoIsPassedOverIsNoFailure() async {
        let told = [BulkTold(outcome: "passedOver", instance: "o-1", message: "o-1 is done")]
        let arguments = ["cancel", "--machine", "order", "--reason", "r", "--yes", "--run", "a"]
        let counts = BulkCounts(done: 1, passedOver: 1_601)
        let (_, outcome) = await Self.told(arguments, Self.run(counts, .cancel, told: told))
        #expect(outcome.exit == 0 && outcome.output == "ops-12: 1,602 of 1,602: 1 cancelled, 1,601 passed over\n")
    }

    @Test func namesAreLinesBehindTheRequest() async {
        let (asked, outcome) = await Self.told(
            ["send", "pay", "--names-from", "who", "--data", "[1]", "--reason", "r"],
            Self.run(BulkCounts(done: 2), .send), files: ["who": "o-1\n\n  o-2 \n"])
        let key = Sample.key.suffix(8)
        #expect(
            asked
                == #"{"run":"send-\#(key)","action":{"verb":"send","event":"pay","data":[1]},"reason":"r"}"#
                + "\n" + #"{"instance":"o-1"}"# + "\n" + #"{"instance":"o-2"}"#)
        #expect(
            outcome == .init(exit: 0, output: "ops-12: 2 of 1,602: 2 took it\n", errors: "run: send-\(key)\n"),
            "\(outcome)")
        let wrong = await Self.told(["suspend", "--names-from", "who"], files: ["who": "o-1\no/2\n"])
        #expect(wrong.outcome.exit == 65 && wrong.outcome.errors.contains("'o/2' is no instance name"))
    }

    @Test func aSelectionOfSetHasNoName() async {
        let (asked, _) = await Self.told(
            ["set", "n=1", "m=2", "--all", "--reason", "r", "--run", "a", "--yes"], Self.run(BulkCounts(done: 1), .set))
        #expect(
            asked
                == #"{"run":"a","action":{"verb":"set","set":{"m":2,"n":1}},"select":{"all":true},"reason":"r"}"#
                || asked
                    == #"{"run":"a","action":{"verb":"set","set":{"n":1,"m":2}},"select":{"all":true},"reason":"r"}"#
        )
    }

    @Test(arguments: [
        (["retry"], "Missing expected argument '<instance>'; '--machine' and other options select many"),
        (["retry", "o", "--all"], "Name an instance ('o') or select some, not both"),
        (["retry", "--all", "--state", "s"], "'--all' selects all instances: only '--machine' may accompany it"),
        (["retry", "--from", "1"], "'--from' needs one '--machine': each machine numbers its own versions"),
        (
            ["retry", "--from", "1", "--machine", "m", "--machine", "n"],
            "'--from' needs one '--machine': each machine numbers its own versions"
        ),
        (
            ["migrate", "--from", "1", "--from", "2", "--machine", "m", "--to", "3", "--reason", "r"],
            "A run migrates one version: select it with '--machine' and '--from'"
        ),
        (
            ["suspend", "--machine", "m", "--machine", "n"],
            "'suspend --machine' accepts one machine; with '--all' it selects the instances of several"
        ),
        (["retry", "--names-from", "f", "--all"], "'--names-from' excludes all other selections"),
        (
            ["retry", "--all", "--expect", "12"],
            "'--expect' must be 6 to 64 hexadecimal digits, as '--dry-run' prints them"
        ),
        (["retry", "--all", "--expect-seq", "1"], "'--expect-seq' is for one instance; '--expect' for many"),
        (["retry", "o", "--run", "a"], "'--run', '--expect' and '--yes' go with a selection, such as '--machine'"),
        (["send", "o", "go", "--run", "a"], "'--run' goes with '--batch', or with a selection such as '--machine'"),
        (["send", "o", "go", "--all"], "Name an instance ('o') or select some, not both"),
        (["bulk", "show"], "Missing expected argument '<run>'"),
        (["bulk", "undo", "m"], "'bulk undo' needs '--reason', which is recorded"),
        (["bulk", "show", "m", "--yes"], "'--yes' goes with 'undo' only"),
        (
            ["bulk", "undo", "m", "--reason", "r", "--yes", "--expect", "5f3c9a"],
            "'--yes' and '--expect' exclude each other"
        ),
    ])
    func whatDoesNotGoTogetherIsTold(arguments: [String], message: String) async {
        let outcome = await CommandHarness().run(arguments, transport: ScriptedTransport([])).0
        #expect(outcome.exit == 64 && outcome.errors.hasPrefix("error: \(message)"), "\(outcome)")
    }
}
