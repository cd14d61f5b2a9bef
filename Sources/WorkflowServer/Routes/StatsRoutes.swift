import Hummingbird
import WorkflowAPI
import WorkflowEngine
import WorkflowStore

/// The route with statistics of a machine.
struct StatsRoutes: Sendable {
    let engine: Engine
    /// Few such requests run at a time, because each may read for seconds.
    private let work = LongWork()

    func register(on routes: inout RouteHandlers) {
        routes.on(.showStats) { try await show($0, machine: try $0.machine) }
    }

    private func show(_ request: RoutedRequest, machine: MachineName) async throws -> Response {
        let parameters = try reading { try StatsParameters(query: try request.queryItems) }
        let query = StatisticsQuery(
            machine: machine, version: parameters.version.map(MachineVersion.init(rawValue:)),
            since: parameters.since.map { Timestamp(rawValue: $0.milliseconds) })
        let turn = try work.begin()
        defer { turn.end() }
        let found = try await offLoop(for: .longWork) {
            try await asking { try await engine.statistics(query, by: request.caller) }
        }
        return Response(MachineStats(found, now: engine.now))
    }
}

extension MachineStats {
    fileprivate init(_ found: MachineStatistics, now: Timestamp) {
        let others = found.others
        self.init(
            machine: found.query.machine.rawValue, version: found.query.version?.rawValue,
            since: found.query.since.map { WireTime(milliseconds: $0.rawValue) }, complete: found.isComplete,
            progress: WorkProgress(found.progress), rows: found.rows, read: found.read,
            states: found.states.map { StateStats($0, now: now) },
            transitions: found.transitions.map {
                TransitionStats(event: $0.event, from: $0.from, to: $0.to, count: $0.count)
            },
            failures: found.failures.map(FailureStats.init),
            others: others.isEmpty
                ? nil
                : OtherStats(states: others.states, transitions: others.transitions, failures: others.failures))
    }
}

extension StateStats {
    fileprivate init(_ state: MachineStatistics.State, now: Timestamp) {
        self.init(
            state: state.path, visits: state.visits, stays: state.stays, p50InMilliseconds: state.p50,
            p95InMilliseconds: state.p95,
            longest: state.longest.map {
                LongestStayItem(
                    instance: $0.instance.rawValue, since: WireTime(milliseconds: $0.since.rawValue),
                    sinceInMilliseconds: max(0, now.rawValue - $0.since.rawValue))
            })
    }
}

extension FailureStats {
    fileprivate init(_ failure: MachineStatistics.Failure) {
        let reason = failure.reason
        self.init(
            event: failure.event, type: reason.map { ProblemType($0.kind) }, state: reason?.state, line: reason?.line,
            expression: reason?.expression, message: reason?.message, count: failure.count)
    }
}
