import DaemonTesting
import Foundation
import Testing
import WorkflowEngine
import WorkflowJSON
import WorkflowStore

@testable import WorkflowEffects

/// Tests programs that the daemon runs.
struct ProgramExecutorTests {
    private static func outcome(
        _ script: String, _ order: JSONObject = [:], input: JSONValue? = nil, grace: Duration = .seconds(10)
    ) async throws -> AttemptOutcome {
        // By the shell: a file that was written a moment ago may be open in what other tests start, and cannot be run.
        let folder = try TemporaryFolder()
        let path = try folder.write(script, to: "program")
        let executor = ProgramExecutor(
            ["program": "/bin/sh"], places: 2, search: ProcessInfo.processInfo.environment["PATH"], grace: grace)
        var order = order
        var words: [JSONValue] = [.string(path)]
        if case .array(let more)? = order["args"] { words += more }
        order["args"] = .array(words)
        var request: JSONObject = ["exec": .object(order)]
        request["input"] = input
        return await executor.run(attempt("exec:program", request))
    }

    private static func attempt(_ queue: String, _ request: JSONObject) -> EffectAttempt {
        EffectAttempt(
            queue: queue, name: "packing", instance: InstanceName("order-1"),
            uuid: UniqueID(bytes: Array(1...16)), number: 3, key: UniqueID(bytes: Array(repeating: 7, count: 16)),
            begun: Timestamp(rawValue: 0), request: request)
    }

    @Test func inputAndArgumentsComeAndTheOutputIsRead() async throws {
        let outcome = try await Self.outcome(
            #"read line; echo "{\"line\": $line, \"args\": \"$*\", \"of\": \"$WFD_INSTANCE $WFD_ATTEMPT\"}""#,
            ["args": ["a", "b c", "$HOME"]], input: ["n": 1])
        #expect(outcome == .done(["args": "a b c $HOME", "line": ["n": 1], "of": "order-1 3"]))
    }

    @Test func theSurroundingsAreClean() async throws {
        let outcome = try await Self.outcome(#"echo "\"$(env | cut -d= -f1 | sort | tr '\n' ' ')\"""#)
        guard case .done(.string(let names)) = outcome else { throw TestingError("\(outcome)") }
        #expect(
            names.split(separator: " ").filter { !["_", "PWD", "OLDPWD", "SHLVL"].contains($0) }
                == ["LANG", "PATH", "WFD_ATTEMPT", "WFD_INSTANCE", "WFD_KEY"])
        let listed = try await Self.outcome(#"echo "\"$(ls /proc/self/fd | tr '\n' ' ')\"""#)
        guard case .done(.string(let descriptors)) = listed else { throw TestingError("\(listed)") }
        // The last is the folder that is listed; the shell has its script open as 10.
        #expect(descriptors.split(separator: " ").filter { $0 != "10" } == ["0", "1", "2", "3"])
    }

    @Test func endsAreTold() async throws {
        let failed = try await Self.outcome("echo why >&2; exit 3")
        #expect(
            failed
                == .failed(
                    TaskFailure(type: "exit", message: "exit code 3", facts: ["code": 3, "stderr": "why\n"])))
        guard case .failed(let hopeless) = try await Self.outcome("exit 65") else { throw TestingError("done") }
        #expect(!hopeless.canRetry)
        guard case .failed(let killed) = try await Self.outcome("kill -9 $$") else { throw TestingError("done") }
        #expect(killed.facts["signal"] == 9 && killed.canRetry)
        #expect(try await Self.outcome("true") == .done(.null))
        guard case .failed(let bad) = try await Self.outcome("echo no json") else { throw TestingError("done") }
        #expect(bad.type == "invalid-output" && !bad.canRetry)
    }

    /// The processes that a program leaves in its process group end with it.
    @Test(.timeLimit(.minutes(20))) func nothingIsLeftBehind() async throws {
        let outcome = try await Self.outcome("tail -f /dev/null >/dev/null 2>&1 </dev/null & echo $!")
        guard case .done(.int(let pid)) = outcome else { throw TestingError("\(outcome)") }
        // It was told to end before the outcome was; a zombie whose parent has not looked yet is gone, too.
        try await Self.expectEnd(of: String(pid))
    }

