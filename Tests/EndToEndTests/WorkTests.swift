import DaemonTesting
import Foundation
import Testing
import WorkflowJSON

/// Tests `wfctl work` with a real daemon: a program packs an order, whatever is killed meanwhile.
@Suite struct WorkTests {
    private static let machine = """
        id: parcel
        initial: packing
        context: {items: [], receipt: null, why: null}
        states:
          packing:
            invoke:
              task: stock
              input: {items: context.items}
              retry: {attempts: 3, first: 1ms, jitter: 0}
              onDone: {target: packed, actions: {assign: {receipt: event.data}}}
              onError: {target: refused, actions: {assign: {why: event.data}}}
          packed: {type: final}
          refused: {type: final}
        """

    /// A folder with a daemon, and a program for its workers.
    private struct Stage {
        let folder: TemporaryFolder
        var daemon: Daemon
        let script: String

        init(_ script: String, starting names: String...) async throws {
            folder = try TemporaryFolder()
            // Opening one of these pipes waits for the other side.
            for name in ["go", "runs-1", "runs-2"] { #expect(mkfifo(folder.path(name), 0o600) == 0) }
            daemon = try await Daemon(in: folder)
            self.script = try folder.write(script, to: "pack.sh")
            _ = try await daemon.said("apply", try folder.write(machine, to: "parcel.yaml"))
            for name in names {
                _ = try await daemon.said("start", "parcel", name, "--data", #"{"items": ["pen"]}"#)
            }
        }

        /// Starts a worker.
        func work(_ options: String..., token: String? = nil) throws -> RunningProgram {
            try RunningProgram(
                Programs.path("wfctl"), ["work", "stock"] + options + ["--exec", "/bin/sh", script],
                environment: Programs.environment([
                    "WFCTL_ADDRESS": "\(daemon.address)", "PLACE": folder.path, "WFCTL_TOKEN": token ?? "",
                ]))
        }

        func show(_ name: String) async throws -> JSONValue { try await daemon.json("show", name) }

        /// Waits until a program reports that it runs, at this attempt.
        func waitForProgram(attempt: Int) async throws {
            try await onOwnThread { [folder] in
                // Opening it so waits for nobody; a program that never says so is told of.
                let pipe = open(folder.path("runs-\(attempt)"), O_RDONLY | O_NONBLOCK)
                defer { close(pipe) }
                var wanted = pollfd(fd: pipe, events: Int16(POLLIN), revents: 0)
                guard poll(&wanted, 1, 240_000) == 1 else {
                    throw TestingError("no program ran at attempt \(attempt)")
                }
            }
        }

        /// Lets all running programs continue.
        func letThemGoOn() async throws {
            try await onOwnThread { [folder] in
                // The pipe has no reader before a program has come so far.
                let deadline = ContinuousClock.now + .seconds(240)
                while true {
                    let pipe = open(folder.path("go"), O_WRONLY | O_NONBLOCK)
                    if pipe >= 0 {
                        close(pipe)
                        return
                    }
                    guard .now < deadline else { throw TestingError("no program waits to go on") }
                    sched_yield()
                }
            }
        }
    }

    /// A program that reports that it runs, and continues on request.
    private static let waiting = """
        echo $$ >"$PLACE/runs-$WFD_ATTEMPT"
        cat "$PLACE/go"
        echo "{\\"attempt\\": $WFD_ATTEMPT}"
        """

    @Test(.timeLimit(.minutes(20))) func aProgramPacksWhatIsThere() async throws {
        let stage = try await Stage("cat", starting: "p-1", "p-2", "p-3")
        let result = try await stage.work("--once", "--concurrency", "2").result()
        #expect(result.end == .exited(0) && result.output.isEmpty)
        #expect(
            result.errors.split(separator: "\n").map { $0.replacing(/\d+\.\d s/, with: "SPAN") }.sorted() == [
                "p-1 packing: done in SPAN", "p-2 packing: done in SPAN", "p-3 packing: done in SPAN",
            ])
        for name in ["p-1", "p-2", "p-3"] {
            let shown = try await stage.show(name)
            #expect(shown["status"] == "done" && shown["context"]["receipt"] == ["items": ["pen"]])
        }
        #expect(try await stage.daemon.stop().end == .exited(0))
    }

    @Test(.timeLimit(.minutes(20))) func aProgramThatFailsIsTriedAgain() async throws {
        let stage = try await Stage("[ $WFD_ATTEMPT = 3 ] || exit 1; echo $WFD_ATTEMPT", starting: "p")
        let worker = try stage.work()
        _ = try await worker.errorLines(containing: "p packing: done")
        worker.signal(SIGTERM)
        #expect(try await worker.result().end == .exited(0))
        #expect(try await worker.result().errors.split(separator: "\n").count { $0.contains("exit code 1") } == 2)
        #expect(try await stage.show("p")["context"]["receipt"] == 3)
        #expect(try await stage.daemon.stop().end == .exited(0))
    }

