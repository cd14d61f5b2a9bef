import DaemonTesting
import Testing

/// Tests command lines of `wfctl` that fail: exit code and text of each.
@Suite struct BadCommandTests {
    /// A daemon with a few machines and instances, on which bad commands have no effect.
    private struct Stage {
        let folder: TemporaryFolder
        let daemon: Daemon

        init() async throws {
            folder = try TemporaryFolder()
            daemon = try await Daemon(in: folder)
            let starts = [("order", "order-1"), ("order", "order-9"), ("order", "finished"), ("traps", "trap")]
            let requests =
                [BadRequestMachines.order, BadRequestMachines.traps].map {
                    RawRequest.post("/v1/machines", $0, as: "application/yaml")
                }
                + starts.map { .post("/v1/instances", #"{"machine": "\#($0)", "instance": "\#($1)"}"#) }
                + ["submit", "reject"].map { .post("/v1/instances/finished/events", #"{"event": "\#($0)"}"#) }
            for request in requests {
                let answer = try await daemon.answer(to: request)
                guard answer.status < 300 else { throw TestingError("\(request.target): \(answer.text)") }
            }
        }
    }

    private struct Case {
        let arguments: [String]
        let exit: Int32
        let errors: String

        init(_ line: String, _ exit: Int32, _ errors: String, data: String? = nil) {
            arguments = line.split(separator: " ").map(String.init) + (data.map { ["--data", $0] } ?? [])
            self.exit = exit
            self.errors = errors
        }
    }

    private func expect(_ cases: [Case], on stage: Stage) async throws {
        let file = DatabaseFile(stage.daemon.database)
        let before = try file.dump()
        for bad in cases {
            let result = try await wfctl(
                bad.arguments, environment: ["WFCTL_ADDRESS": "\(stage.daemon.address)"])
            let line = "wfctl \(bad.arguments.joined(separator: " "))"
            #expect(result.end == .exited(bad.exit), "\(line)")
            #expect(result.errors == bad.errors + "\n", "\(line)")
            #expect(result.output == "", "\(line)")
            #expect(try file.dump() == before, "\(line)")
        }
    }

    @Test(.timeLimit(.minutes(20))) func theExitCodeFollowsTheProblem() async throws {
        try await expect(
            [
                Case("show nobody", 4, "error: There is no instance 'nobody'"),
                Case("show order-2", 4, "error: There is no instance 'order-2'\n  did you mean 'order-1'?"),
                Case("start ordre", 4, "error: There is no machine 'ordre'\n  did you mean 'order'?"),
                Case("start order --version 7", 4, "error: Machine 'order' has no version 7 (latest is 1)"),
                Case("start order order-1", 8, "error: Instance 'order-1' exists already"),
                Case(
                    "send order-1 pay", 5,
                    "error: order-1 does not accept 'pay' in state 'draft' (seq 1)\n  accepted now: submit"),
                Case(
                    "send finished pay", 5,
                    "error: finished, in state 'rejected' (seq 3), is done and accepts no more events"),
                Case(
                    "send trap break", 5,
                    "error: 'break' was undone: 'assign label.size' of state 'idle', line 9, failed: "
                        + "'label' is null, not a map\n  accepted now: again, break, spin"),
                Case(
                    "send order-1 submit --expect-seq 4", 6,
                    "error: order-1, in state 'draft' (seq 1), is not at seq 4"),
                Case(
                    "send order-1 submit --expect-state review", 6,
                    "error: order-1, in state 'draft' (seq 1), is not at state 'review'"),
            ], on: try await Stage())
    }

    @Test(.timeLimit(.minutes(20))) func badDataEndsWith65() async throws {
        let stage = try await Stage()
        let wrong = try stage.folder.write("id: m\ninitial: b\nstates: {a: {}}\n", to: "wrong.yaml")
        let large = try stage.folder.write(String(repeating: " ", count: (1 << 20) + 1), to: "large.yaml")
        try await expect(
            [
                Case(
                    "send order-1 sumbit", 65,
                    "error: Machine 'order' has no event 'sumbit'\n  accepted now: submit\n  did you mean 'submit'?"),
                Case(
                    "send order-1 error.x", 65,
                    "error: The event name 'error.x' is reserved: names under 'done.state.', 'done.invoke.', 'error.', "
                        + "'after.' belong to the engine"),
                Case(
                    "start order a/b", 65,
                    "error: 'a/b' is no instance name: 1 to 200 characters of A-Z a-z 0-9 _ . : @ -"),
                Case(
                    "start order x", 65, "error: The context of 'order' has no key 'amount'; it has no keys",
                    data: #"{"amount": 1}"#),
                Case(
                    "send order-1 submit", 65,
                    "error: The data of '--data' is not JSON: line 1, column 2: expected a key in double quotes, found 'c'",
                    data: "{card: 1}"),
                Case(
                    "apply \(wrong)", 65,
                    "\(wrong):2:10: error: target 'b' does not exist; there are 'a'\n"
                        + "error: Nothing was applied: the definition has mistakes"),
                Case("apply \(large)", 65, "error: Cannot use '\(large)': it is longer than 1048576 bytes"),
            ], on: stage)
    }

    @Test(.timeLimit(.minutes(20))) func aFileThatCannotBeReadEndsWith66() async throws {
        let stage = try await Stage()
        let missing = stage.folder.path("missing.yaml")
        try await expect(
            [
                Case("apply \(missing)", 66, "error: Cannot read '\(missing)': No such file or directory"),
                Case("apply \(stage.folder.path)", 66, "error: Cannot read '\(stage.folder.path)': Is a directory"),
                Case(
                    "send order-1 submit", 66, "error: Cannot read '\(missing)': No such file or directory",
                    data: "@" + missing),
            ], on: stage)
    }

    @Test(.timeLimit(.minutes(20))) func aCommandLineThatMeansNothingEndsWith64() async throws {
        let stage = try await Stage()
        try await expect(
            [
                Case("sned order-1 submit", 64, "error: There is no verb 'sned'\n  did you mean 'send'?"),
                Case("frobnicate", 64, "error: There is no verb 'frobnicate'\n  'wfctl --help' lists the verbs"),
            ], on: stage)
        for line in ["send order-1", "send order-1 submit extra", "history order-1 --limit 0", "show order-1 -o xml"] {
            let result = try await wfctl(
                line.split(separator: " ").map(String.init), environment: ["WFCTL_ADDRESS": "\(stage.daemon.address)"])
            #expect(result.end == .exited(64), "\(line)")
            #expect(result.errors.hasPrefix("error: ") && result.output == "", "\(line)")
        }
    }

    @Test(.timeLimit(.minutes(20))) func aDaemonThatIsNotThereEndsWith69() async throws {
        let folder = try TemporaryFolder()
        let socket = "unix:" + folder.path("wfd.sock")
        let hint = "\n  is wfd running? --address or WFCTL_ADDRESS sets another address\n"
        let absent = try await wfctl(["list", "--address", socket])
        #expect(absent.end == .exited(69))
        #expect(absent.errors == "error: Cannot reach wfd at '\(socket)': there is no such socket" + hint)

        let daemon = try await Daemon(in: folder)
        try await daemon.kill()
        let killed = try await wfctl(["list"], environment: ["WFCTL_ADDRESS": socket])
        #expect(killed.end == .exited(69))
        #expect(killed.errors == "error: Cannot reach wfd at '\(socket)': nobody listens there" + hint)
    }
}
