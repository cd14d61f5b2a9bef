import Foundation
import Testing
import WorkflowAPI
import WorkflowClient
import WorkflowClientTesting
import WorkflowJSON

/// Tests `work`: the input of the program, and the reports to the daemon.
struct WorkVerbTests {
    private static let lost =
        "order-1 packing: the lease was lost after 0.0 s: the task was cancelled, or others have it\n"
    private static let none = ScriptedTransport.Step.value(LeasedTasks(tasks: []))
    private static let taken = ScriptedTransport.Step.bytes([], as: "")

    private static func task(_ input: JSONValue = .null) -> ScriptedTransport.Step {
        .value(
            LeasedTasks(tasks: [
                TaskItem(
                    task: "0a", instance: "order-1", id: "packing", attempt: 2, key: "k", input: input,
                    leasedUntil: Sample.time)
            ]))
    }

    /// Runs a shell script once.
    private static func run(
        _ script: String, _ input: JSONValue = .null, lease: Int = 30, then steps: [ScriptedTransport.Step] = [taken]
    ) async -> (outcome: CommandHarness.Outcome, requests: [TransportRequest]) {
        let transport = ScriptedTransport([task(input)] + steps + [none])
        let arguments = ["work", "stock", "--once", "--lease", "\(lease)", "--exec", "/bin/sh", "--", "-c", script]
        let (outcome, _) = await CommandHarness().run(arguments, transport: transport)
        return (outcome, transport.requests)
    }

    private static func text(_ request: TransportRequest) -> String {
        String(decoding: request.body?.bytes ?? [], as: UTF8.self)
    }

