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
        routes.on(.showMachine) { try await show($0, version: nil) }
        routes.on(.showMachineVersion) { try await show($0, version: try version(of: $0)) }
    }

    private func version(of request: RoutedRequest) throws(Problem) -> MachineVersion {
        let version = try request.value("version")
        guard let number = Int64(version), number > 0 else {
            throw Problem(.invalidRequest, detail: "'\(version)' is no version; versions are 1, 2, …")
        }
        return MachineVersion(rawValue: number)
    }

    private func apply(_ request: RoutedRequest) async throws -> Response {
        let (source, syntax) = try await request.definition()
        let (applied, warnings) = try await asking {
            try await engine.apply(source, syntax: syntax, by: request.caller)
        }
        var summary = MachineSummary(applied.record)
        summary.warnings = warnings.map(DefinitionDiagnostic.init)
        return Response(summary, status: applied.isNew ? .created : .ok)
    }

    private func list(_ request: RoutedRequest) async throws -> Response {
        let parameters = try reading {
            try PageParameters(query: try request.queryItems)
        }
        var after: MachineName?
        if let page = parameters.page {
            guard case .machines(let name) = try await engine.pageToken(page, by: request.caller) else {
                throw PageToken.ofAnotherList
            }
            after = name
        }
        let limit = parameters.limit ?? APILimits.defaultPageItems
        var items: [MachineSummary] = []
        while items.count <= limit {
            // Each comes with its source, which is left behind here.
            let last = items.last.map { MachineName(rawValue: $0.machine) } ?? after
            let records = try await asking {
                try await engine.machines(after: last, limit: limits.machinesAtOnce, by: request.caller)
            }
            items += records.map { MachineSummary($0) }
            if records.count < limits.machinesAtOnce { break }
        }
        let page = items.prefix(limit)
        let last = items.count > limit ? page.last : nil
        let next = last.map { engine.text(of: .machines(after: MachineName(rawValue: $0.machine))) }
        return Response(Page(items: Array(page), nextPage: next))
    }

    private func show(_ request: RoutedRequest, version: MachineVersion?) async throws -> Response {
        let name = try request.machine
        return try await budget.page {
            let record = try await asking {
                try await engine.machine(named: name, version: version, by: request.caller)
            }
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
            machine: record.name.rawValue, version: record.version.rawValue, digest: record.digest.text,
            createdAt: WireTime(milliseconds: record.created.rawValue))
    }
}
