import Hummingbird
import WorkflowAPI
import WorkflowEngine
import WorkflowStore

/// The routes that send events to one instance, and list the events that it accepts.
struct EventRoutes: Sendable {
    let engine: Engine
    let endpoint: EventEndpoint

    func register(on routes: inout RouteHandlers) {
        routes.on(.sendEvent) { try await send($0) }
        routes.on(.listEvents) { try await list($0) }
    }

    private func send(_ request: RoutedRequest) async throws -> Response {
        let instance = try request.instance
        let parameters = try reading { try SendParameters(query: try request.queryItems) }
        // A body that is refused is not awaited.
        try request.head.requireJSON()
        let order = try endpoint.order(
            request.head, body: try await request.wholeBody(), to: instance, parameters, by: request.caller)
        let outcome = await engine.outcome(of: order.command)
        return endpoint.budget.response(try endpoint.answer(to: order, outcome))
    }

    private func list(_ request: RoutedRequest) async throws -> Response {
        let now = try await asking { try await engine.acceptance(of: try request.instance, by: request.caller) }
        let items = now.events.map { EventItem(event: $0.descriptor, accepted: $0.isAccepted) }
        return Response(
            AcceptedEvents(
                items: items, tags: now.tags, status: Instance.Status(now.view.record.status),
                failure: now.view.failure.map(Instance.Failure.init),
                machineSuspended: now.view.suspension(among: engine.suspendedMachines(by: request.caller))))
    }
}