    @Test(.timeLimit(.minutes(20))) func tasksAreAskedForUntilThereAreNone() async throws {
        let (outcome, requests) = await Self.run("cat", ["items": [1, 2.0]])
        #expect(outcome == .init(exit: 0, output: "", errors: "order-1 packing: done in 0.0 s\n"))
        #expect(
            requests.map(\.target) == ["/v1/tasks/stock/lease", "/v1/tasks/0a/complete", "/v1/tasks/stock/lease"])
        #expect(Self.text(requests[1]) == #"{"items":[1,2.0]}"#)
        let asked = try LeaseRequest(body: requests[0].body?.bytes ?? [])
        #expect(asked.max == 1 && asked.wait == nil && asked.lease == 30 && asked.worker?.isEmpty == false)
    }

    @Test(.timeLimit(.minutes(20))) func theProgramKnowsWhoseTaskItIs() async throws {
        let script = #"printf '["%s","%s","%s",' "$WFD_INSTANCE" "$WFD_KEY" "$WFD_ATTEMPT"; cat; printf ']'"#
        let (_, requests) = await Self.run(script)
        #expect(Self.text(requests[1]) == #"["order-1","k","2",null]"#)
    }

    @Test(.timeLimit(.minutes(20)), arguments: ["true", "printf '\\n \\n'"])
    func whoPrintsNothingResultsInNull(script: String) async throws {
        let (outcome, requests) = await Self.run(script, "a large input that nobody reads")
        #expect(outcome.exit == 0)
        #expect(requests[1].target == "/v1/tasks/0a/complete" && Self.text(requests[1]) == "null")
    }

    private static let failures: [(script: String, errors: String, body: String, line: String)] = [
        (
            "echo oops >&2; exit 3", "oops\n",
            #"{"type":"exit","message":"exit code 3","details":{"code":3,"stderr":"oops\n"}}"#,
            "failed (exit code 3)"
        ),
        (
            "exit 65", "", #"{"type":"exit","message":"exit code 65","details":{"code":65},"retry":false}"#,
            "failed for good (exit code 65)"
        ),
        (
            "kill -9 $$", "", #"{"type":"exit","message":"killed by signal 9","details":{"signal":9}}"#,
            "failed (killed by signal 9)"
        ),
        (
            "echo '{'", "",
            #"{"type":"invalid-output","message":"its output is not JSON: line 2, column 1: expected a key in double quotes, found the end of the text","retry":false}"#,
            "failed for good (its output is not JSON: line 2, column 1: expected a key in double quotes, found the end of the text)"
        ),
    ]

    @Test(.timeLimit(.minutes(20)), arguments: failures)
    func aFailureIsToldWithItsReason(script: String, errors: String, body: String, line: String) async throws {
        let (outcome, requests) = await Self.run(script)
        #expect(requests[1].target == "/v1/tasks/0a/fail")
        #expect(Self.text(requests[1]) == body)
        #expect(outcome == .init(exit: 0, output: "", errors: errors + "order-1 packing: \(line) in 0.0 s\n"))
    }

    @Test(.timeLimit(.minutes(20))) func whoPrintsTooMuchIsEnded() async throws {
        // The program would go on for ever.
        let (_, requests) = await Self.run("yes 1")
        #expect(
            Self.text(requests[1])
                == #"{"type":"too-large","message":"it printed more than 1048576 bytes","retry":false}"#)
    }

    @Test(.timeLimit(.minutes(20))) func theLastComplaintsAreKept() async throws {
        let (outcome, requests) = await Self.run("head -c 10000 /dev/zero | tr '\\0' x >&2; echo end >&2; exit 1")
        let failure = try FailRequest(body: requests[1].body?.bytes ?? [])
        let kept = try #require(failure.details?.object?["stderr"]?.string)
        #expect(kept.utf8.count == 4 << 10 && kept.hasSuffix("xxend\n"))
        #expect(outcome.errors.utf8.count > 10_000)
        // Each byte takes six when it is escaped, and all of them are too many.
        let (_, others) = await Self.run("head -c 4096 /dev/zero >&2; exit 1")
        let escaped = try FailRequest(body: others[1].body?.bytes ?? [])
        #expect(try #require(escaped.details?.object?["stderr"]?.string).utf8.count == 2 << 10)
    }

    /// A heartbeat comes after a third of the lease, and its answer is that the lease is lost.
    @Test(.timeLimit(.minutes(20))) func aLostLeaseEndsTheProgramAndAllThatItStarted() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        // A folder that cannot be removed does no harm.
        defer { try? FileManager.default.removeItem(at: folder) }
        let (file, pipe) = (folder.appending(path: "pid").path, folder.appending(path: "pipe").path)
        #expect(mkfifo(pipe, 0o600) == 0)
        let lost = ScriptedTransport.Step.problem(Problem(.leaseLost, detail: "The lease is lost: x"))
        // Nobody ever writes to the pipe.
        let (outcome, requests) = await Self.run(
            "cat '\(pipe)' & echo $! >'\(file)'; trap '' TERM; wait", lease: 5, then: [lost])
        #expect(requests.map(\.target)[1] == "/v1/tasks/0a/heartbeat")
        #expect(outcome.errors == Self.lost)
        let pid = try #require(
            pid_t(String(contentsOfFile: file, encoding: .utf8).trimmingCharacters(in: .whitespacesAndNewlines)))
        // A zombie may be left of it, until init has it.
        let state = try? String(contentsOfFile: "/proc/\(pid)/stat", encoding: .utf8)
        #expect(state == nil || state?.contains(") Z ") == true)
    }

    @Test(.timeLimit(.minutes(20))) func whoIsTooLateIsToldThatOthersHaveTheTask() async throws {
        let lost = ScriptedTransport.Step.problem(Problem(.leaseLost, detail: "The lease is lost: x"))
        let (outcome, _) = await Self.run("true", then: [lost])
        #expect(outcome == .init(exit: 0, output: "", errors: Self.lost))
    }

    /// The result is sent until the daemon has it. The daemon's absence is reported once.
    @Test(.timeLimit(.minutes(20))) func aResultOutlivesADaemonThatIsAway() async throws {
        let away = ScriptedTransport.Step.failure(.unreachable(.unix(path: "/s"), reason: "nobody listens there"))
        let draining = ScriptedTransport.Step.problem(Problem(.draining, detail: "The daemon is stopping"))
        let (outcome, requests) = await Self.run("echo 1", then: [away, draining, away, Self.taken])
        #expect(requests.count { $0.target == "/v1/tasks/0a/complete" } == 4)
        #expect(
            outcome.errors
                == """
                Cannot reach wfd at '/s': nobody listens there; trying again
                order-1 packing: done in 0.0 s

                """.replacing("'/s'", with: "'\(Address.unix(path: "/s"))'"))
    }

    @Test(.timeLimit(.minutes(20))) func withOnceNobodyWaitsForADaemon() async throws {
        let away = ScriptedTransport.Step.failure(.unreachable(.unix(path: "/s"), reason: "nobody listens there"))
        let outcome = await CommandHarness().run("work", "q", "--exec", "/bin/cat", "--once", answers: [away])
        #expect(outcome.exit == 69)
    }

    @Test(.timeLimit(.minutes(20))) func whatNoPatienceHelpsAgainstEndsTheWork() async throws {
        let refusal = ScriptedTransport.Step.problem(Problem(.invalidName, detail: "'q' is no name of a queue"))
        let outcome = await CommandHarness().run("work", "task:q", "--exec", "/bin/cat", answers: [refusal])
        #expect(outcome == .init(exit: 65, output: "", errors: "error: 'q' is no name of a queue\n"))
    }

    @Test(arguments: [
        ("http:a:80", "'http:a:80' has no workers: wfd carries out its effects itself"),
        ("exec:a", "'exec:a' has no workers: wfd carries out its effects itself"),
        ("1", "'1' is no queue of tasks: write letters, digits, '_', '.' and '-', first a letter or '_'"),
    ]) func whatHasNoWorkersIsRefused(queue: String, message: String) async {
        let outcome = await CommandHarness().run("work", queue, "--exec", "/bin/cat")
        #expect(outcome.exit == 64 && outcome.errors.hasPrefix("error: \(message)\n"))
    }

    /// It stops waiting for tasks, and leases no more.
    @Test(.timeLimit(.minutes(20))) func whoIsToldToStopStops() async throws {
        var harness = CommandHarness()
        let (stops, stop) = AsyncStream.makeStream(of: Void.self)
        harness.interruptions = { stops }
        stop.yield()
        let away = ScriptedTransport.Step.failure(.unreachable(.unix(path: "/s"), reason: "nobody listens there"))
        let (outcome, _) = await harness.run(
            ["work", "q", "--exec", "/bin/cat"], transport: ScriptedTransport(Array(repeating: away, count: 1_000)))
        #expect(outcome.exit == 0)
    }

    private static let wrong: [(arguments: [String], exit: Int32)] = [
        (["work", "q"], 64), (["work", "--exec", "/bin/cat"], 64),
        (["work", "q", "--exec", "/bin/cat", "--concurrency", "0"], 64),
        (["work", "q", "--exec", "/bin/cat", "--concurrency", "101"], 64),
        (["work", "q", "--exec", "/bin/cat", "--lease", "4"], 64),
        (["work", "q", "--exec", "/bin/cat", "--lease", "3601"], 64),
        (["work", "q", "--exec", "/nowhere/cat"], 66), (["work", "q", "--exec", "/etc/passwd"], 66),
        (["work", "q", "--exec", "no-such-program"], 66),
    ]

    @Test(arguments: wrong)
    func aWrongCommandIsRefusedBeforeATaskIsTaken(arguments: [String], exit: Int32) async {
        let transport = ScriptedTransport([])
        let (outcome, _) = await CommandHarness().run(arguments, transport: transport)
        #expect(outcome.exit == exit && transport.requests.isEmpty)
    }
}
