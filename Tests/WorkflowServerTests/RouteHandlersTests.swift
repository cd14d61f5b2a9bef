import DaemonTesting
import Foundation
import IdentityTesting
import Statechart
import Synchronization
import Testing
import WorkflowAPI
import WorkflowEngine
import WorkflowJSON
import WorkflowStore

@testable import WorkflowServer  // Its handlers are no part of what the daemon uses.

/// Tests that server and table have the same routes, and that nothing bypasses the gate.
@Suite struct RouteHandlersTests {
    private static func path(of route: Route) -> String {
        route.template.path(route.template.parameters.map { $0 == "version" ? "1" : "x" })
    }

    @Test(.timeLimit(.minutes(20))) func eachRouteHasAHandlerAndEachHandlerARoute() async throws {
        let host = try await ServerHost()
        let endpoint = EventEndpoint(engine: host.engine, budget: AnswerBudget())
        let handlers = WorkflowServer.handlers(endpoint: endpoint, access: .everyone, version: "test")
        #expect(handlers.routes == Set(Route.all))
        try await host.stop()
    }

    @Test(.timeLimit(.minutes(20))) func aRefusingGateStandsInFrontOfEveryRouteAndIsToldWhichItIs() async throws {
        let asked = Mutex<Set<Route>>([])
        let host = try await ServerHost { _, route in
            if let route { asked.withLock { _ = $0.insert(route) } }
            return .failure(Problem(.crossSite, detail: "Nobody may \(route?.description ?? "ask")"))
        }
        for route in Route.all {
            let body: [UInt8]? = if case .none = route.body { nil } else { Array("{}".utf8) }
            let request = RawRequest(
                route.method.rawValue, Self.path(of: route), headers: [("Content-Type", "application/json")],
                body: body)
            let answer = try await host.answers(to: [request])[0]
            #expect(answer.status == 403, "\(route)")
            #expect(try answer.object["detail"] == .string("Nobody may \(route)"))
        }
        #expect(asked.withLock { $0 } == Set(Route.all))
        for request in [RawRequest("OPTIONS", "/livez"), RawRequest("TRACE", "/v1/events"), .get("/nowhere")] {
            let answer = try await host.answers(to: [request])[0]
            #expect(try answer.object["detail"] == "Nobody may ask")
        }
        try await host.stop()
    }

    /// The first event of a connection is taken before the router; with a query the router gets it.
    @Test(.timeLimit(.minutes(20)), arguments: ["", "?detail=true"])
    func aRefusedEventIsNotApplied(query: String) async throws {
        let isRefusing = Atomic(false)
        let host = try await ServerHost { caller, _ in
            isRefusing.load(ordering: .relaxed) ? .failure(Problem(.crossSite, detail: "No")) : .success(caller)
        }
        _ = try await host.engine.apply("{id: m, initial: a, states: {a: {on: {go: {}}}}}", syntax: .yaml)
        _ = try await host.engine.start(StartCommand(machine: "m", instance: "x"))
        let event = RawRequest.post(Route.sendEvent.path("x") + query, #"{"event": "go"}"#)
        #expect(try await host.answers(to: [event])[0].object["seq"] == 2)
        isRefusing.store(true, ordering: .relaxed)
        #expect(try await host.answers(to: [event, event]).map(\.status) == [403, 403])
        isRefusing.store(false, ordering: .relaxed)
        #expect(try await host.answers(to: [event])[0].object["seq"] == 3)
        try await host.stop()
    }

    /// The other tests of the description hold `docs/openapi.json` to the table of routes.
    @Test(.timeLimit(.minutes(20))) func theDescriptionIsTheFileInDocs() async throws {
        let host = try await ServerHost()
        let answer = try await host.answers(to: [.get(Route.openAPI.path())])[0]
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        #expect(answer.status == 200 && answer.headers["content-type"] == "application/json")
        #expect(try Data(answer.body) == Data(contentsOf: root.appending(path: "docs/openapi.json")))
        try await host.stop()
    }

    @Test(.timeLimit(.minutes(20))) func theGateKnowsWhoAsks() async throws {
        let seen = Mutex<Set<String?>>([])
        let host = try await ServerHost { caller, _ in
            seen.withLock { _ = $0.insert(caller.actor?.rawValue) }
            return .success(caller)
        }
        let event = RawRequest.post(Route.sendEvent.path("x"), #"{"event": "go"}"#)
        #expect(try await host.answers(to: [event, .get("/livez")]).map(\.status) == [404, 200])
        let name = UserNames.systemName(of: getuid()).map { "(\($0))" } ?? ""
        #expect(seen.withLock { $0 } == ["uid:\(getuid())\(name)"])
        try await host.stop()
    }
}
