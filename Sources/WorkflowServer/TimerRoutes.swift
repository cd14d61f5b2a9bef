import HTTPTypes
import Hummingbird
import WorkflowAPI
import WorkflowEngine
import WorkflowStore

/// `/v1/timers` and `/v1/instances/NAME/timers`: what comes by itself, and when.
struct TimerRoutes: Sendable {
    let engine: Engine

    func register(on router: Router<some RequestContext>) {
        router.resource("/v1/timers", [(.get, { request, _ in try await list(request) })])
        router.resource(
            "/v1/instances/:instance/timers",
            [
                (
                    .get,
                    { request, context in
                        try await list(request, name: try context.pathParameter("instance"))
                    }
                )
            ])
    }

    private func list(_ request: Request) async throws -> Response {
        let parameters = try reading { try PageParameters(query: try request.queryItems) }
        var after: TimerKey?
        if let page = parameters.page {
            guard case .timers(let key) = try await engine.pageToken(page) else { throw PageToken.ofAnotherList }
            after = key
        }
        let limit = parameters.limit ?? APILimits.defaultPageItems
        let timers = try await asking { [after] in try await engine.timers(after: after, limit: limit) }
        let now = engine.now
        let items = timers.map { listed in
            TimerItem(instance: listed.instance, event: listed.timer.event, due: listed.timer.key.due, now: now)
        }
        let next = timers.count == limit ? timers.last.map { engine.text(of: .timers(after: $0.timer.key)) } : nil
        return Response(Page(items: items, nextPage: next))
    }

    private func list(_ request: Request, name: String) async throws -> Response {
        try reading { try NoParameters.check(query: try request.queryItems) }
        do {
            let timers = try await asking { try await engine.timers(of: name) }
            let now = engine.now
            return Response(Page(items: timers.map { TimerItem($0, of: name, now: now) }))
        } catch let problem as Problem where problem.type == .instanceNotFound {
            throw await engine.suggestingInstance(problem)
        }
    }
}

extension TimerItem {
    fileprivate init(instance: String, event: String, due: Timestamp, now: Timestamp) {
        self.init(
            instance: instance, event: event, due: WireTime(milliseconds: due.rawValue),
            dueInMilliseconds: due.rawValue - now.rawValue)
    }

    fileprivate init(_ timer: InstanceTimer, of instance: String, now: Timestamp) {
        self.init(instance: instance, event: timer.event, due: timer.due, now: now)
        state = timer.state
        id = timer.id
        skipMilliseconds = timer.skipMilliseconds
        waits = timer.waits ? true : nil
    }
}
