import Hummingbird
import Statechart
import WorkflowAPI
import WorkflowEngine
import WorkflowStore

/// The routes that count instances by configuration, and list the reasons why some have failed.
struct CountRoutes: Sendable {
    let engine: Engine
    let budget: AnswerBudget

    func register(on routes: inout RouteHandlers) {
        routes.on(.listTally) { request in try await budget.page { try await tally(request) } }
        routes.on(.listFailures) { request in try await budget.page { try await failures(request) } }
    }

    private func tally(_ request: RoutedRequest) async throws -> Response {
        let parameters = try reading { try TallyParameters(query: try request.queryItems) }
        var query = TallyQuery(
            machines: parameters.machines.map(MachineName.init(rawValue:)),
            semanticsBelow: parameters.outdated ? Semantics.current.rawValue : nil,
            limit: parameters.limit ?? APILimits.defaultPageItems)
        if let page = parameters.page {
            guard case .tally(query.machines, let after) = try await engine.pageToken(page, by: request.caller) else {
                throw PageToken.ofAnotherList
            }
            query.after = after
        }
        let records = try await asking { [query] in try await engine.tally(query, by: request.caller) }
        // One of several names may be misspelt while the others have instances.
        if records.isEmpty || query.machines.count > 1 {
            for machine in query.machines {
                _ = try await asking { try await engine.machine(named: machine, by: request.caller) }
            }
        }
        let isLast = records.count < query.limit
        let next = isLast ? nil : records.last.map { engine.text(of: .tally(machines: query.machines, after: $0.key)) }
        return Response(Page(items: records.map(TallyItem.init), nextPage: next))
    }

    private func failures(_ request: RoutedRequest) async throws -> Response {
        let parameters = try reading { try FailureParameters(query: try request.queryItems) }
        let machines = parameters.machines.map(MachineName.init(rawValue:))
        let found = try await asking { try await engine.failures(of: machines, by: request.caller) }
        let now = engine.now
        return Response(
            FailureList(
                items: found.groups.map { FailureItem($0, now: now) },
                others: found.others == 0 ? nil : Int64(found.others),
                redacted: found.redacted == 0 ? nil : Int64(found.redacted)))
    }
}

extension TallyItem {
    fileprivate init(_ record: TallyRecord) {
        self.init(
            machine: record.machine.rawValue, version: record.version.rawValue, semantics: record.semantics,
            status: Instance.Status(record.key.status),
            configuration: SnapshotText.leafPaths(in: record.key.configuration), count: record.count)
    }
}

extension FailureItem {
    /// Creates the wire form of a group of failures.
    init(_ group: FailureGroup, now: Timestamp) {
        let failure = group.failure
        self.init(
            machine: group.machine.rawValue, version: group.version.rawValue,
            failedVersion: group.failedVersion?.rawValue, count: Int64(group.count),
            since: WireTime(milliseconds: group.since.rawValue),
            sinceInMilliseconds: max(0, now.rawValue - group.since.rawValue), instance: group.instance.rawValue,
            event: failure.event, type: ProblemType(failure.kind), state: failure.state, line: failure.line,
            expression: failure.expression, message: failure.reason, error: failure.error?.json)
    }
}
