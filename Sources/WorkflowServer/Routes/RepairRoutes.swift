import Hummingbird
import Statechart
import WorkflowAPI
import WorkflowEngine
import WorkflowJSON
import WorkflowStore

/// What an operator does to one instance.
struct RepairRoutes: Sendable {
    let engine: Engine
    let budget: AnswerBudget

    func register(on routes: inout RouteHandlers) {
        routes.on(.cancelInstance) { try await cancel($0) }
        routes.on(.retryInstance) { try await repair(.retry, $0) }
        routes.on(.skipInstance) { try await repair(.skip, $0) }
        routes.on(.setInstance) { try await set($0) }
        routes.on(.suspendInstance) { try await repair(.suspend, $0) }
        routes.on(.resumeInstance) { try await repair(.resume, $0) }
    }

    private func repair(_ verb: RepairCommand.Verb, _ request: RoutedRequest) async throws -> Response {
        let body = try await request.object(as: RepairRequest.self)
        if verb == .skip, body.reason == nil {
            throw Problem(.invalidRequest, detail: "Field 'reason' is missing")
        }
        return try await answer(request, verb, body)
    }

    private func cancel(_ request: RoutedRequest) async throws -> Response {
        let body = try await request.object(as: CancelRequest.self)
        return try await answer(
            request, .cancel(runsActions: body.actions ?? true),
            RepairRequest(reason: body.reason, seq: body.seq, dryRun: body.dryRun))
    }

    private func set(_ request: RoutedRequest) async throws -> Response {
        let body = try await request.object(as: SetRequest.self)
        let change = ContextChange(set: body.set ?? JSONObject(), unset: body.unset ?? [])
        return try await answer(
            request, .set(change), RepairRequest(reason: body.reason, seq: body.seq, dryRun: body.dryRun))
    }

    private func answer(
        _ request: RoutedRequest, _ verb: RepairCommand.Verb, _ asked: RepairRequest
    ) async throws -> Response {
        let head = request.head
        let seq = try EventEndpoint.expectedSeq(asked.seq, "seq", ifMatch: head.headerFields[.ifMatch])
        let isMinimal = head.prefersMinimal
        let command = RepairCommand(
            instance: try request.instance, verb, reason: asked.reason, expectedSeq: seq.map(Seq.init),
            isDryRun: asked.dryRun ?? false, wantsContext: !isMinimal, key: try head.idempotencyKey(),
            by: request.caller)
        let sent = try await asking { try await engine.repair(command) }
        return budget.response(budget.answer(sent, isMinimal: isMinimal))
    }
}
