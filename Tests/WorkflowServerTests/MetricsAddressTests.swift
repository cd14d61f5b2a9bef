import DaemonTesting
import IdentityTesting
import Statechart
import Testing
import WorkflowAPI
import WorkflowEngine
import WorkflowJSON
import WorkflowServer
import WorkflowStore

/// Tests an address for monitoring, where nothing else can be reached.
@Suite(.timeLimit(.minutes(20))) struct MetricsAddressTests {
    private static func path(of route: Route) -> String {
        route.template.path(route.template.parameters.map { $0 == "version" ? "1" : "x" })
    }

    @Test func itServesMetricsAndHealth() async throws {
        let host = try await ServerHost(serving: .metrics)
        let answers = try await host.answers(to: [.get("/metrics"), .get("/livez"), .get("/readyz")])
        #expect(answers.map(\.status) == [200, 200, 200])
        #expect(answers.first?.text.contains("\nwfd_ready 1\n") == true)
        for target in ["/metrics", "*"] {
            let answer = try await host.answers(to: [RawRequest("OPTIONS", target)])[0]
            #expect(answer.headers["allow"] == "GET, HEAD, OPTIONS", "\(target)")
        }
        try await host.stop()
    }

    @Test func allElseIsAnswered404AndSaysSo() async throws {
        let host = try await ServerHost(serving: .metrics)
        _ = try await host.engine.apply("{id: m, initial: a, states: {a: {on: {go: {}}}}}", syntax: .yaml)
        _ = try await host.engine.start(StartCommand(machine: "m", instance: "x"))
        for route in Route.all where !RouteSelection.metrics.routes.contains(route) {
            let body: [UInt8]? = if case .none = route.body { nil } else { Array(#"{"event": "go"}"#.utf8) }
            let request = RawRequest(
                route.method.rawValue, Self.path(of: route), headers: [("Content-Type", "application/json")],
                body: body)
            let answer = try await host.answers(to: [request])[0]
            #expect(answer.status == 404, "\(route)")
            #expect(try answer.object["type"] == "route-not-found", "\(route)")
            let detail =
                "There is no route \(route.method.rawValue) \(Self.path(of: route)) at this address: it serves "
                + "/livez, /readyz, /metrics alone"
            #expect(try answer.object["detail"] == .string(detail))
        }
        #expect(try await host.engine.instance(named: "x").record.seq.rawValue == 1)
        let text = try await host.answers(to: [.get("/metrics")])[0].text
        #expect(text.contains(#"wfd_refusals_total{type="route-not-found"} "#))
        try await host.stop()
    }
}