    @Test(.timeLimit(.minutes(20))) func exitCode65IsNotTriedAgain() async throws {
        let stage = try await Stage("echo 'no such pen' >&2; exit 65", starting: "p")
        #expect(try await stage.work("--once").result().end == .exited(0))
        let shown = try await stage.show("p")
        #expect(shown["configuration"] == ["refused"])
        #expect(
            shown["context"]["why"] == [
                "type": "exit", "message": "exit code 65", "attempts": 1,
                "details": ["code": 65, "stderr": "no such pen\n"],
            ])
        #expect(try await stage.daemon.stop().end == .exited(0))
    }

    /// The task comes again when the lease has run out. The first program, which is still there, changes nothing.
    @Test(.timeLimit(.minutes(20))) func theTaskOfAKilledWorkerComesAgain() async throws {
        let stage = try await Stage(Self.waiting, starting: "p")
        let killed = try stage.work("--lease", "5")
        try await stage.waitForProgram(attempt: 1)
        killed.signal(SIGKILL)
        let next = try stage.work("--lease", "5")
        try await stage.waitForProgram(attempt: 2)
        let failed = try #require(try await stage.daemon.json("effects", "p").elements.first)["failedAttempts"]
        #expect(failed.elements.map { $0["outcome"] } == ["lease-expired"])
        try await stage.letThemGoOn()
        _ = try await next.errorLines(containing: "p packing: done")
        #expect(try await stage.show("p")["context"]["receipt"] == ["attempt": 2])
        next.signal(SIGINT)
        #expect(try await next.result().end == .exited(0))
        #expect(try await stage.daemon.stop().end == .exited(0))
    }

    @Test(.timeLimit(.minutes(20))) func aKilledDaemonTakesTheResultWhenItIsBack() async throws {
        var stage = try await Stage(Self.waiting, starting: "p")
        let worker = try stage.work("--concurrency", "2")
        try await stage.waitForProgram(attempt: 1)
        try await stage.daemon.kill()
        _ = try await worker.errorLines(containing: "; trying again")
        try await stage.letThemGoOn()
        stage.daemon = try await Daemon(in: stage.folder)
        _ = try await worker.errorLines(containing: "p packing: done")
        #expect(try await stage.show("p")["context"]["receipt"] == ["attempt": 1])
        // The worker works on, for the new daemon.
        _ = try await stage.daemon.said("start", "parcel", "q")
        try await stage.waitForProgram(attempt: 1)
        try await stage.letThemGoOn()
        _ = try await worker.errorLines(containing: "q packing: done")
        worker.signal(SIGTERM)
        let result = try await worker.result()
        #expect(result.end == .exited(0))
        #expect(result.errors.split(separator: "\n").count { $0.contains("trying again") } == 1)
        #expect(try await stage.daemon.stop().end == .exited(0))
    }

    @Test(.timeLimit(.minutes(20))) func whatRunsEndsByItselfAfterASignal() async throws {
        let stage = try await Stage(Self.waiting, starting: "p")
        let worker = try stage.work("--concurrency", "2")
        try await stage.waitForProgram(attempt: 1)
        worker.signal(SIGTERM)
        _ = try await stage.daemon.said("start", "parcel", "later")
        try await stage.letThemGoOn()
        #expect(try await worker.result().end == .exited(0))
        #expect(try await stage.show("p")["status"] == "done")
        #expect(try await stage.show("later")["status"] == "running")
        #expect(try await stage.daemon.stop().end == .exited(0))
    }

    @Test(.timeLimit(.minutes(20))) func aSecondSignalEndsWhatRuns() async throws {
        let stage = try await Stage(Self.waiting, starting: "p")
        let worker = try stage.work()
        try await stage.waitForProgram(attempt: 1)
        worker.signal(SIGINT)
        worker.signal(SIGTERM)
        let result = try await worker.result()
        #expect(result.end == .exited(0) && result.errors.contains("killed by signal 15"), "\(result)")
        #expect(try await stage.show("p")["status"] == "running")
        #expect(try await stage.daemon.stop().end == .exited(0))
    }

    @Test(.timeLimit(.minutes(20)), arguments: [true, false])
    func aWorkerWhoseTokenIsRevokedEndsWithALine(isRunning: Bool) async throws {
        let stage = try await Stage(Self.waiting)
        let token = try await stage.daemon.secret("packer", "work")
        let worker = try stage.work("--lease", "5", token: token)
        _ = try await stage.daemon.said("start", "parcel", "p")
        try await stage.waitForProgram(attempt: 1)
        if !isRunning {
            try await stage.letThemGoOn()
            _ = try await worker.errorLines(containing: "p packing: done")
        }
        _ = try await stage.daemon.said("token", "revoke", "packer")
        let result = try await worker.result()
        #expect(result.end == .exited(77))
        let refusal =
            "'\(stage.daemon.address)' does not accept the token in WFCTL_TOKEN: it is unknown, revoked or expired; "
            + "set a new one"
        // The connection of a waiting request is closed, and the next request meets the refusal.
        let lines = result.errors.split(separator: "\n").filter { !$0.hasSuffix("; trying again") }
            .map { $0.replacing(/\d+\.\d s/, with: "SPAN") }
        let first = isRunning ? "the lease was lost after SPAN: \(refusal)" : "done in SPAN"
        #expect(lines == ["p packing: \(first)", "error: \(refusal)"])
        #expect(try await stage.daemon.stop().end == .exited(0))
    }
}
