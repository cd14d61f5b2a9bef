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
        routes.on(.migrateInstance) { try await migrate($0) }
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

    private func migrate(_ request: RoutedRequest) async throws -> Response {
        let body = try await request.object(as: MigrateRequest.self)
        let head = request.head
        let seq = try EventEndpoint.expectedSeq(body.seq, "seq", ifMatch: head.headerFields[.ifMatch])
        let isMinimal = head.prefersMinimal
        let command = MigrateCommand(
            instance: try request.instance, to: body.to.map(MachineVersion.init(rawValue:)), MigrationPlan(body.plan),
            retries: body.retry ?? false, reason: body.reason, expectedSeq: seq.map(Seq.init),
            isDryRun: body.dryRun ?? false, wantsContext: !isMinimal, key: try head.idempotencyKey(),
            by: request.caller)
        let sent = try await asking { try await engine.migrate(command) }
        return budget.response(budget.answer(sent, isMinimal: isMinimal))
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

extension MigrationPlan {
    /// What a request says.
    init(_ item: MigrationPlanItem) {
        self.init(
            map: item.map ?? [:], assign: item.assign ?? [:], drop: item.drop ?? [],
            timers: item.timers == .fromNow ? .fromNow : .sinceEntry,
            cancelsInvocations: item.cancelInvocations ?? false)
    }
}

extension MigrationItem {
    /// The wire form of what the engine says.
    init(_ migration: MigrationAnswer) {
        func timers(_ timers: [MigrationReport.Timer]) -> [Timer] {
            timers.map { Timer(event: $0.event, due: WireTime(milliseconds: $0.due.milliseconds)) }
        }
        let told = migration.told
        self.init(
            from: migration.from.rawValue, to: migration.to.rawValue, kept: timers(told.kept), new: timers(told.new),
            ended: told.ended, cancelled: told.cancelled, forgotten: told.forgotten, undeclared: told.undeclared)
    }
}
