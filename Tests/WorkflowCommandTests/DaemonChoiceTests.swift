import Synchronization
import Testing
import WorkflowClient
import WorkflowClientTesting

/// Tests which daemon and which token a command line takes.
struct DaemonChoiceTests {
    private static let file = """
        current: test
        contexts:
          prod:
            address: https://wfd.example:7433
            token: prod-token
          test:
            address: https://test.example
            token: test-token
        """
    private static let place = "/home/a/.config/wfctl/contexts.yaml"

    /// Returns the chosen address and token.
    private func chosen(
        _ arguments: [String], _ variables: [String: String], files: [String: String] = [place: file]
    ) async -> String {
        let seen = Mutex<[String]>([])
        var harness = CommandHarness()
        harness.variables = ["HOME": "/home/a"].merging(variables) { $1 }
        harness.files = files
        harness.connecting = { address, access in
            seen.withLock { $0.append("\(address) \(access.token ?? "-")") }
        }
        let transport = ScriptedTransport([.json(#"{"items": []}"#)])
        let (outcome, _) = await harness.run(["list"] + arguments, transport: transport)
        return seen.withLock { $0.first } ?? outcome.errors
    }

    @Test(arguments: [
        ([], [:], "https://test.example:443 test-token"),
        (["--context", "prod"], [:], "https://wfd.example:7433 prod-token"),
        ([], ["WFCTL_CONTEXT": "prod"], "https://wfd.example:7433 prod-token"),
        (["--context", "test"], ["WFCTL_CONTEXT": "prod"], "https://test.example:443 test-token"),
        // The token of a context goes nowhere else.
        (["--address", "https://a.example"], ["WFCTL_CONTEXT": "prod"], "https://a.example:443 -"),
        ([], ["WFCTL_ADDRESS": "https://a.example", "WFCTL_CONTEXT": "prod"], "https://a.example:443 -"),
        (["--context", "prod"], ["WFCTL_ADDRESS": "https://a.example"], "https://wfd.example:7433 prod-token"),
        // The token of the environment does not replace that of a context.
        (["--context", "prod"], ["WFCTL_TOKEN": "mine"], "https://wfd.example:7433 prod-token"),
        ([], ["WFCTL_ADDRESS": "https://a.example", "WFCTL_TOKEN": "mine"], "https://a.example:443 mine"),
        (
            [], ["WFCTL_ADDRESS": "https://a.example", "WFCTL_TOKEN": "mine", "WFCTL_TOKEN_FILE": "/token"],
            "https://a.example:443 file-token"
        ),
    ])
    func oneDaemonAndOneTokenAreChosen(arguments: [String], variables: [String: String], choice: String) async {
        let files = [Self.place: Self.file, "/token": " file-token\n"]
        #expect(await chosen(arguments, variables, files: files) == choice)
    }

    @Test func whatContradictsItselfOrIsUnknownIsRefused() async {
        #expect(
            await chosen(["--address", "unix:/a", "--context", "prod"], [:])
                == "error: '--address' contradicts '--context': give one of them\n")
        #expect(
            await chosen(["--context", "prd"], [:])
                == "error: There is no context 'prd': there are: prod, test; 'wfctl login URL --name prd' makes it\n")
        #expect(
            await chosen(["--context", "prd"], [:], files: [:])
                == "error: There is no context 'prd': there is none; 'wfctl login URL --name prd' makes it\n")
        #expect(
            await chosen([], ["WFCTL_ADDRESS": "unix:/a", "WFCTL_TOKEN": "two words"])
                == "error: Cannot use the token: it is empty, or has characters that no token has\n")
    }

    @Test(arguments: [
        "contexts: {a: {address: secret-token, token: [1]}}", "secret-token", "contexts: {a: {token: secret-token",
    ])
    func aBrokenFileIsRefusedWithoutItsContent(text: String) async {
        #expect(
            await chosen([], [:], files: [Self.place: text])
                == "error: Cannot use '\(Self.place)': it is not a file that 'wfctl login' writes\n")
    }
}
