import Testing
import WorkflowAPI
import WorkflowClient
import WorkflowClientTesting
import WorkflowJSON

/// Tests `cancel`, `retry`, `skip`, `set`, `suspend` and `resume`: the requests and the output.
struct RepairVerbTests {
    private static func answer(_ status: Instance.Status, to: [String] = ["a"], dryRun: Bool? = nil) -> SendAnswer {
        SendAnswer(
            instance: "o", event: "e", seq: 5, fromSeq: 4, from: ["a"], to: to, status: status, configuration: to,
            context: nil, dryRun: dryRun)
    }

    /// Returns the target, the key and the body of the only request, and the output.
    private static func run(_ arguments: [String], _ answer: SendAnswer) async -> (asked: String, printed: String) {
        let transport = ScriptedTransport([.value(answer)])
        let (outcome, _) = await CommandHarness().run(arguments, transport: transport)
        let asked = transport.requests.map { request in
            let body = request.body.map { String(decoding: $0.bytes, as: UTF8.self) } ?? ""
            return "\(request.target) \(request.key ?? "-") \(body)"
        }
        return (asked.joined(separator: "; "), outcome.output + outcome.errors)
    }

    @Test func whatIsAskedAndTold() async {
        let key = Sample.key
        var told = await Self.run(["cancel", "o", "--reason", "r", "--no-actions"], Self.answer(.cancelled))
        #expect(told.asked == #"/v1/instances/o/cancel \#(key) {"reason":"r","actions":false}"#)
        #expect(told.printed == "o: a   (seq 4 -> 5, cancelled)\n")
        told = await Self.run(["retry", "o", "--reason", "r"], Self.answer(.running))
        #expect(told.asked == #"/v1/instances/o/retry \#(key) {"reason":"r"}"#)
        #expect(told.printed == "o: a -> a   (seq 4 -> 5)\n")
        told = await Self.run(["skip", "o", "--reason", "r", "--expect-seq", "4"], Self.answer(.running, to: ["b"]))
        #expect(told.asked == #"/v1/instances/o/skip \#(key) {"reason":"r","seq":4}"#)
        #expect(told.printed == "o: a -> b   (seq 4 -> 5, running)\n")
        told = await Self.run(["suspend", "o", "--key", "k"], Self.answer(.suspended))
        #expect(told.asked == "/v1/instances/o/suspend k {}")
        #expect(told.printed == "o: a   (seq 4 -> 5, suspended)\n")
        told = await Self.run(["resume", "o", "--dry-run"], Self.answer(.running, dryRun: true))
        #expect(told.asked == #"/v1/instances/o/resume - {"dryRun":true}"#)
        #expect(told.printed == "o: a   (seq 4 -> 5, running, dry run: nothing was changed)\n")
    }

