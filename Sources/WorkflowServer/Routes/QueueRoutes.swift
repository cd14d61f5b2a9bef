import Hummingbird
import WorkflowAPI
import WorkflowEngine
import WorkflowStore

/// Queues of effects: what waits in them, and how much of them may run.
struct QueueRoutes: Sendable {
    let engine: Engine
    let budget: AnswerBudget

    func register(on routes: inout RouteHandlers) {
        routes.on(.listQueues) { request in try await budget.page { try await list(request) } }
        routes.on(.setQueue) { try await set($0) }
        routes.on(.release) { request in
            let wasHeld = try await asking {
                try await engine.hold(HoldCommand(isHeld: false, by: request.caller))
            }
            return Response(ReleasedEffects(wasHeld: wasHeld))
        }
    }

    private func list(_ request: RoutedRequest) async throws -> Response {
        let parameters = try reading { try QueueListParameters(query: try request.queryItems) }
        let now = engine.now
        var query = QueueQuery(
            limit: parameters.limit ?? APILimits.defaultPageItems, now: now, bound: APILimits.countedEffects)
        if let page = parameters.page {
            guard case .queues(let after) = try await engine.pageToken(page, by: request.caller) else {
                throw PageToken.ofAnotherList
            }
            query.after = after
        }
        let queues = try await asking { [query] in try await engine.queues(query, by: request.caller) }
        let next = queues.count < query.limit ? nil : queues.last.map { engine.text(of: .queues(after: $0.name)) }
        return Response(
            Page(items: queues.map { QueueItem($0, running: engine.running(in: $0.name), now: now) }, nextPage: next))
    }

    private func set(_ request: RoutedRequest) async throws -> Response {
        let given = try request.value("queue")
        guard let name = QueueName.whole(given) else {
            throw Problem(.invalidName, detail: "'\(given.prefix(40))' is no name of a queue: \(QueueName.rule)")
        }
        let body = try await request.object(as: QueueRequest.self)
        let command = SetQueueCommand(
            queue: name, concurrency: .init(body.concurrency), rate: .init(body.rate), isPaused: body.paused,
            by: request.caller)
        return Response(QueueSettingsItem(try await asking { try await engine.set(command) }))
    }
}

extension SetQueueCommand.Change where Value == Int {
    fileprivate init(_ setting: QueueRequest.Setting<Int>) {
        self =
            switch setting {
            case .kept: .kept
            case .standard: .standard
            case .set(let count): .set(count)
            }
    }
}

extension SetQueueCommand.Change where Value == SetQueueCommand.Rate {
    fileprivate init(_ setting: QueueRequest.Setting<QueueRate>) {
        self =
            switch setting {
            case .kept: .kept
            case .standard: .standard
            case .set(let rate): .set(SetQueueCommand.Rate(count: rate.count, milliseconds: rate.milliseconds))
            }
    }
}

extension QueueItem {
    fileprivate init(_ queue: QueueSummary, running: Int, now: Timestamp) {
        // What runs is ready in the store: after a kill it is done again. What is counted in part stays as it is.
        let ready = queue.ready < APILimits.countedEffects ? max(0, queue.ready - running) : queue.ready
        let oldestDue = ready > 0 ? queue.oldestDue : queue.nextDue
        self.init(
            queue: queue.name, ready: Int64(ready), waiting: Int64(queue.waiting), leased: Int64(queue.leased),
            running: Int64(running), failed: Int64(queue.failed), held: Int64(queue.held),
            answered: Int64(queue.answered),
            oldestDue: oldestDue.map { WireTime(milliseconds: $0.rawValue) },
            oldestDueInMilliseconds: oldestDue.map { $0.rawValue - now.rawValue },
            settings: queue.record.map(QueueSettingsItem.init) ?? QueueSettingsItem(queue: queue.name))
    }
}

extension QueueSettingsItem {
    fileprivate init(_ record: QueueRecord) {
        let settings = record.settings
        let isSet = settings != .standard
        self.init(
            queue: record.name, concurrency: settings.concurrency,
            rate: settings.rate.map { QueueRate(count: $0, milliseconds: settings.rateMilliseconds ?? 0) },
            paused: settings.isPaused, actor: isSet ? record.actor?.rawValue : nil,
            setAt: isSet ? WireTime(milliseconds: record.set.rawValue) : nil)
    }
}
