import HTTPTypes
import Hummingbird
import Statechart
import WorkflowAPI
import WorkflowEngine
import WorkflowJSON
import WorkflowStore

/// Definitions and their versions.
struct MachineRoutes: Sendable {
    let engine: Engine
    let budget: AnswerBudget
    let limits: ServerLimits

    func register(on routes: inout RouteHandlers) {
        routes.on(.applyDefinition) { try await apply($0) }
        routes.on(.listMachines) { request in try await budget.page { try await list(request) } }
        routes.on(.showMachine) { try await show(try $0.value("machine"), version: nil) }
        routes.on(.showMachineVersion) { try await show(try $0.value("machine"), version: try version(of: $0)) }
    }

    private func version(of request: RoutedRequest) throws(Problem) -> Int64 {
        let version = try request.value("version")
        guard let number = Int64(version), number > 0 else {
            throw Problem(.invalidRequest, detail: "'\(version)' is no version; versions are 1, 2, …")
        }
        return number
    }

    private func apply(_ request: RoutedRequest) async throws -> Response {
        let (source, syntax) = try await request.definition()
        let (applied, warnings) = try await asking { try await engine.apply(source, syntax: syntax) }
        var summary = MachineSummary(applied.record)
        summary.warnings = warnings.map(DefinitionDiagnostic.init)
        return Response(summary, status: applied.isNew ? .created : .ok)
    }

    private func list(_ request: RoutedRequest) async throws -> Response {
        let parameters = try reading {
            try PageParameters(query: try request.queryItems)
        }
        var after: String?
        if let page = parameters.page {
            guard case .machines(let name) = try await engine.pageToken(page) else { throw PageToken.ofAnotherList }
            after = name
        }
        let limit = parameters.limit ?? APILimits.defaultPageItems
        var items: [MachineSummary] = []
        while items.count <= limit {
            // Each comes with its source, which is left behind here.
            let last = items.last?.machine ?? after
            let records = try await asking {
                try await engine.machines(after: last, limit: limits.machinesAtOnce)
            }
            items += records.map { MachineSummary($0) }
            if records.count < limits.machinesAtOnce { break }
        }
        let page = items.prefix(limit)
        let next = items.count > limit ? page.last.map { engine.text(of: .machines(after: $0.machine)) } : nil
        return Response(Page(items: Array(page), nextPage: next))
    }

    private func show(_ name: String, version: Int64?) async throws -> Response {
        try await budget.page {
            let record = try await asking { try await engine.machine(named: name, version: version) }
            var summary = MachineSummary(record)
            summary.source = record.source
            return Response(summary)
        }
    }
}

extension MachineSummary {
    /// The wire form of a stored version.
    init(_ record: MachineRecord) {
        self.init(
            machine: record.name, version: record.version, digest: record.digest.text,
            createdAt: WireTime(milliseconds: record.created.rawValue))
    }
}
