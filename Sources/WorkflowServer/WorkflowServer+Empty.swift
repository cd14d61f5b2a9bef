import HTTPTypes
import Hummingbird
package import Logging
import WorkflowAPI
import WorkflowEngine
import WorkflowJSON

extension WorkflowServer {
    /// Creates the same server without an engine. `Route.sendEvent` reads its request as the real route does, and does
    /// nothing. Its answer is as large as the answer to an event of a machine with two states.
    ///
    /// Benchmarks compare the real route with this server, which has the entire cost of HTTP and JSON and no other
    /// cost.
    package init(emptyAt address: ListenAddress, logger: Logger) {
        var handlers = RouteHandlers()
        handlers.on(.sendEvent, isBrief: true) { try await Self.nothing($0, name: try $0.value("instance")) }
        let router = handlers.router(
            gate: RequestGate(hosts: nil, access: .everyone),
            problems: ProblemAnswers(log: OperatorLog(logger), metrics: RequestMetrics(), engine: nil))
        self.init(address: address, router: router, access: .everyone, logger: logger)
    }

    private static func nothing(_ request: RoutedRequest, name: String) async throws -> Response {
        let parameters = try reading { try SendParameters(query: try request.queryItems) }
        _ = try request.head.idempotencyKey()
        let body = try await request.object(as: SendRequest.self)
        let detail: [String]? = parameters.detail ? [] : nil
        let answer = SendAnswer(
            instance: name, event: body.event, seq: 1_000, fromSeq: 999, from: ["off"], to: ["on"], status: .running,
            configuration: ["on"], context: [:], exited: detail, entered: detail)
        return Response(answer, headers: [.eTag: "\"1000\""])
    }
}
