import DaemonTesting
import Testing
import WorkflowAPI
import WorkflowAccess
import WorkflowEngine
import WorkflowServer

/// Tests that the console of a standby shows and does what the owner has.
@Suite(.timeLimit(.minutes(20))) struct ForwardedConsoleTests {
    @Test func itsPagesShowTheOwnersInstances() async throws {
        let pair = try await PeerPair()
        try await pair.start("a")
        let forwarder = Forwarder(directory: pair.atStandby, secret: try #require(PeerPair.secret))
        let console = try await ConsoleHost(forwarder: forwarder)
        let cookie = try await console.session(console.token("person", [.operate]))
        let page = try await console.get("/console/instances/a", cookie)
        #expect(page.status == 200 && page.text.contains("shut"))
        let form = try ConsoleHost.formValue(in: page)
        let viewer = try await console.session(console.token("viewer", [.view]))
        #expect(try await console.get("/console/instances", viewer).text.contains("/console/instances/a"))
        #expect(try await console.post("/console/act/suspend/a", "form=\(form)", viewer).status == 403)
        try await console.server.stop()
        try await pair.stop()
    }
}
