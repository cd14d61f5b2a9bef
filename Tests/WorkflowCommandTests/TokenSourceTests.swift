import Foundation
import Testing
import WorkflowAPI
import WorkflowClient
import WorkflowClientTesting

/// Tests the message about a token that is missing or not accepted, to the letter.
struct TokenSourceTests {
    static let none =
        "'unix:/run/test.sock' needs a token, and none is given: 'wfctl login unix:/run/test.sock --name NAME' keeps "
        + "one, or WFCTL_TOKEN_FILE names its file"
    private static let why = "it is unknown, revoked or expired"
    private static let contexts = """
        contexts:
          prod:
            address: https://wfd.example:7433
            token: secret-token
        """

    private static func errors(
        _ arguments: [String], _ variables: [String: String] = [:], secret: String? = nil
    ) async -> (exit: Int32, errors: String) {
        var harness = CommandHarness()
        harness.variables = ["WFCTL_ADDRESS": "https://a.example", "HOME": "/home/a"].merging(variables) { $1 }
        harness.files = ["/home/a/.config/wfctl/contexts.yaml": contexts, "/t": "secret-token", "lines": "{}"]
        harness.secret = secret
        let problem = Problem(.unauthenticated, detail: "The request needs a valid token")
        let steps = [ScriptedTransport.Step](repeating: .problem(problem), count: 3)
        let outcome = await harness.run(arguments, transport: ScriptedTransport(steps)).outcome
        #expect(!outcome.errors.contains("secret-token"))
        return (outcome.exit, outcome.errors)
    }

    @Test(arguments: [
        (
            [:],
            "'https://a.example:443' needs a token, and none is given: 'wfctl login https://a.example:443 --name NAME' "
                + "keeps one, or WFCTL_TOKEN_FILE names its file"
        ),
        (
            ["WFCTL_TOKEN": "secret-token"],
            "'https://a.example:443' does not accept the token in WFCTL_TOKEN: \(why); set a new one"
        ),
        (
            ["WFCTL_TOKEN": "secret-token", "WFCTL_TOKEN_FILE": "/t"],
            "'https://a.example:443' does not accept the token in '/t' (WFCTL_TOKEN_FILE): \(why); put a new one there"
        ),
        (
            ["WFCTL_ADDRESS": "", "WFCTL_CONTEXT": "prod", "WFCTL_TOKEN": "other"],
            "'https://wfd.example:7433' does not accept the token of the context 'prod': \(why); "
                + "'wfctl login https://wfd.example:7433 --name prod' takes a new one"
        ),
    ])
    func theMessageNamesThePlaceOfTheToken(variables: [String: String], message: String) async {
        let verbs = [
            ["list"], ["send", "o", "e"], ["tail"], ["work", "q", "--exec", "/bin/true"], ["backup", "/new"],
        ]
        for arguments in verbs {
            let failure = await Self.errors(arguments, variables)
            #expect(failure == (77, "error: \(message)\n"), "\(arguments)")
        }
    }

    @Test func aTokenThatIsTypedIsNotKept() async {
        let failure = await Self.errors(
            ["login", "https://a.example", "--name", "a"], secret: "secret-token")
        #expect(
            failure == (
                77,
                "error: 'https://a.example:443' does not accept this token: \(Self.why); 'wfctl token list' at the "
                    + "daemon shows the tokens\n"
            ))
    }

    @Test(arguments: [["--ca", "/no.pem"], ["--ca=/no.pem"], []])
    func aMissingFileOfAuthoritiesIsNamed(option: [String]) async {
        let failure = await Self.errors(["list"] + option, option.isEmpty ? ["WFCTL_CA": "/no.pem"] : [:])
        #expect(failure == (66, "error: Cannot read the authorities in '/no.pem': No such file or directory\n"))
        let login = await Self.errors(["login", "https://a", "--name", "a", "--ca", "/no.pem"], secret: "t")
        #expect(login == failure)
    }

    @Test func aFileWithoutCertificatesIsNamed() async throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "no-certificate-\(UUID()).pem").path
        try Data("none".utf8).write(to: URL(filePath: file))
        defer { try? FileManager.default.removeItem(atPath: file) }
        let failure = await Self.errors(["list", "--ca", file])
        let message = "Cannot use the authorities in '\(file)': the file has no certificates in PEM"
        #expect(failure == (65, "error: \(message)\n"))
    }
}
