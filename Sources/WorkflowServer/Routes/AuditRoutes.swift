import Hummingbird
import Statechart
import WorkflowAPI
import WorkflowEngine
import WorkflowStore

/// The route that lists deletions, and changes that belong to no instance's history.
struct AuditRoutes: Sendable {
    let engine: Engine
    let budget: AnswerBudget

    func register(on routes: inout RouteHandlers) {
        routes.on(.listAudit) { request in try await budget.page { try await list(request) } }
    }

    private func list(_ request: RoutedRequest) async throws -> Response {
        let parameters = try reading { try AuditParameters(query: try request.queryItems) }
        var query = AuditQuery(
            kind: parameters.action?.kind, actor: parameters.actor.map(Actor.init(rawValue:)),
            since: parameters.since.map { Timestamp(rawValue: $0.milliseconds) },
            limit: parameters.limit ?? APILimits.defaultPageItems)
        if let page = parameters.page {
            guard case .audit(let position) = try await engine.pageToken(page, by: request.caller) else {
                throw PageToken.ofAnotherList
            }
            query.before = position
        }
        let found = try await asking { [query] in try await engine.audits(query, by: request.caller) }
        return Response(
            Page(
                items: found.page.entries.map { AuditItem($0, found.machines) },
                nextPage: found.page.next.map { engine.text(of: .audit(before: $0)) }))
    }
}

extension AuditItem {
    fileprivate init(_ entry: AuditEntry, _ machines: [MachineID: MachineRecord]) {
        switch entry {
        case .deletion(let audit):
            let machine = machines[audit.machineID]
            self.init(
                .delete, version: machine?.version.rawValue, uuid: audit.uuid.text, machine: machine?.name.rawValue,
                rows: audit.rows, digest: audit.digest.text, at: WireTime(milliseconds: audit.at.rawValue),
                actor: audit.actor?.rawValue, reason: audit.reason)
        case .change(let change):
            self.init(
                Action(change.action), object: change.object, version: change.version?.rawValue,
                detail: change.detail, at: WireTime(milliseconds: change.at.rawValue), actor: change.actor?.rawValue,
                reason: change.reason)
        }
    }
}

extension AuditItem.Action {
    fileprivate init(_ action: ChangeAction) {
        self =
            switch action {
            case .apply: .apply
            case .activate: .activate
            case .suspend: .suspend
            case .resume: .resume
            case .retention: .retention
            case .queue: .queue
            case .hold: .hold
            case .release: .release
            case .runBegin: .runBegin
            case .runStop: .runStop
            case .runResume: .runResume
            case .backup: .backup
            case .clock: .clock
            case .token: .token
            }
    }

    /// The kind of entries that the action selects.
    fileprivate var kind: AuditQuery.Kind {
        switch self {
        case .delete: .deletion
        case .apply: .change(.apply)
        case .activate: .change(.activate)
        case .suspend: .change(.suspend)
        case .resume: .change(.resume)
        case .retention: .change(.retention)
        case .queue: .change(.queue)
        case .hold: .change(.hold)
        case .release: .change(.release)
        case .runBegin: .change(.runBegin)
        case .runStop: .change(.runStop)
        case .runResume: .change(.runResume)
        case .backup: .change(.backup)
        case .clock: .change(.clock)
        case .token: .change(.token)
        }
    }
}