    @Test(.timeLimit(.minutes(20))) func whatDoesNotEndIsEnded() async throws {
        let late = try await Self.outcome("exec tail -f /dev/null", ["attemptTimeout": 300])
        guard case .failed(let failure) = late else { throw TestingError("done") }
        #expect(failure.type == "timeout" && failure.canRetry)
        let endless = try await Self.outcome("yes", ["maxBytes": 1_000])
        guard case .failed(let large) = endless else { throw TestingError("done") }
        #expect(large.type == "too-large" && !large.canRetry)
        // The program that it leaves behind in the background holds its output open.
        #expect(try await Self.outcome("tail -f /dev/null & echo 1") == .done(1))
        #expect(
            try await Self.outcome("exec <&-; echo 2", input: .string(String(repeating: "x", count: 1 << 20)))
                == .done(2))
    }

    /// Returns true if a process has ended; its parent may not have noticed yet.
    private static func hasEnded(_ pid: String) -> Bool {
        guard let facts = try? String(contentsOfFile: "/proc/\(pid)/stat", encoding: .utf8) else { return true }
        return facts.contains(") Z ")
    }

    /// Waits until a program has written the number of a process that it has started, and returns the number.
    private static func child(in file: String) async throws -> String {
        var text = ""
        try await eventually("the program has started another") {
            text = (try? String(contentsOfFile: file, encoding: .utf8)) ?? ""
            return text.hasSuffix("\n")
        }
        return text.trimmingCharacters(in: .whitespacesAndNewlines)
    }

    private static func expectEnd(of pid: String) async throws {
        try await eventually("process \(pid) has ended") { hasEnded(pid) }
    }

    /// It ignores the signal that asks it to end. So does the process that it has started, which shares its output.
    @Test(.timeLimit(.minutes(20))) func whatRefusesToEndIsKilled() async throws {
        let folder = try TemporaryFolder()
        let file = folder.path("child")
        let late = try await Self.outcome(
            "trap '' TERM; tail -f /dev/null & echo $! > \(file); exec tail -f /dev/null",
            ["attemptTimeout": 2_000], grace: .milliseconds(200))
        #expect(late == .failed(.again("timeout", "the program took longer than 2.0 seconds")))
        try await Self.expectEnd(of: try await Self.child(in: file))
        let endless = try await Self.outcome(
            "trap '' TERM; exec yes", ["maxBytes": 1_000], grace: .milliseconds(200))
        #expect(endless == .failed(.final("too-large", "it printed more than 1000 bytes")))
    }

    /// It ends on request, and the process that it has started continues, but has no more time.
    @Test(.timeLimit(.minutes(20))) func whatIsLeftOfALateProgramIsKilled() async throws {
        let folder = try TemporaryFolder()
        let file = folder.path("child")
        let late = try await Self.outcome(
            "(trap '' TERM; exec tail -f /dev/null >/dev/null 2>&1) & echo $! > \(file); wait",
            ["attemptTimeout": 1_000], grace: .seconds(86_400))
        #expect(late == .failed(.again("timeout", "the program took longer than 1.0 seconds")))
        try await Self.expectEnd(of: try await Self.child(in: file))
    }

    /// The state of the invocation was exited.
    @Test(.timeLimit(.minutes(20))) func whatNobodyWantsIsEnded() async throws {
        let folder = try TemporaryFolder()
        let file = folder.path("child")
        let running = Task {
            try await Self.outcome("tail -f /dev/null >/dev/null 2>&1 & echo $! > \(file); wait")
        }
        let child = try await Self.child(in: file)
        #expect(!Self.hasEnded(child))
        running.cancel()
        _ = try await running.value
        try await Self.expectEnd(of: child)
    }

    @Test(
        .timeLimit(.minutes(20)),
        arguments: ["exec <&- >&- 2>&-; tail -f /dev/null >/dev/null 2>&1", "exec yes why >&2"])
    func streamsThatAreClosedOrFullDoNotKeepAProgram(script: String) async throws {
        let late = try await Self.outcome(
            script, ["attemptTimeout": 500], input: .string(String(repeating: "x", count: 1 << 20)))
        #expect(late == .failed(.again("timeout", "the program took longer than 0.5 seconds")))
    }

    @Test func programsThatAreNotThereHoldTheEffect() async throws {
        let executor = ProgramExecutor(["gone": "/nonexistent/program"], places: 2, search: nil)
        for (queue, reason) in [("exec:other", "there is no program 'other'"), ("exec:gone", "cannot be run")] {
            guard case .held(let text) = await executor.run(Self.attempt(queue, [:])) else {
                throw TestingError("it is not held")
            }
            #expect(text.contains(reason), "\(text)")
        }
    }
}
