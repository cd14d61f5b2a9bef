import DaemonTesting
import Foundation
import Testing
import WorkflowJSON

/// Tests `Examples/shop`: the worker that needs nothing but Python.
@Suite(.enabled(if: TestService.python != nil, "there is no python3 on this system"))
struct StockTests {
    private static let worker = Programs.example("shop/stock").replacing(".yaml", with: ".py")

    private static func run(_ folder: TemporaryFolder, _ options: String...) throws -> RunningProgram {
        try RunningProgram(
            #require(TestService.python), [worker, folder.path("wfd.sock")] + options,
            environment: Programs.environment())
    }

    @Test(.timeLimit(.minutes(20))) func itPacksWhatIsThereAndRefusesTheRest() async throws {
        let folder = try TemporaryFolder()
        let daemon = try await Daemon(in: folder)
        _ = try await daemon.said("apply", Programs.example("shop/parcel"))
        for (name, items) in [("p-1", #"["pen", "ink"]"#), ("p-2", #"["lamp"]"#)] {
            _ = try await daemon.said("start", "parcel", name, "--data", #"{"items": \#(items)}"#)
        }
        let result = try await Self.run(folder, "--once").result()
        #expect(result.end == .exited(0) && result.errors.isEmpty, "\(result)")
        #expect(result.output == "p-1: packed\np-2: refused\n")
        #expect(try await daemon.json("show", "p-1")["output"] == ["receipt": ["weight": 8]])
        #expect(try await daemon.json("show", "p-2")["output"] == ["why": "not in stock: lamp"])
        #expect(try await daemon.stop().end == .exited(0))
    }

    @Test(.timeLimit(.minutes(20))) func itWaitsForTheDaemonAndForTasks() async throws {
        let folder = try TemporaryFolder()
        let worker = try Self.run(folder)
        var daemon = try await Daemon(in: folder)
        _ = try await daemon.said("apply", Programs.example("shop/parcel"))
        _ = try await daemon.said("start", "parcel", "p-1", "--data", #"{"items": ["pen"]}"#)
        #expect(try await worker.outputLines(containing: "p-1: packed").count == 1)
        try await daemon.kill()
        daemon = try await Daemon(in: folder)
        _ = try await daemon.said("start", "parcel", "p-2", "--data", #"{"items": ["ink"]}"#)
        #expect(try await worker.outputLines(containing: "p-2: packed").count == 1)
        worker.signal(SIGINT)
        #expect(try await worker.result().end == .exited(0))
        #expect(try await daemon.stop().end == .exited(0))
    }

    /// The environment is that of wfctl.
    @Test(.timeLimit(.minutes(20))) func itWorksOverTLS() async throws {
        let folder = try TemporaryFolder()
        let authority = try await TestAuthority(in: folder)
        let pair = try await authority.pair("a")
        let daemon = try await Daemon(
            arguments: Daemon.arguments(
                database: folder.path("wfd.db"), listen: ["unix:" + folder.path("wfd.sock"), "127.0.0.1:0"])
                + ["--tls-certificate", pair.certificate, "--tls-key", pair.key], database: folder.path("wfd.db"),
            addresses: 2)
        let token = try await daemon.secret("packer", "work,send,deploy")
        let variables = ["WFCTL_ADDRESS": "\(daemon.web)", "WFCTL_CA": authority.file, "WFCTL_TOKEN": token]
        let start = ["start", "parcel", "p-1", "--data", #"{"items": ["pen"]}"#]
        for arguments in [["apply", Programs.example("shop/parcel")], start] {
            #expect(try await wfctl(arguments, environment: variables).end == .exited(0))
        }
        let worker = try RunningProgram(
            #require(TestService.python), [Self.worker, "\(daemon.web)", "--once"],
            environment: Programs.environment(variables))
        let result = try await worker.result()
        #expect(result.end == .exited(0) && result.output == "p-1: packed\n", "\(result)")
        let stranger = try await RunningProgram(
            #require(TestService.python), [Self.worker, "\(daemon.web)", "--once"],
            environment: Programs.environment()
        ).result()
        #expect(stranger.end == .exited(69) && stranger.errors.contains("cannot trust '\(daemon.web)'"), "\(stranger)")
        #expect(stranger.errors.split(separator: "\n").count == 1)
        #expect(try await daemon.stop().end == .exited(0))
    }

    @Test(.timeLimit(.minutes(20))) func itEndsWithALineWhenItsTokenIsRevoked() async throws {
        let folder = try TemporaryFolder()
        let daemon = try await Daemon(in: folder)
        _ = try await daemon.said("apply", Programs.example("shop/parcel"))
        let file = try folder.write(try await daemon.secret("packer", "work"), to: "packer.token")
        let worker = try RunningProgram(
            #require(TestService.python), [Self.worker, folder.path("wfd.sock")],
            environment: Programs.environment(["WFCTL_TOKEN_FILE": file]))
        _ = try await daemon.said("start", "parcel", "p-1", "--data", #"{"items": ["pen"]}"#)
        _ = try await worker.outputLines(containing: "p-1: packed")
        _ = try await daemon.said("token", "revoke", "packer")
        let result = try await worker.result()
        #expect(
            result.errors == """
                stock.py: '\(folder.path("wfd.sock"))' does not accept the token in '\(file)' (WFCTL_TOKEN_FILE): \
                it is unknown, revoked or expired; WFCTL_TOKEN_FILE names the file of another

                """)
        #expect(result.end == .exited(77))
        let lost = try await RunningProgram(
            #require(TestService.python), [Self.worker, folder.path("wfd.sock")],
            environment: Programs.environment(["WFCTL_TOKEN_FILE": file + "s"])
        ).result()
        #expect(lost.end == .exited(66))
        #expect(lost.errors == "stock.py: cannot read WFCTL_TOKEN_FILE '\(file)s': No such file or directory\n")
        #expect(try await daemon.stop().end == .exited(0))
    }
}
