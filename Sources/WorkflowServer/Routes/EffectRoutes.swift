import Hummingbird
import WorkflowAPI
import WorkflowEngine
import WorkflowJSON
import WorkflowStore

/// The routes that list and decide the effects of instances.
struct EffectRoutes: Sendable {
    let engine: Engine
    let budget: AnswerBudget

    func register(on routes: inout RouteHandlers) {
        routes.on(.listEffects) { request in try await budget.page { try await list(request) } }
        routes.on(.listAttempts) { request in try await budget.page { try await attempts(request) } }
        routes.on(.decideEffect) { try await decide($0) }
    }

    private func decide(_ request: RoutedRequest) async throws -> Response {
        let body = try await request.object(as: EffectVerbRequest.self)
        let verb: EffectVerbCommand.Verb =
            switch body.action {
            case .retry: .retry(newKey: body.newKey ?? false)
            case .skip: .skip(result: body.result ?? .null)
            case .cancel: .cancel
            }
        let command = EffectVerbCommand(
            instance: try request.instance, effect: try request.value("effect"),
            expectedSeq: body.seq.map(Seq.init), verb: verb, reason: body.reason,
            isDryRun: body.dryRun ?? false, key: try request.head.idempotencyKey(), by: request.caller)
        let verdict = try await asking { try await engine.effect(command) }
        return Response(
            EffectVerbAnswer(
                instance: verdict.instance.rawValue, id: verdict.effect, action: body.action, seq: verdict.seq.rawValue,
                from: verdict.from, to: verdict.to, status: verdict.status.map(Instance.Status.init),
                failed: verdict.hasFailed ? true : nil,
                turn: body.action == .retry ? verdict.queue.flatMap(engine.turn).map(EffectItem.Turn.init) : nil,
                dryRun: body.dryRun == true ? true : nil, repeated: verdict.isRepeated ? true : nil))
    }

    private func list(_ request: RoutedRequest) async throws -> Response {
        let caller = request.caller
        let parameters = try reading { try EffectListParameters(query: try request.queryItems) }
        var query = EffectQuery(
            queues: parameters.queues.map { $0.contains(":") ? $0 : "task:" + $0 },
            states: parameters.states.map(EffectState.init), limit: parameters.limit ?? APILimits.defaultPageItems)
        let states = query.states.map(\.rawValue)
        if let page = parameters.page {
            guard
                case .effects(parameters.instance, query.queues, states, let after) =
                    try await engine.pageToken(page, by: caller)
            else { throw PageToken.ofAnotherList }
            query.after = after
        }
        let (items, next) = try await page(query, of: parameters.instance, by: caller)
        let token = next.map { position in
            engine.text(
                of: .effects(
                    instance: parameters.instance, queues: query.queues, states: states, after: position))
        }
        return Response(Page(items: items, nextPage: token))
    }

    private func attempts(_ request: RoutedRequest) async throws -> Response {
        let caller = request.caller
        let parameters = try reading { try PageParameters(query: try request.queryItems) }
        let record = try await asking { try await engine.instance(named: try request.instance, by: caller) }.record
        var row: Position?
        if let page = parameters.page {
            guard case .attempts(record.id, let next) = try await engine.pageToken(page, by: caller) else {
                throw PageToken.ofAnotherList
            }
            row = next
        }
        let page = try await asking {
            try await engine.attempts(
                of: record, from: row, limit: parameters.limit ?? APILimits.defaultPageItems, by: caller)
        }
        let items = try page.attempts.map { listed in
            AttemptItem(id: listed.attempt.name, seq: listed.seq.rawValue, attempt: try .init(listed.attempt))
        }
        let token = page.next.map { engine.text(of: .attempts(instance: record.id, row: $0)) }
        return Response(Page(items: items, nextPage: token))
    }

    private func page(
        _ query: EffectQuery, of name: String?, by caller: Caller
    ) async throws -> (items: [EffectItem], next: Position?) {
        guard let name = name.map(InstanceName.init(rawValue:)) else {
            let page = try await asking { try await engine.effects(query, by: caller) }
            let now = engine.now
            let items = try page.effects.map {
                try EffectItem($0.effect, of: $0.instance, now: now, turn: engine.turn(of: $0.effect))
            }
            return (items, page.next)
        }
        let page = try await asking { try await engine.effects(of: name, query, by: caller) }
        let now = engine.now
        let items = try page.effects.map { effect, attempts in
            var item = try EffectItem(effect, of: name, now: now, turn: engine.turn(of: effect))
            item.failedAttempts = try attempts.map { try EffectItem.Attempt($0) }
            return item
        }
        return (items, page.next)
    }
}

extension EffectItem {
    /// Creates the wire form of an effect, without its attempts.
    init(_ effect: EffectRecord, of instance: InstanceName, now: Timestamp, turn: EffectTurn?) throws {
        self.init(
            instance: instance.rawValue, id: effect.name, seq: effect.seq.rawValue, queue: effect.queue,
            state: State(effect.state), priority: effect.priority, due: WireTime(milliseconds: effect.due.rawValue),
            dueInMilliseconds: effect.due.rawValue - now.rawValue, turn: turn.map(Turn.init),
            attempts: effect.attempts + (turn == .running ? 1 : 0),
            worker: effect.worker.flatMap { $0.isEmpty ? nil : $0 },
            progress: try effect.progress.map { try .stored($0, in: "effect.progress", of: instance.rawValue) },
            error: try effect.error.map { try .stored($0, in: "effect.error", of: instance.rawValue) })
    }
}

extension EffectItem.Turn {
    init(_ turn: EffectTurn) {
        self =
            switch turn {
            case .running: .running
            case .paused: .paused
            case .held: .held
            }
    }
}

extension EffectItem.Attempt {
    fileprivate init(_ attempt: AttemptRecord) throws {
        self.init(
            attempt: attempt.attempt, begun: WireTime(milliseconds: attempt.begun.rawValue),
            ended: WireTime(milliseconds: attempt.ended.rawValue), outcome: attempt.outcome,
            error: try attempt.error.map { try .stored($0, in: "attempt.error", of: attempt.name ?? "an ended call") })
    }
}

extension EffectState {
    fileprivate init(_ state: EffectItem.State) {
        self =
            switch state {
            case .ready: .ready
            case .leased: .leased
            case .open: .open
            case .held: .held
            case .failed: .failed
            case .answered: .answered
            }
    }
}

extension EffectItem.State {
    fileprivate init(_ state: EffectState) {
        self =
            switch state {
            case .ready: .ready
            case .leased: .leased
            case .open: .open
            case .held: .held
            case .failed: .failed
            case .answered: .answered
            }
    }
}
