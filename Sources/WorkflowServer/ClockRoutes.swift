import HTTPTypes
import Hummingbird
import WorkflowAPI
import WorkflowEngine
import WorkflowStore

/// `/v1/clock`: what time it is for the instances, and moving a clock that is virtual.
struct ClockRoutes: Sendable {
    let engine: Engine

    func register(on router: Router<some RequestContext>) {
        router.resource(
            "/v1/clock",
            [(.get, { request, _ in try show(request) }), (.post, { request, _ in try await move(request) })])
    }

    private func show(_ request: Request) throws -> Response {
        try reading { try NoParameters.check(query: try request.queryItems) }
        return Response(
            ClockStatus(
                clock: engine.isClockVirtual ? .virtual : .real, now: WireTime(milliseconds: engine.now.rawValue)))
    }

    private func move(_ request: Request) async throws -> Response {
        try reading { try NoParameters.check(query: try request.queryItems) }
        let body = try await request.object(as: ClockRequest.self)
        let move = try await asking { try await engine.moveClock(to: Timestamp(rawValue: body.to.milliseconds)) }
        return Response(
            ClockStatus(
                clock: .virtual, now: WireTime(milliseconds: move.now.rawValue), fired: Int64(move.fired),
                done: move.isDone))
    }
}
