import DaemonTesting
import Testing
import WorkflowAPI
import WorkflowJSON

/// Tests that the daemon does what the table says about each route.
@Suite struct RouteTests {
    private let folder: TemporaryFolder
    private let daemon: Daemon

    init() async throws {
        folder = try TemporaryFolder()
        daemon = try await Daemon(in: folder)
        _ = try await daemon.said("apply", folder.write("{id: m, initial: a, states: {a: {}}}", to: "m.yaml"))
        _ = try await daemon.said("start", "m", "x")
    }

    private func path(of route: Route) -> String {
        route.template.path(route.template.parameters.map { ["machine": "m", "version": "1"][$0] ?? "x" })
    }

    /// Returns a request that is correct except for the query and the kind of its body.
    private func request(_ route: Route, query: String = "", as mediaType: String? = nil) -> RawRequest {
        // The first of several.
        let type = mediaType ?? route.body.mediaTypes?.split(separator: " ").first.map(String.init)
        return RawRequest(
            route.method.rawValue, path(of: route) + query,
            headers: type.map { [(name: "Content-Type", value: $0)] } ?? [],
            body: type.map { _ in Array("{}".utf8) })
    }

    @Test(.timeLimit(.minutes(20))) func aParameterThatTheTableDoesNotNameIsRefused() async throws {
        for route in Route.all {
            let answer = try await daemon.answer(to: request(route, query: "?%21=1"))
            guard let known = route.query else {
                #expect(answer.status == 200, "\(route)")
                continue
            }
            let list = known.isEmpty ? "none is known here" : "known here: \(known.joined(separator: ", "))"
            #expect(try answer.object["detail"] == .string("Unknown parameter '!' (\(list))"), "\(route)")
        }
    }

    @Test(.timeLimit(.minutes(20))) func aBodyOfAnotherKindIsRefused() async throws {
        for route in Route.all {
            guard let types = route.body.mediaTypes else { continue }
            let answer = try await daemon.answer(to: request(route, as: "text/plain"))
            #expect(answer.status == 415, "\(route)")
            #expect(
                try answer.object["detail"]
                    == .string("The request has Content-Type 'text/plain'; this route takes \(types)"), "\(route)")
        }
    }

    @Test(.timeLimit(.minutes(20))) func everyPathSaysWhatItTakes() async throws {
        for (template, routes) in Dictionary(grouping: Route.all, by: \.template) {
            let path = path(of: routes[0])
            let methods = routes.map(\.method.rawValue).sorted()
            let options = try await daemon.answer(to: RawRequest("OPTIONS", path))
            #expect(options.status == 204 && options.body.isEmpty, "\(template)")
            let head = methods.contains("GET") ? ["HEAD"] : []
            let allowed = (methods + head + ["OPTIONS"]).joined(separator: ", ")
            #expect(options.headers["allow"] == allowed)
            for method in ["TRACE", "PUT", "DELETE"] where !methods.contains(method) {
                let refused = try await daemon.answer(to: RawRequest(method, path))
                #expect(refused.status == 405 && refused.headers["allow"] == allowed, "\(method) \(template)")
                #expect(
                    try refused.object["detail"] == .string("\(path) does not take \(method); it takes \(allowed)"))
            }
        }
    }
}
