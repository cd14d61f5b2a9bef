import HTTPTypes
import Hummingbird
import JSON
import Spelling
import Statechart
import WorkflowAPI
import WorkflowEngine
import WorkflowStore

/// `/v1/machines`: definitions and their versions.
struct MachineRoutes: Sendable {
    let engine: Engine
    let budget: AnswerBudget

    func register(on router: Router<some RequestContext>) {
        router.resource(
            "/v1/machines",
            [
                (.get, { request, _ in try await budget.page { try await list(request) } }),
                (
                    .post,
                    { request, _ in
                        try await apply(request)
                    }
                ),
            ])
        router.resource(
            "/v1/machines/:machine",
            [
                (
                    .get,
                    { request, context in
                        try await budget.page {
                            try await show(request, name: try context.pathParameter("machine"), version: nil)
                        }
                    }
                )
            ])
        router.resource(
            "/v1/machines/:machine/versions/:version",
            [
                (
                    .get,
                    { request, context in
                        let version = try context.pathParameter("version")
                        guard let number = Int64(version), number > 0 else {
                            throw Problem(.invalidRequest, detail: "'\(version)' is no version; versions are 1, 2, …")
                        }
                        return try await budget.page {
                            try await show(request, name: try context.pathParameter("machine"), version: number)
                        }
                    }
                )
            ])
    }

    private func apply(_ request: Request) async throws -> Response {
        try reading { try NoParameters.check(query: try request.queryItems) }
        let (source, syntax) = try await request.definition()
        let (applied, warnings) = try await asking { try await engine.apply(source, syntax: syntax) }
        var summary = MachineSummary(applied.record)
        summary.warnings = warnings.map(DefinitionDiagnostic.init)
        return Response(summary, status: applied.isNew ? .created : .ok)
    }

    private func list(_ request: Request) async throws -> Response {
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
                try await engine.machines(after: last, limit: ServerLimits.machinesAtOnce)
            }
            items += records.map { MachineSummary($0) }
            if records.count < ServerLimits.machinesAtOnce { break }
        }
        let page = items.prefix(limit)
        let next = items.count > limit ? page.last.map { engine.text(of: .machines(after: $0.machine)) } : nil
        return Response(Page(items: Array(page), nextPage: next))
    }

    private func show(_ request: Request, name: String, version: Int64?) async throws -> Response {
        try reading { try NoParameters.check(query: try request.queryItems) }
        let record = try await engine.machineOrSuggestion(named: name, version: version)
        var summary = MachineSummary(record)
        summary.source = record.source
        return Response(summary)
    }
}

extension Engine {
    /// A machine version; when there is none, the problem names the machine that was probably meant.
    func machineOrSuggestion(named name: String, version: Int64? = nil) async throws -> MachineRecord {
        do {
            return try await asking { try await machine(named: name, version: version) }
        } catch let problem as Problem where problem.type == .machineNotFound {
            throw await suggestingMachine(problem)
        }
    }

    /// Adds the name that was probably meant to a problem about a machine that is not there.
    func suggestingMachine(_ problem: Problem) async -> Problem {
        var problem = problem
        // A suggestion is a courtesy: when the names cannot be read, the problem stands without one.
        if let name = problem.machine, let names = try? await store.machineNames(limit: 10_000), !names.contains(name) {
            problem.suggestion = Spelling.closest(to: name, among: names)
        }
        return problem
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
