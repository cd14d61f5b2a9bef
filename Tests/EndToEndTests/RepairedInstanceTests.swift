import DaemonTesting
import Testing
import WorkflowJSON

/// Tests the repair of an instance by `wfctl`, with a kill of the daemon after each step.
@Suite struct RepairedInstanceTests {
    private static let definition = """
        id: job
        initial: idle
        context: {n: 0, by: 0, customer: {name: Ann}}
        states:
          idle:
            on:
              go: {actions: [{send: count}]}
              count: {target: counted, actions: {assign: {n: 10 / context.by}}}
          counted:
            after: {1d: idle}
            exit: {assign: {n: 1 / context.by}}
        """

    /// Runs a verb that must succeed, kills the daemon, and verifies the file with the next one.
    private static func say(_ arguments: [String], _ daemon: inout Daemon, _ folder: TemporaryFolder) async throws
        -> String
    {
        let result = try await wfctl(arguments, environment: ["WFCTL_ADDRESS": "\(daemon.address)"])
        try await daemon.kill()
        daemon = try await Daemon(in: folder)
        _ = try await daemon.saidInTime("verify", "--all")
        return result.output + result.errors
    }

    @Test(.timeLimit(.minutes(20))) func everyStepSurvivesAKill() async throws {
        let folder = try TemporaryFolder()
        var daemon = try await Daemon(in: folder)
        _ = try await daemon.said("apply", folder.write(Self.definition, to: "job.yaml"))
        _ = try await daemon.said("start", "job", "j")
        _ = try await Self.say(["send", "j", "go"], &daemon, folder)
        let steps = [
            ("set j by=2 --reason OPS-1", "j: idle   (seq 3 -> 4, failed)\n"),
            ("retry j --reason OPS-1", "j: idle -> counted   (seq 4 -> 5)\n"),
            ("suspend j", "j: counted   (seq 5 -> 6, suspended)\n"),
            (
                "send j go",
                """
                error: j, in state 'counted' (seq 6), is suspended and takes no events until it is resumed
                  'wfctl resume j' lets it go on

                """
            ),
            ("set j customer.name=\"Bob\" by=0 --reason OPS-2", "j: counted   (seq 6 -> 7, suspended)\n"),
            ("resume j", "j: counted   (seq 7 -> 8, running)\n"),
            ("cancel j --reason OPS-3 --key once", "j: counted   (seq 8 -> 9, cancelled)\n"),
            ("cancel j --reason OPS-3 --key once", "j: counted   (seq 8 -> 9, cancelled)\n"),
            (
                "cancel j --reason OPS-4",
                "error: j, in state 'counted' (seq 9), is cancelled and cannot be changed any more\n"
            ),
        ]
        for (line, expected) in steps {
            let arguments = line.split(separator: " ").map(String.init)
            #expect(try await Self.say(arguments, &daemon, folder) == expected, "wfctl \(line)")
        }
        let history = try await daemon.json("history", "j")
        let kinds = history["items"].elements.isEmpty ? history.elements : history["items"].elements
        #expect(
            kinds.compactMap { $0["kind"].string } == [
                "started", "event", "failed", "set", "retried", "suspended", "set", "resumed", "cancelled",
            ])
        #expect(kinds.last?["note"]["exit"]["message"] == "division by zero")
        #expect(kinds.last?["note"]["reason"] == "OPS-3")
        try await daemon.kill()
    }
}
