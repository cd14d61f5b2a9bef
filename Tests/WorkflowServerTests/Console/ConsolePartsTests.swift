import DaemonTesting
import Foundation
import Testing
import WorkflowAPI
import WorkflowAccess
import WorkflowEngine
import WorkflowServer

/// Tests the answers that the module exchanges parts of a page for.
@Suite(.timeLimit(.minutes(20))) struct ConsolePartsTests {
    private static let lamp = """
        {"id": "lamp", "initial": "dark", "states": {
          "dark": {"on": {"flip": "bright"}}, "bright": {"on": {"flip": "dark"}}}}
        """

    /// Returns a host with an instance, and the cookie of a session.
    static func lit(_ roles: [Role] = [.admin]) async throws -> (ConsoleHost, cookie: String, token: String) {
        let host = try await ConsoleHost()
        let token = try host.token("ops", roles)
        try await host.ask("/v1/machines", lamp, host.token("setup", [.admin]))
        try await host.ask("/v1/instances", #"{"machine": "lamp", "instance": "hall"}"#, host.token("start", [.admin]))
        return (host, try await host.session(token), token)
    }

    @Test func partsAreTheContentAlone() async throws {
        let (host, cookie, _) = try await Self.lit()
        let whole = try await host.get("/console/instances/hall", cookie)
        #expect(whole.text.contains("<svg") && whole.text.contains("data-stream=\"/console/stream?instance=hall&amp;"))
        let parts = try await host.get("/console/instances/hall", cookie, [("Wfd-Parts", "-")])
        #expect(parts.status == 200 && parts.text.hasPrefix("<main ") && parts.text.hasSuffix("</main>"))
        #expect(whole.text.contains(parts.text))
        for part in ["state", "events", "waits", "context", "history"] {
            #expect(parts.text.contains("<section id=\"part-\(part)\" data-part=\"\(part)\" "), "\(part)")
        }
        let past = try await host.get("/console/instances/hall?seq=1", cookie, [("Wfd-Parts", "-")])
        #expect(past.status == 200 && !past.text.contains("data-stream"))
        let missing = try await host.get("/console/instances/none", cookie, [("Wfd-Parts", "-")])
        #expect(missing.status == 404 && missing.text.hasPrefix("<main ") && missing.text.contains("&#39;none&#39;"))
        #expect(try await host.get("/console/instances/hall", nil, [("Wfd-Parts", "-")]).status == 401)
        try await host.server.stop()
    }

    @Test func aDrawingThatIsShownIsNotDrawnAgain() async throws {
        let (host, cookie, token) = try await Self.lit()
        func drawing(_ key: String) async throws -> Substring? {
            let page = try await host.get("/console/instances/hall", cookie, [("Wfd-Parts", key)])
            return page.text.firstMatch(of: /<div class="drawing"([^>]*)>.*?</)?.output.0
        }
        let attributes = "<div class=\"drawing\" data-drawing=\"lamp@1\" data-active="
        #expect(try await drawing("-") == "\(attributes)\"dark\" data-taken=\"\"><")
        let page = try await host.get("/console/instances/hall", cookie, [("Wfd-Parts", "lamp@1")])
        #expect(page.text.contains("\(attributes)\"dark\" data-taken=\"\"></div>") && !page.text.contains("<svg"))
        try await host.ask("/v1/instances/hall/events", #"{"event": "flip"}"#, token)
        let next = try await host.get("/console/instances/hall", cookie, [("Wfd-Parts", "lamp@1")])
        #expect(next.text.contains("\(attributes)\"bright\" data-taken=\"\"></div>"))
        for key in ["lamp@2", "lamp", "", "lamp@11"] {
            let page = try await host.get("/console/machines/lamp", cookie, [("Wfd-Parts", key)])
            #expect(page.text.contains("<svg"), "\(key)")
        }
        try await host.server.stop()
    }

    /// A row of a machine reaches all pages of its list at once.
    @Test func manyPagesAreRenewedOneAfterAnother() async throws {
        let (host, cookie, _) = try await Self.lit()
        let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 1...100 {
                group.addTask { try await host.get("/console/instances", cookie, [("Wfd-Parts", "-")]).status }
            }
            return try await group.reduce(into: [Int: Int]()) { counts, status in counts[status, default: 0] += 1 }
        }
        #expect(statuses == [200: 100])
        try await host.server.stop()
    }
}
