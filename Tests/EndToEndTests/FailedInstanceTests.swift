import DaemonTesting
import JSON
import Testing

/// An instance that fails on an event that nobody waits for: what an operator sees and can do, also after a kill.
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

    @Test(.timeLimit(.minutes(1))) func aFailedInstanceSaysWhyAndWaits() async throws {
        let folder = try TemporaryFolder()
        var daemon = try await Daemon(in: folder)
        _ = try await daemon.said("apply", folder.write(Self.definition, to: "job.yaml"))
        _ = try await daemon.said("start", "job", "job-1")
        #expect(try await daemon.said("send", "job-1", "go") == "job-1: idle -> idle   (seq 1 -> 3, failed)\n")
        try await daemon.kill()
        daemon = try await Daemon(in: folder)

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
                  'wfctl show job-1' tells why, 'wfctl retry job-1' goes on

                """)
        let retried = try await daemon.wfctl("retry", "job-1")
        #expect(retried.end == .exited(5))
        #expect(retried.output == "job-1: idle -> idle   (seq 3 -> 4, failed)\n")
        #expect(
            retried.errors == """
                error: job-1 has failed again
                  'wfctl show job-1' tells on which event and why

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

    @Test(.timeLimit(.minutes(1))) func aRetryNeedsAFailedInstance() async throws {
        let folder = try TemporaryFolder()
        let daemon = try await Daemon(in: folder)
        try await daemon.begin("screens")
        let refused = try await daemon.wfctl("retry", "screens")
        #expect(refused.end == .exited(5))
        #expect(refused.errors == "error: screens, in state 'initial' (seq 1), is running and needs no retry\n")
        #expect(try await daemon.wfctl("retry", "screen").end == .exited(4))
    }
}
