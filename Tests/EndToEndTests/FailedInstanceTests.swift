import DaemonTesting
import Testing
import WorkflowJSON

/// Tests an instance that fails on an event that nobody waits for: its display, and the operator's actions, also after
/// a kill.
@Suite struct FailedInstanceTests {
    private static let definition = """
        id: job
        initial: idle
        context: {n: 0}
        states:
          idle:
            on:
              go: {actions: [{send: {event: count, data: {by: 0}}}]}
              count: {actions: {assign: {n: 10 / event.data.by}}}
        """

    @Test(.timeLimit(.minutes(20))) func aFailedInstanceSaysWhyAndWaits() async throws {
        let folder = try TemporaryFolder()
        var daemon = try await Daemon(in: folder)
        _ = try await daemon.said("apply", folder.write(Self.definition, to: "job.yaml"))
        _ = try await daemon.said("start", "job", "job-1")
        let failing = try await daemon.wfctl("send", "job-1", "go")
        #expect(failing.end == .exited(5))
        #expect(failing.output == "job-1: idle -> idle   (seq 1 -> 3, failed)\n")
        #expect(
            failing.errors == """
                error: job-1 has failed
                  'count' was undone: 'assign n: 10 / event.data.by' of state 'idle', line 8, failed: division by zero

                """)
        try await daemon.kill()
        daemon = try await Daemon(in: folder)
        let line = try await daemon.program.errorLines(containing: "failed instances").first
        let text = #" warning wfd: count=1 list="wfctl list --status failed" [WorkflowEngine] failed instances"#
        #expect(line?.contains(text) == true, "\(line ?? "")")
        #expect(try await daemon.said("list", "--status", "failed").contains("   'count' was undone: 'assign n: 10"))

