import Testing
import WorkflowClient
import WorkflowClientTesting

/// Tests what `wfctl console` prints: an address that a browser can open, or the line that lets wfd have one.
struct ConsoleVerbTests {
    @Test func theAddressHasTheCode() async {
        let answer =
            #"{"loginCode": "c0de", "expiresInSeconds": 60, "actor": "uid:1000(ops)", "#
            + #""url": "http://127.0.0.1:7433/console/"}"#
        let transport = ScriptedTransport([.json(answer, status: 201)])
        let (outcome, _) = await CommandHarness().run(
            ["console"], transport: transport, files: MemoryFiles(contents: [:]))
        #expect(outcome.exit == 0)
        #expect(outcome.output == "http://127.0.0.1:7433/console/?code=c0de\n")
        #expect(outcome.errors == "one use, within 60 s; a session as uid:1000(ops)\n")
        #expect(transport.requests.map(\.target) == ["/v1/sessions"])
    }

    @Test func withoutAnAddressForBrowsersTheLineIsTold() async {
        let transport = ScriptedTransport([.json(#"{"loginCode": "c0de", "expiresInSeconds": 60}"#, status: 201)])
        let (outcome, _) = await CommandHarness().run(
            ["console"], transport: transport, files: MemoryFiles(contents: [:]))
        #expect(outcome.exit == 1 && outcome.output.isEmpty)
        #expect(
            outcome.errors == """
                error: wfd listens on no TCP address, which a browser needs
                  start it with '--listen unix:/run/test.sock --listen 127.0.0.1:7433',
                  or with this line in its file: 'listen: [unix:/run/test.sock, 127.0.0.1:7433]'

                """)
    }
}
