import Hummingbird
import WorkflowAPI
import WorkflowEngine
import WorkflowSpelling
import WorkflowStore

/// The routes for queues of effects: their contents, and the limits on what may run.
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
        let reports = engine.reports(of: queues, countedTo: query.bound, by: request.caller)
        return Response(Page(items: reports.map { QueueItem($0, now: now) }, nextPage: next))
    }

    private func set(_ request: RoutedRequest) async throws -> Response {
        let given = try request.value("queue")
        guard let name = QueueName.whole(given) else {
            throw Problem(.invalidName, detail: "'\(given.prefix(40))' is no name of a queue: \(QueueName.rule)")
        }
        let body = try await request.object(as: QueueRequest.self)
        if body.new != true { try await refuseUnknown(name, by: request.caller) }
        let command = SetQueueCommand(
            queue: name, concurrency: .init(body.concurrency), rate: .init(body.rate), isPaused: body.paused,
            by: request.caller)
        return Response(QueueSettingsItem(try await asking { try await engine.set(command) }))
    }

    /// Refuses a queue that nothing knows. Otherwise a caller that mistypes the name of a queue to pause would be told
    /// that the queue is paused.
    private func refuseUnknown(_ name: String, by caller: Caller) async throws {
        let knowledge = try await offLoop(for: .reading) {
            try await asking { try await engine.knowledge(of: name, by: caller) }
        }
        guard case .unknown(let others) = knowledge else { return }
        throw Problem(
            .queueNotFound,
            detail: "No definition names the queue '\(name)', no effect is in it and nothing is set for it",
            suggestion: Spelling.closest(to: name, among: others))
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
    init(_ queue: QueueReport, now: Timestamp) {
        let summary = queue.summary
        self.init(
            queue: summary.name, ready: Int64(queue.ready), waiting: Int64(summary.waiting),
            leased: Int64(summary.leased), running: Int64(queue.running), failed: Int64(summary.failed),
            held: Int64(summary.held), answered: Int64(summary.answered), workers: queue.workers.map { Int64($0) },
            oldestDue: queue.oldestDue.map { WireTime(milliseconds: $0.rawValue) },
            oldestDueInMilliseconds: queue.oldestDue.map { $0.rawValue - now.rawValue },
            settings: summary.record.map(QueueSettingsItem.init) ?? QueueSettingsItem(queue: summary.name))
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
