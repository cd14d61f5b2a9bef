import Synchronization
import Testing
import WorkflowClient
import WorkflowClientTesting

/// Tests how a context comes into the file, and leaves it.
struct LoginVerbTests {
    private static let place = "/home/a/.config/wfctl/contexts.yaml"
    private static let caller = #"{"actor": "token:shop", "roles": ["send", "work"], "permissions": ["read", "send"]}"#

    private func harness(secret: String? = "secret-token\n") -> CommandHarness {
        var harness = CommandHarness()
        harness.variables = ["HOME": "/home/a", "PWD": "/work"]
        harness.secret = secret
        return harness
    }

    @Test func aTokenIsKeptOnceTheDaemonKnowsIt() async throws {
        let files = MemoryFiles(contents: [:])
        let transport = ScriptedTransport([.json(Self.caller)])
        let (outcome, addresses) = await harness().run(
            ["login", "https://wfd.example:7433", "--name", "prod"], transport: transport, files: files)
        #expect(outcome == .init(exit: 0, output: "token:shop at https://wfd.example:7433: send, work\n", errors: ""))
        #expect(addresses == [.tls(host: "wfd.example", port: 7433)])
        #expect(transport.requests.map(\.target) == ["/v1/whoami"])
        #expect(
            files.contents[Self.place] == """
                contexts:
                  prod:
                    address: https://wfd.example:7433
                    token: secret-token

                """)
    }

    @Test func withoutATerminalTheTokenIsRead() async {
        let files = MemoryFiles(contents: ["-": " from-a-pipe \n"])
        let (outcome, _) = await harness(secret: nil).run(
            ["login", "https://a.example", "--name", "a"], transport: ScriptedTransport([.json(Self.caller)]),
            files: files)
        #expect(outcome.exit == 0)
        #expect(files.contents[Self.place]?.contains("token: from-a-pipe\n") == true)
    }

    @Test func aTokenThatIsRefusedIsNotKept() async {
        let files = MemoryFiles(contents: [:])
        let unknown = ScriptedTransport([.failure(.unreachable(.unix(path: "/a"), reason: "nobody listens there"))])
        let (outcome, _) = await harness().run(
            ["login", "https://a.example", "--name", "a"], transport: unknown, files: files)
        #expect(outcome.exit == 69 && files.contents == [:])
    }

    @Test func contextsAreListedChosenAndForgotten() async {
        let text = "contexts:\n  a:\n    address: https://a\n    token: x\n  b:\n    address: https://b\n    token: y\n"
        let files = MemoryFiles(contents: [Self.place: text])
        func run(_ arguments: String...) async -> CommandHarness.Outcome {
            await harness().run(arguments, transport: ScriptedTransport([]), files: files).outcome
        }
        #expect(await run("contexts").output == "  a   https://a\n  b   https://b\n")
        #expect(await run("contexts", "--use", "b").output == "  a   https://a\n* b   https://b\n")
        #expect(await run("logout", "b").exit == 0)
        #expect(files.contents[Self.place] == "contexts:\n  a:\n    address: https://a\n    token: x\n")
        #expect(await run("logout", "b").exit == 64)
        let listed = await run("contexts", "-o", "jsonl").output
        #expect(listed == #"{"items":[{"address":"https://a","context":"a","current":false}]}"# + "\n")
    }
}
