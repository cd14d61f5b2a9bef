import Hummingbird
import Statechart
import WorkflowAPI
import WorkflowEngine
import WorkflowJSON
import WorkflowStore

/// The routes for an operator's actions on one instance.
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
        routes.on(.resetInstance) { try await reset($0) }
        routes.on(.undoMigration) { try await undo($0) }
        routes.on(.redactInstance) { try await redact($0) }
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

    private func redact(_ request: RoutedRequest) async throws -> Response {
        let body = try await request.object(as: RedactRequest.self)
        if let name = body.name, let message = InstanceNameRule.message(for: name) {
            throw Problem(.invalidName, detail: message)
        }
        let seqs = try body.seqs.map { text in
            guard let seqs = SeqSet(text) else {
                throw Problem(
                    .invalidRequest,
                    detail: "Field 'seqs' must name rows from 1 on, smaller numbers first, such as 3,7-9")
            }
            return seqs
        }
        let seq = try EventEndpoint.expectedSeq(body.seq, "seq", ifMatch: request.head.headerFields[.ifMatch])
        let command = RedactCommand(
            instance: try request.instance, seqs: seqs, paths: body.contextPaths, dataPaths: body.dataPaths,
            newName: body.name.map(InstanceName.init(rawValue:)), reason: body.reason,
            expectedSeq: seq.map(Seq.init), isDryRun: body.dryRun ?? false, key: try request.head.idempotencyKey(),
            by: request.caller)
        return Response(RedactAnswer(try await asking { try await engine.redact(command) }))
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
        let command = RepairCommand(
            instance: try request.instance, verb, reason: asked.reason,
            expectedSeq: try expectedSeq(asked.seq, request), isDryRun: asked.dryRun ?? false,
            wantsContext: !head.prefersMinimal, key: try head.idempotencyKey(), by: request.caller)
        return try await answer(request) { () async throws(Rejection) in try await engine.repair(command) }
    }

    private func expectedSeq(_ asked: Int64?, _ request: RoutedRequest) throws(Problem) -> Seq? {
        try EventEndpoint.expectedSeq(asked, "seq", ifMatch: request.head.headerFields[.ifMatch]).map(Seq.init)
    }

    private func answer(
        _ request: RoutedRequest, _ ask: () async throws(Rejection) -> SendResult
    ) async throws -> Response {
        let sent = try await asking(ask)
        return budget.response(budget.answer(sent, isMinimal: request.head.prefersMinimal))
    }
}

// MARK: Back to an earlier state

extension RepairRoutes {
    private func reset(_ request: RoutedRequest) async throws -> Response {
        let body = try await request.object(as: ResetRequest.self)
        return try await answer(
            request, to: .seq(Seq(rawValue: body.to)), timers: body.timers == .due ? .due : .left, body.invocations,
            RepairRequest(reason: body.reason, seq: body.seq, dryRun: body.dryRun))
    }

    private func undo(_ request: RoutedRequest) async throws -> Response {
        let body = try await request.object(as: UndoRequest.self)
        return try await answer(
            request, to: .beforeLast, timers: .due, body.invocations,
            RepairRequest(reason: body.reason, seq: body.seq, dryRun: body.dryRun))
    }

    private func answer(
        _ request: RoutedRequest, to goal: ResetCommand.Goal, timers: Reset.Timers,
        _ invocations: ResetRequest.Invocations?, _ asked: RepairRequest
    ) async throws -> Response {
        let command = ResetCommand(
            instance: try request.instance, to: goal, timers: timers,
            invocations: Reset.Invocations(invocations), reason: asked.reason,
            expectedSeq: try expectedSeq(asked.seq, request), isDryRun: asked.dryRun ?? false,
            wantsContext: !request.head.prefersMinimal, key: try request.head.idempotencyKey(), by: request.caller)
        return try await answer(request) { () async throws(Rejection) in try await engine.reset(command) }
    }
}

extension RedactAnswer {
    /// Creates the wire form of a redaction.
    init(_ result: RedactResult) {
        let redaction = result.redaction
        self.init(
            instance: result.instance.rawValue, seq: result.seq.rawValue, status: Instance.Status(result.status),
            configuration: result.configuration, seqs: redaction.seqs.isEmpty ? nil : redaction.seqs.text,
            data: redaction.dataPaths.isEmpty ? nil : redaction.dataPaths,
            paths: redaction.paths.isEmpty ? nil : redaction.paths, context: redaction.isWhole ? true : nil,
            renamed: redaction.isRenamed ? true : nil,
            emptied: result.emptied.flatMap { $0.isEmpty ? nil : $0 }, pending: result.pending,
            dryRun: result.isDryRun ? true : nil, repeated: result.isRepeated ? true : nil)
    }
}

extension Reset.Invocations {
    /// Creates the value from a request; `nil` if the request does not have it.
    init?(_ said: ResetRequest.Invocations?) {
        guard let said else { return nil }
        self = said == .again ? .again : .answer
    }
}

extension MigrationPlan {
    /// Creates a plan from a request.
    init(_ item: MigrationPlanItem) {
        self.init(
            map: item.map ?? [:], assign: item.assign ?? [:], drop: item.drop ?? [],
            timers: item.timers == .fromNow ? .fromNow : .sinceEntry,
            cancelsInvocations: item.cancelInvocations ?? false)
    }
}

extension MigrationItem {
    /// Creates the wire form of a migration.
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