    /// Rehearsed or done, the migration names each cancelled item once.
    @Test func aMigrationTellsWhatBecomesOfWhatIsArmed() async {
        for isTrial in [true, false] {
            var answer = Self.answer(.running, to: ["b"], dryRun: isTrial)
            answer.migration = MigrationItem(
                from: 1, to: 2,
                new: [.init(event: "after.1h.b", due: WireTime(milliseconds: 1_785_490_200_123))],
                ended: ["after.2h.a"], cancelled: ["pay"], undeclared: ["fax"])
            if isTrial { answer.cancelled = ["pay"] }
            let told = await Self.run(
                ["migrate", "o", "--to", "2", "--reason", "r"] + (isTrial ? ["--dry-run"] : []), answer)
            let note = isTrial ? ", dry run: nothing was changed" : ""
            #expect(
                told.printed == """
                    o: a -> b   (seq 4 -> 5, running\(note), version 1 -> 2)
                      new: after.1h.b, due 2026-07-31T09:30:00.123Z
                      ended: after.2h.a
                      cancelled: pay
                      not declared: context.fax

                    """)
        }
    }

    @Test func aResetTellsWhatBecomesOfWhatIsArmed() async {
        var answer = Self.answer(.running, to: ["b"], dryRun: true)
        answer.reset = ResetAnswer(
            to: 2, timers: [.init(event: "after.1h.b", due: WireTime(milliseconds: 1_785_490_200_123))],
            otherTimers: 3,
            invocations: [
                .init(id: "i", fate: .cancelled), .init(id: "j", fate: .stays), .init(id: "k", fate: .again),
                .init(id: "l", fate: .answered),
            ])
        let arguments = ["reset", "o", "--to", "2", "--reason", "r"]
        var told = await Self.run(arguments + ["--dry-run"], answer)
        #expect(told.asked == #"/v1/instances/o/reset - {"to":2,"reason":"r","dryRun":true}"#)
        #expect(
            told.printed == """
                o: a -> b   (seq 4 -> 5, running, dry run: nothing was changed)
                  as after seq 2
                  due 2026-07-31T09:30:00.123Z: after.1h.b
                  and 3 more timers
                  cancels: i
                  goes on: j
                  begins again: k; its service acts twice
                  has its answer again: l

                """)
        told = await Self.run(
            arguments + ["--timers", "due", "--invocations", "answer", "--key", "k", "--expect-seq", "9"],
            Self.answer(.done))
        #expect(
            told.asked == #"/v1/instances/o/reset k {"to":2,"reason":"r","timers":"due","#
                + #""invocations":"answer","seq":9}"#)
    }

    @Test func undecidedInvocationsTellWhatToSay() async {
        let problem = Problem(.invocationsUndecided, detail: "o waits for less", instance: "o")
        let outcome = await CommandHarness().run(
            "reset", "o", "--to", "2", "--reason", "r", answers: [.problem(problem)])
        #expect(
            outcome.exit == 5
                && outcome.errors == """
                    error: o waits for less
                      '--invocations again' begins them anew: their services act twice
                      '--invocations answer' gives them the results that came

                    """,
            "\(outcome)")
    }

    /// The output has the events that callers sent, and nothing else, in the form of a batch.
    @Test func historyPrintsABatch() async {
        var event = Sample.row(2, "pay", from: ["a"], to: ["b"])
        event.kind = "event"
        event.data = ["card": "x"]
        event.key = "old"
        var timer = Sample.row(3, "after.1h.b", from: ["b"], to: ["b"])
        timer.kind = "timer"
        let outcome = await CommandHarness().run(
            "history", "o", "--after", "1", "-o", "batch", answers: [.value(Page(items: [event, timer]))])
        let line = BatchLine(instance: "o", event: "pay", data: ["card": "x"], key: Sample.key)
        #expect(outcome.output == JSONWriter.string(line) + "\n", "\(outcome)")
        let other = await CommandHarness().run("list", "-o", "batch")
        #expect(other.exit == 64 && other.errors == "error: Only 'history' accepts '-o batch'\n", "\(other)")
    }

    @Test func aRedactionTellsWhatIsGone() async {
        let answer = RedactAnswer(
            instance: "o", seq: 5, status: .done, configuration: ["a"], seqs: "1-2,4", paths: ["who"], context: true,
            renamed: true, emptied: ["came", "paid"], dryRun: true)
        let transport = ScriptedTransport([.value(answer)])
        let (outcome, _) = await CommandHarness().run(
            ["redact", "o", "--seq", "1-2,4", "--path", "who", "--rename", "n", "--reason", "r", "--dry-run"],
            transport: transport)
        let body = transport.requests[0].body.map { String(decoding: $0.bytes, as: UTF8.self) }
        #expect(body == #"{"reason":"r","seqs":"1-2,4","paths":["who"],"name":"n","dryRun":true}"#)
        #expect(
            outcome.output
                == "o: would redact seq 1 to 2, 4; context and output; context.who; the name of before   "
                + "(seq 5, dry run: nothing was changed)\n"
                + "  'came' would come without data\n  'paid' would come without data\n")
    }

    @Test func aRedactionTellsOfWhichRowsAPartIsGone() async throws {
        let answer = RedactAnswer(
            instance: "o", seq: 5, status: .running, configuration: ["a"], seqs: "2,4", data: ["data.phone"],
            pending: "somebody reads")
        let transport = ScriptedTransport([.value(answer)])
        let (outcome, _) = await CommandHarness().run(
            ["redact", "o", "--seq", "2,4", "--path", "data.phone", "--reason", "r"], transport: transport)
        let body = try #require(transport.requests.first?.body.map { String(decoding: $0.bytes, as: UTF8.self) })
        #expect(body == #"{"reason":"r","seqs":"2,4","paths":["data.phone"]}"#)
        #expect(
            outcome.output == "o: redacted data.phone of seq 2, 4   (seq 5)\n  pending: somebody reads\n")
    }

    @Test func whatIsGoneIsShownSo() async {
        var row = Sample.row(2, "name", from: ["a"], to: ["a"])
        row.redacted = true
        let outcome = await CommandHarness().run("history", "o", answers: [.value(Page(items: [row]))])
        #expect(outcome.output.contains("(redacted)"), "\(outcome)")
    }

    /// A dry run ends with the exit code of the verb.
    @Test func aTrialThatWouldFailSaysSo() async {
        let harness = CommandHarness()
        let outcome = await harness.run(
            "retry", "o", "--dry-run", answers: [.value(Self.answer(.failed, dryRun: true))])
        #expect(outcome.exit == 5 && outcome.errors == "error: o would fail\n", "\(outcome)")
        var answer = Self.answer(.failed, dryRun: true)
        answer.failure = Instance.Failure(
            event: "count", type: .expressionFailed, detail: "'count' was undone: …", seq: 3, at: Sample.time,
            message: "division by zero")
        for line in [["retry", "o"], ["skip", "o", "--reason", "r"], ["send", "o", "poke"]] {
            let (told, _) = await harness.run(line + ["--dry-run"], transport: ScriptedTransport([.value(answer)]))
            #expect(told.exit == 5 && told.errors == "error: o would fail\n  'count' was undone: …\n", "\(told)")
        }
    }

    @Test(arguments: [
        (["set", "n=1", "o"], "The instance comes first: 'wfctl set o n=1'"),
        (["set", "n=1"], "The instance comes first: 'wfctl set INSTANCE n=1'"),
        (["set", "n=1", "m=2", "o"], "The instance comes first: 'wfctl set o n=1'"),
        (["set", "o", "n"], "'n' has no value; write PATH=JSON"),
    ])
    func theInstanceComesBeforeItsChanges(line: [String], message: String) async {
        let (outcome, _) = await CommandHarness().run(
            line + ["--reason", "r"], transport: ScriptedTransport([]))
        #expect(outcome.exit == 64 && outcome.errors.hasPrefix("error: \(message)\n"), "\(outcome)")
    }

    @Test(arguments: [false, true]) func aTimerThatWasTooLateIsTold(isRearmed: Bool) async {
        var row = Sample.row(2, "after.1h.a", from: ["a"], to: ["a"])
        let late: JSONValue = ["lateMilliseconds": 780_000]
        row.note = ["skipped": isRearmed ? ["lateMilliseconds": 780_000, "rearmed": true] : late]
        let outcome = await CommandHarness().run("history", "o", answers: [.value(Page(items: [row]))])
        #expect(outcome.output.contains("skipped: 13m late"), "\(outcome)")
        #expect(outcome.output.contains("late, armed anew") == isRearmed, "\(outcome)")
    }

    /// A person's text must not look like a row.
    @Test func aReasonIsOnOneLine() async {
        var row = Sample.row(2, "suspend", from: ["a"], to: ["a"])
        row.note = ["reason": "x\n3   2026-07-31T09:30:00.123Z   cancelled"]
        let outcome = await CommandHarness().run("history", "o", answers: [.value(Page(items: [row]))])
        #expect(
            outcome.output.split(separator: "\n").count == 2 && outcome.output.contains(#"because: x\u{a}3"#),
            "\(outcome)")
    }

    /// A dry run shows each value before and after.
    @Test func aRehearsedSetShowsOldAndNew() async {
        var answer = Self.answer(.running, dryRun: true)
        answer.context = (["amount": 300, "customer": ["name": "Ann"]] as JSONValue).object
        let transport = ScriptedTransport([.value(Sample.instance("o")), .value(answer)])
        let (outcome, _) = await CommandHarness().run(
            ["set", "o", "amount=300", #"customer.name="Ann""#, "--unset", "note", "--dry-run"],
            transport: transport)
        #expect(
            outcome.output == """
                o: a   (seq 4 -> 5, running, dry run: nothing was changed)
                  amount: 250 -> 300
                  note: "true" -> -
                  customer: - -> {"name":"Ann"}

                """, "\(outcome)")
        #expect(transport.requests.map(\.target) == ["/v1/instances/o", "/v1/instances/o/set"])
    }

    @Test func aHistoryBeginsWithASeq() async {
        let transport = ScriptedTransport([.value(Page(items: [Sample.row(5, "pay", from: ["a"], to: ["b"])]))])
        _ = await CommandHarness().run(["history", "o", "--from", "5"], transport: transport)
        #expect(transport.requests.first?.target.contains("after=4") == true, "\(transport.requests.map(\.target))")
    }

    @Test func aSetSendsJSON() async {
        let told = await Self.run(
            ["set", "o", "n=12", #"customer.name="x=y""#, #"m["a=b"]=[1.0]"#, "--unset", "p", "--reason", "r"],
            Self.answer(.failed))
        #expect(
            told.asked == #"/v1/instances/o/set \#(Sample.key) {"reason":"r","set":{"customer.name":"x=y","#
                + #""m[\"a=b\"]":[1.0],"n":12},"unset":["p"]}"#)
        // The instance had failed before.
        #expect(told.printed == "o: a   (seq 4 -> 5, failed)\n")
    }

    @Test func aValueMayComeFromAFile() async {
        var harness = CommandHarness()
        harness.files = ["rates.json": "[1]", "bad.json": "[1"]
        let transport = ScriptedTransport([.value(Self.answer(.running))])
        let (outcome, _) = await harness.run(["set", "o", "rates=@rates.json", "--reason", "r"], transport: transport)
        #expect(outcome.exit == 0)
        #expect(
            transport.requests[0].body.map { String(decoding: $0.bytes, as: UTF8.self) }
                == #"{"reason":"r","set":{"rates":[1]}}"#)
        let bad = await harness.run("set", "o", "rates=@bad.json", "--reason", "r")
        #expect(bad.exit == 65 && bad.errors.hasPrefix("error: The data of 'bad.json' is not JSON: "))
    }

    @Test func aTextWithoutQuotesIsNoJSON() async {
        let outcome = await CommandHarness().run("set", "o", "customer.name=Ann", "--reason", "r")
        #expect(
            outcome
                == .init(
                    exit: 65, output: "",
                    errors: """
                        error: The value of 'customer.name' is not JSON: line 1, column 1: expected a value, found 'A'
                          a string needs quotes inside the quotes of the shell: 'customer.name="…"'

                        """))
    }

    @Test(arguments: [("retry", "has failed again"), ("skip", "has failed"), ("resume", "has failed")])
    func failingAnewEndsWith5(verb: String, words: String) async {
        let failure = Sample.instance("o")
        let transport = ScriptedTransport([.value(Self.answer(.failed)), .value(failure)])
        let (outcome, _) = await CommandHarness().run([verb, "o", "--reason", "r"], transport: transport)
        #expect(outcome.exit == 5 && outcome.errors.hasPrefix("error: o \(words)\n"))
    }

    @Test func aSuspendedInstanceTellsWhatToDo() async {
        var problem = Problem(.instanceSuspended, detail: "o, in state 'a' (seq 4), is suspended already")
        problem.instance = "o"
        let outcome = await CommandHarness().run("suspend", "o", answers: [.problem(problem)])
        #expect(
            outcome
                == .init(
                    exit: 5, output: "",
                    errors: """
                        error: o, in state 'a' (seq 4), is suspended already
                          'wfctl resume o' lets it go on

                        """))
    }
}
