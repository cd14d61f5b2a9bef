import Hummingbird
import WorkflowAPI
import WorkflowEngine
import WorkflowStore

/// Events of one instance: sending them, asking which are accepted, and going on after a failure.
struct EventRoutes: Sendable {
    let engine: Engine
    let endpoint: EventEndpoint

    func register(on routes: inout RouteHandlers) {
        routes.on(.sendEvent) { try await send($0) }
        routes.on(.listEvents) { try await list($0) }
        routes.on(.retryInstance) { try await retry($0) }
    }

    private func send(_ request: RoutedRequest) async throws -> Response {
        let instance = try request.instance
        let parameters = try reading { try SendParameters(query: try request.queryItems) }
        // A body that is not taken is not waited for.
        try request.head.requireJSON()
        let order = try endpoint.order(
            request.head, body: try await request.wholeBody(), to: instance, parameters, by: request.caller)
        let outcome = await engine.outcome(of: order.command)
        return endpoint.budget.response(try endpoint.answer(to: order, outcome))
    }

    private func retry(_ request: RoutedRequest) async throws -> Response {
        try request.head.refuseIdempotencyKey()
        let body = try await request.object(as: RetryRequest.self)
        let command = RetryCommand(
            instance: try request.instance, expectedSeq: body.seq.map(Seq.init), by: request.caller)
        let sent = try await asking { try await engine.retry(command) }
        return endpoint.budget.response(endpoint.budget.answer(sent, isMinimal: request.head.prefersMinimal))
    }

    private func list(_ request: RoutedRequest) async throws -> Response {
        let now = try await asking { try await engine.acceptance(of: try request.instance, by: request.caller) }
        let items = now.events.map { EventItem(event: $0.descriptor, accepted: $0.isAccepted) }
        return Response(
            AcceptedEvents(
                items: items, tags: now.tags, status: Instance.Status(now.view.record.status),
                failure: now.view.failure.map(Instance.Failure.init)))
    }
}
