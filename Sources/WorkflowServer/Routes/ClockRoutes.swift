import HTTPTypes
import Hummingbird
import WorkflowAPI
import WorkflowEngine
import WorkflowStore

/// The routes that show the time for instances, and move a virtual clock.
struct ClockRoutes: Sendable {
    let engine: Engine

    func register(on routes: inout RouteHandlers) {
        routes.on(.showClock) { _ in show() }
        routes.on(.moveClock) { try await move($0) }
    }

    private func show() -> Response {
        Response(
            ClockStatus(
                clock: engine.isClockVirtual ? .virtual : .real, now: WireTime(milliseconds: engine.now.rawValue)))
    }

    private func move(_ request: RoutedRequest) async throws -> Response {
        let body = try await request.object(as: ClockRequest.self)
        let move = try await asking {
            try await engine.moveClock(
                to: Timestamp(rawValue: body.to.milliseconds), stoppingAtTasks: body.stopAtTasks ?? false,
                by: request.caller)
        }
        return Response(
            ClockStatus(
                clock: .virtual, now: WireTime(milliseconds: move.now.rawValue), fired: Int64(move.fired),
                done: move.isDone, tasks: move.tasks.isEmpty ? nil : move.tasks))
    }
}