        let shown = try await daemon.said("show", "job-1")
        let ending = """
            failed on: count {"by":0}
            because:   'count' was undone: 'assign n: 10 / event.data.by' of state 'idle', line 8, failed: division by zero
                       'wfctl retry job-1' applies the event again

            """
        #expect(shown.hasSuffix(ending), "\(shown)")
        let failure = try await daemon.json("show", "job-1")["failure"]
        #expect(failure["type"] == "expression-failed" && failure["seq"] == 3 && failure["line"] == 8)
        #expect(failure["state"] == "idle" && failure["expression"] == "assign n: 10 / event.data.by")
        #expect(failure["message"] == "division by zero")
        let refused = try await daemon.wfctl("send", "job-1", "go")
        #expect(refused.end == .exited(5))
        #expect(
            refused.errors == """
                error: job-1, in state 'idle' (seq 3), has failed and waits for an operator
                  'wfctl show job-1' shows the reason, 'wfctl retry job-1' goes on

                """)
        let retried = try await daemon.wfctl("retry", "job-1")
        #expect(retried.end == .exited(5))
        #expect(retried.output == "job-1: idle -> idle   (seq 3 -> 4, failed)\n")
        #expect(
            retried.errors == """
                error: job-1 has failed again
                  'count' was undone: 'assign n: 10 / event.data.by' of state 'idle', line 8, failed: division by zero

                """)
        let rows = try await daemon.json("history", "job-1").elements
        #expect(rows.map { $0["kind"] } == ["started", "event", "failed", "failed"])
        let note = rows.last?["note"] ?? .null
        #expect(
            JSONWriter.string(note)
                == #"{"failure":{"event":"count","expression":"assign n: 10 / event.data.by","line":8,"#
                + #""message":"division by zero","state":"idle","type":"expression-failed"}}"#)
        let told = #"{"by":0} failed: division by zero, in 'assign n: 10 / event.data.by' of state 'idle', line 8"#
        #expect(try await daemon.said("history", "job-1").hasSuffix(" idle   \(told)\n"))
        #expect(
            try await daemon.said("replay", "job-1", "--trace").hasSuffix(
                "  failed  count \(told): idle (failed)   {\"n\":0}\n"))
        #expect(try await daemon.json("replay", "job-1", "--trace").elements.last?["note"] == note)
        #expect(try await daemon.saidInTime("verify", "job-1").hasSuffix("no difference\n"))
        #expect(try await daemon.json("list", "--status", "failed").elements.count == 1)
    }

    @Test(.timeLimit(.minutes(20))) func aStartThatFailsSaysWhy() async throws {
        let folder = try TemporaryFolder()
        let daemon = try await Daemon(in: folder)
        let definition = """
            id: job
            initial: idle
            context: {by: 0}
            states:
              idle:
                entry: {send: {event: count}}
                on: {count: {actions: {assign: {by: 10 / context.by}}}}
            """
        _ = try await daemon.said("apply", folder.write(definition, to: "job.yaml"))
        let started = try await daemon.wfctl("start", "job", "job-1")
        #expect(started.end == .exited(5))
        #expect(started.output.hasPrefix("job-1: started in idle   (job version 1, seq 2, failed)"), "\(started)")
        #expect(started.errors.hasPrefix("error: job-1 has failed\n  'count' was undone: "), "\(started)")
        // The instance exists.
        #expect(try await daemon.json("show", "job-1")["status"] == "failed")
    }

    @Test(.timeLimit(.minutes(20))) func aBatchSaysHowManyItLeftFailed() async throws {
        let folder = try TemporaryFolder()
        let daemon = try await Daemon(in: folder)
        _ = try await daemon.said("apply", folder.write(Self.definition, to: "job.yaml"))
        for name in ["job-1", "job-2"] { _ = try await daemon.said("start", "job", name) }
        let lines = ["job-1", "job-2"].map { #"{"instance":"\#($0)","event":"go"}"# + "\n" }.joined()
        let batch = try folder.write(lines, to: "go.ndjson")
        for counts in ["2 applied, 0 applied before", "0 applied, 2 applied before"] {
            let sent = try await daemon.wfctl("send", "--batch", batch, "--run", "r")
            #expect(sent.end == .exited(5))
            #expect(sent.output == "2 events: \(counts), 0 refused; 2 left their instance failed\n")
        }
    }

    @Test(.timeLimit(.minutes(20))) func aRetryThatFailsIsToldFromAFailure() async throws {
        let folder = try TemporaryFolder()
        let daemon = try await Daemon(in: folder)
        _ = try await daemon.said("apply", folder.write(Self.definition, to: "job.yaml"))
        _ = try await daemon.said("start", "job", "job-1")
        #expect(try await daemon.wfctl("send", "job-1", "go").end == .exited(5))
        #expect(try await daemon.wfctl("retry", "job-1").end == .exited(5))
        let events = try await daemon.wfctl("events", "job-1")
        #expect(events.output == "EVENT   ACCEPTED\ncount   no\ngo      no\n")
        #expect(
            events.errors == """
                note: job-1 has failed and takes no events: 'count' was undone: 'assign n: 10 / event.data.by' of state \
                'idle', line 8, failed: division by zero
                  'wfctl retry job-1' applies the event again

                """)
        let kinds = try await daemon.said("history", "job-1").split(separator: "\n").dropFirst().map { line in
            line.split(separator: "   ").map { $0.drop { $0 == " " } }[2]
        }
        #expect(kinds == ["started", "event", "failed", "failed again"])
        for options in [["--after", "3"], ["--reverse", "--limit", "1"]] {
            let last = try await daemon.wfctl(["history", "job-1", "-o", "jsonl"] + options)
            #expect(last.output.contains(#""retry":true"#), "\(last)")
        }
        let rows = try await daemon.json("history", "job-1").elements
        #expect(rows.map { $0["retry"] } == [.null, .null, .null, true])
    }

    /// Timers that wait for a retry come after all that are due, also page by page.
    @Test(.timeLimit(.minutes(20))) func timersOfFailedInstancesAreListed() async throws {
        let folder = try TemporaryFolder()
        let daemon = try await Daemon(in: folder)
        let timed = Self.definition.replacing("idle:\n", with: "idle:\n    after: {9d: {}, 8d: {}, 7d: {}}\n")
        _ = try await daemon.said("apply", folder.write(timed, to: "job.yaml"))
        for name in ["job-1", "job-2", "job-3"] { _ = try await daemon.said("start", "job", name) }
        for name in ["job-1", "job-3"] { #expect(try await daemon.wfctl("send", name, "go").end == .exited(5)) }
        let rows = try await daemon.said("timers").split(separator: "\n")
        try #require(rows.count == 12, "\(rows)")
        // The columns have as many blanks as the widest time needs, and that changes each millisecond.
        #expect(rows[4].split(separator: " ").dropFirst() == ["waits:", "failed", "job-1", "count"], "\(rows)")
        let all = try await daemon.json("timers").elements
        let short: (JSONValue) -> String = { "\($0["instance"].string ?? "") \($0["event"].string ?? "")" }
        let waiting = ["7d", "8d", "9d"].map { "after.\($0).idle" }
        let expected =
            waiting.map { "job-2 " + $0 }
            + ["job-1", "job-3"].flatMap { name in (["count"] + waiting).map { "\(name) \($0)" } }
        #expect(all.map(short) == expected)
        #expect(all.map { $0["waits"] == true } == expected.map { !$0.hasPrefix("job-2") })
        var paged: [String] = []
        var target = "/v1/timers?limit=2"
        while true {
            let page = try await daemon.answer(to: .get(target)).object
            let items = page["items"]?.elements ?? []
            #expect(items.count <= 2)
            paged += items.map(short)
            guard let next = page["nextPage"]?.string else { break }
            target = "/v1/timers?limit=2&page=\(next)"
        }
        #expect(paged == expected)
    }

    @Test(.timeLimit(.minutes(20))) func aRetryNeedsAFailedInstance() async throws {
        let folder = try TemporaryFolder()
        let daemon = try await Daemon(in: folder)
        try await daemon.begin("screens")
        let refused = try await daemon.wfctl("retry", "screens")
        #expect(refused.end == .exited(5))
        #expect(refused.errors == "error: screens, in state 'initial' (seq 1), is running and needs no retry\n")
        #expect(try await daemon.wfctl("retry", "screen").end == .exited(4))
    }
}
