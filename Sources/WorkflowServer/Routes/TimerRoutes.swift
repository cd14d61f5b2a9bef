import HTTPTypes
import Hummingbird
import WorkflowAPI
import WorkflowEngine
import WorkflowStore

/// The routes that list timers.
struct TimerRoutes: Sendable {
    let engine: Engine

    func register(on routes: inout RouteHandlers) {
        routes.on(.listTimers) { try await list($0) }
        routes.on(.listInstanceTimers) { try await list(of: try $0.instance, by: $0.caller) }
    }

    private func list(_ request: RoutedRequest) async throws -> Response {
        let parameters = try reading { try PageParameters(query: try request.queryItems) }
        let limit = parameters.limit ?? APILimits.defaultPageItems
        guard let page = parameters.page else { return try await running(after: nil, limit: limit, by: request.caller) }
        switch try await engine.pageToken(page, by: request.caller) {
        case .timers(let key): return try await running(after: key, limit: limit, by: request.caller)
        case .waiting(let place): return try await waiting(from: place, behind: [], limit: limit, by: request.caller)
        case .machines, .instances, .history, .effects, .queues, .tally, .attempts, .audit:
            throw PageToken.ofAnotherList
        }
    }

    /// Returns the timers that are due next. If the page has room after the last one, the timers that wait in instances
    /// that do not run follow.
    private func running(after key: TimerKey?, limit: Int, by caller: Caller) async throws -> Response {
        let timers = try await asking { try await engine.timers(after: key, limit: limit, by: caller) }
        let now = engine.now
        let items = timers.map { listed in
            TimerItem(instance: listed.instance, event: listed.timer.event, due: listed.timer.key.due, now: now)
        }
        if timers.count == limit, let last = timers.last {
            return Response(Page(items: items, nextPage: engine.text(of: .timers(after: last.timer.key))))
        }
        return try await waiting(from: nil, behind: items, limit: limit - items.count, by: caller)
    }

    private func waiting(
        from place: WaitingPlace?, behind items: [TimerItem], limit: Int, by caller: Caller
    ) async throws -> Response {
        let found = try await asking { try await engine.waitingTimers(from: place, limit: limit, by: caller) }
        let now = engine.now
        let waiting = found.timers.map { name, timer in
            var item = TimerItem(instance: name, event: timer.event, due: timer.due, now: now)
            item.waits = true
            item.suspended = timer.isSuspended ? true : nil
            return item
        }
        return Response(Page(items: items + waiting, nextPage: found.next.map { engine.text(of: .waiting(from: $0)) }))
    }

    private func list(of name: InstanceName, by caller: Caller) async throws -> Response {
        let timers = try await asking { try await engine.timers(of: name, by: caller) }
        let now = engine.now
        return Response(Page(items: timers.map { TimerItem($0, of: name, now: now) }))
    }
}

extension TimerItem {
    fileprivate init(instance: InstanceName, event: String, due: Timestamp, now: Timestamp) {
        self.init(
            instance: instance.rawValue, event: event, due: WireTime(milliseconds: due.rawValue),
            dueInMilliseconds: due.rawValue - now.rawValue)
    }

    fileprivate init(_ timer: InstanceTimer, of instance: InstanceName, now: Timestamp) {
        self.init(instance: instance, event: timer.event, due: timer.due, now: now)
        state = timer.state
        id = timer.id
        skipMilliseconds = timer.skipMilliseconds
        rearms = timer.rearms ? true : nil
        waits = timer.waits ? true : nil
        suspended = timer.isSuspended ? true : nil
    }
}
