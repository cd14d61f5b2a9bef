import HTTPTypes
import Hummingbird
import Statechart
import WorkflowAPI
import WorkflowEngine
import WorkflowJSON
import WorkflowStore

/// The routes for definitions and their versions.
struct MachineRoutes: Sendable {
    let engine: Engine
    let budget: AnswerBudget
    let definitions: DefinitionQueue
    let limits: ServerLimits

    func register(on routes: inout RouteHandlers) {
        routes.on(.applyDefinition) { try await apply($0) }
        routes.on(.listMachines) { request in try await budget.page { try await list(request) } }
        routes.on(.activateMachine) { try await activate($0) }
        routes.on(.suspendMachine) { try await suspend($0) }
        routes.on(.resumeMachine) { try await resume($0) }
        routes.on(.retainMachine) { try await retain($0) }
        routes.on(.showMachine) { try await show($0, version: nil) }
        routes.on(.showMachineVersion) { try await show($0, version: try version(of: $0)) }
    }

    private func version(of request: RoutedRequest) throws(Problem) -> MachineVersion {
        let version = try request.value("version")
        guard let number = Int64(decimal: version), number > 0 else {
            throw Problem(.invalidRequest, detail: "'\(version)' is no version; versions are 1, 2, …")
        }
        return MachineVersion(rawValue: number)
    }

    private func apply(_ request: RoutedRequest) async throws -> Response {
        let parameters = try reading { try ApplyParameters(query: try request.queryItems) }
        let (source, syntax) = try await request.definition()
        let reading = try await definitions.reading(source, syntax, for: request.caller.actor)
        try request.requireAdmission()
        let (applied, warnings) = try await asking {
            try await engine.apply(reading, of: source, isActivated: parameters.activate, by: request.caller)
        }
        var summary = MachineSummary(applied.record, nil)
        summary.active = applied.active?.rawValue
        summary.warnings = warnings.map(DefinitionDiagnostic.init)
        summary.differences = applied.earlierSemantics.map { reading.machine.differences(from: $0, in: source) }
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
            // Each record includes its source, which the summary leaves out.
            let last = items.last.map { MachineName(rawValue: $0.machine) } ?? after
            let records = try await asking {
                try await engine.machines(after: last, limit: limits.machinesAtOnce, by: request.caller)
            }
            items += try await summaries(of: records, after: last, by: request.caller)
            if records.count < limits.machinesAtOnce { break }
        }
        let page = items.prefix(limit)
        let last = items.count > limit ? page.last : nil
        let next = last.map { engine.text(of: .machines(after: MachineName(rawValue: $0.machine))) }
        return Response(Page(items: Array(page), nextPage: next))
    }

    /// Returns the summaries of machines after a name, with the versions that are active.
    private func summaries(
        of records: [MachineRecord], after name: MachineName?, by caller: Caller
    ) async throws -> [MachineSummary] {
        guard let last = records.last?.name.rawValue else { return [] }
        var found: [MachineName: MachineSetting] = [:]
        var place = name
        while true {
            let settings = try await asking { [place] in
                try await engine.settings(after: place, limit: limits.machinesAtOnce, by: caller)
            }
            for setting in settings { found[setting.key.name] = setting }
            guard settings.count == limits.machinesAtOnce, let end = settings.last?.key.name,
                end.rawValue.utf8.lexicographicallyPrecedes(last.utf8)
            else { break }
            place = end
        }
        return records.map { MachineSummary($0, found[$0.name]) }
    }

    private func show(_ request: RoutedRequest, version: MachineVersion?) async throws -> Response {
        let name = try request.machine
        return try await budget.page {
            let record = try await asking {
                try await engine.machine(named: name, version: version, by: request.caller)
            }
            let setting = try await asking { try await engine.setting(of: name, by: request.caller) }
            var summary = MachineSummary(record, setting)
            summary.source = record.source
            return Response(summary)
        }
    }
}

extension MachineSummary {
    /// Creates the wire form of a stored version.
    fileprivate init(_ record: MachineRecord, _ setting: MachineSetting?) {
        self.init(
            machine: record.name.rawValue, version: record.version.rawValue, semantics: record.semantics,
            active: setting?.active?.rawValue,
            suspended: setting.flatMap(MachineSuspensionItem.init), retentionInMilliseconds: setting?.retention,
            digest: record.digest.text,
            createdAt: WireTime(milliseconds: record.created.rawValue))
    }
}
