import DaemonTesting
import Testing
import WorkflowJSON

/// Tests `rocket` of `Examples/`, on the virtual clock of `wfctl simulate`.
@Suite struct RocketTests {
    /// Runs a script. Returns the states and counts after each macrostep, with the time in seconds.
    private func run(_ script: String, _ options: String..., code: Int32 = 0) async throws -> [String] {
        let folder = try TemporaryFolder()
        let file = try folder.write(script, to: "script.jsonl")
        let result = try await wfctl(
            ["simulate", Programs.example("rocket"), "--script", file, "-o", "jsonl"] + options, environment: [:])
        guard result.end == .exited(code) else { throw TestingError("\(result)") }
        return try result.output.split(separator: "\n").map { line in
            let step = try JSONReader.value(from: String(line))
            guard case .int(let after) = step["afterMilliseconds"], case .int(let count) = step["context"]["count"]
            else { throw TestingError("\(step)") }
            let state = step["to"].elements.map { $0.string ?? "" }.joined(separator: ",")
            return "\(after / 1000) \(step["accepted"] == true ? "" : "refused ")\(state) \(count)"
        }
    }

    @Test(.timeLimit(.minutes(20))) func firedItCountsDownAndIsLaunchedAtZero() async throws {
        #expect(
            try await run(#"{"event": "fire"}"#, "--until-idle") == [
                "0 standby 0", "0 countdown.tick 5", "1 countdown.tick 4", "2 countdown.tick 3", "3 countdown.tick 2",
                "4 countdown.tick 1", "5 launched 0",
            ])
    }

    @Test(.timeLimit(.minutes(20))) func anAbortAtOneSecondNeverLaunchesLater() async throws {
        let script = """
            {"event": "fire"}
            {"after": "4s", "event": "abort"}
            {"after": "1h"}
            """
        #expect(
            try await run(script, "--until-idle") == [
                "0 standby 0", "0 countdown.tick 5", "1 countdown.tick 4", "2 countdown.tick 3", "3 countdown.tick 2",
                "4 countdown.tick 1", "4 standby 1",
            ])
    }

    @Test(.timeLimit(.minutes(20))) func enteringTheCountdownAlwaysSetsFiveAgain() async throws {
        let script = """
            {"event": "fire"}
            {"after": "2s", "event": "abort"}
            {"after": "500ms", "event": "fire"}
            {"after": "6s", "event": "land"}
            {"event": "fire"}
            """
        let steps = try await run(script)
        #expect(
            steps.filter { $0.hasSuffix("countdown.tick 5") } == [
                "0 countdown.tick 5", "2 countdown.tick 5", "8 countdown.tick 5",
            ])
        #expect(steps.contains("7 launched 0"))
    }

    @Test(.timeLimit(.minutes(20))) func whatIsAllowedFollowsTheState() async throws {
        let script = """
            {"event": "abort"}
            {"event": "land"}
            {"event": "fire"}
            {"event": "fire"}
            {"event": "land"}
            {"after": "10s", "event": "fire"}
            {"event": "abort"}
            {"event": "land"}
            """
        let steps = try await run(script, code: 5)
        #expect(
            steps.filter { $0.contains("refused") } == [
                "0 refused standby 0", "0 refused standby 0", "0 refused countdown.tick 5",
                "0 refused countdown.tick 5", "10 refused launched 0", "10 refused launched 0",
            ])
        #expect(steps.last == "10 standby 0")
    }
}
