import Hummingbird
import Statechart
import WorkflowAPI
import WorkflowEngine
import WorkflowJSON
import WorkflowStore

/// The routes that go through histories again. Nothing is written to the histories.
struct ReplayRoutes: Sendable {
    let engine: Engine
    let definitions: DefinitionQueue
    private let work = LongWork()

    func register(on routes: inout RouteHandlers) {
        routes.on(.replayInstance) { try await replay($0, name: try $0.instance) }
        routes.on(.backtestInstance) { try await backtest($0, instance: try $0.instance) }
        routes.on(.backtestMachine) { try await backtest($0, machine: try $0.machine) }
        routes.on(.verifyInstance) { try await verify(instance: try $0.instance, by: $0.caller) }
        routes.on(.verifyAll) { try await verify(instance: nil, by: $0.caller) }
    }

    private func replay(_ request: RoutedRequest, name: InstanceName) async throws -> Response {
        let parameters = try reading { try ReplayParameters(query: try request.queryItems) }
        let record = try await asking { try await engine.instance(named: name, by: request.caller) }.record
        let first = parameters.from.map(Seq.init(rawValue:)) ?? Seq(rawValue: 1)
        let last = parameters.to.map(Seq.init(rawValue:)) ?? record.seq
        let latest = max(first, last)
        if latest > record.seq { throw Problem.noSeq(latest.rawValue, of: record) }
        let turn = try work.begin()
        return Response(lines: engine.log, turn: turn) { lines in
            try await engine.replay(
                record, in: first...last, isTracing: parameters.trace, by: request.caller
            ) { step in
                try await lines.write(try ReplayStep(step, isTraced: parameters.trace))
            }
        }
    }

    private func backtest(_ request: RoutedRequest, instance name: InstanceName) async throws -> Response {
        let machine = try await definition(of: request)
        let record = try await asking { try await engine.instance(named: name, by: request.caller) }.record
        let turn = try work.begin()
        return Response(lines: engine.log, turn: turn) { lines in
            let verdict = try await engine.backtest(record, with: machine, by: request.caller) { event in
                try await lines.write(BacktestLine(event))
            }
            try await lines.write(BacktestLine.outcome(BacktestOutcome(record.name, verdict)))
        }
    }

    private func backtest(_ request: RoutedRequest, machine name: MachineName) async throws -> Response {
        let parameters = try reading { try BacktestParameters(query: try request.queryItems) }
        let machine = try await definition(of: request)
        try await asking { try engine.requireAudit() }
        let versions = parameters.versions.map(MachineVersion.init(rawValue:))
        for version in versions.isEmpty ? [nil] : versions.map(Optional.some) {
            _ = try await asking { try await engine.machine(named: name, version: version, by: request.caller) }
        }
        let turn = try work.begin()
        return Response(lines: engine.log, turn: turn) { lines in
            let start = ContinuousClock.now
            let counts = try await engine.backtest(
                machine: name, versions: versions, with: machine, by: request.caller
            ) {
                try await lines.write(BacktestLine($0))
            }
            try await lines.write(BacktestLine.counts(BacktestCounts(counts, since: start)))
        }
    }

    private func verify(instance name: InstanceName?, by caller: Caller) async throws -> Response {
        try await asking { try engine.requireAudit() }
        if let name { try await requireInstance(name, by: caller) }
        let turn = try work.begin()
        return Response(lines: engine.log, turn: turn) { lines in
            let start = ContinuousClock.now
            let counts = try await engine.verify(instance: name, by: caller) {
                try await lines.write(VerificationLine($0))
            }
            // The counts are nil if the instance was purged a moment ago: nothing was compared.
            try await lines.write(
                VerificationLine.counts(VerificationCounts(counts ?? VerifiedCounts(), since: start)))
        }
    }

    /// Refuses a missing instance.
    private func requireInstance(_ name: InstanceName, by caller: Caller) async throws {
        do {
            _ = try await asking { try await engine.instance(named: name, by: caller) }
        } catch let problem as Problem where problem.type == .databaseDamaged {
            // The verification reports an instance that cannot be read.
        }
    }

    private func definition(of request: RoutedRequest) async throws -> Machine {
        let (source, syntax) = try await request.definition()
        return try await definitions.reading(source, syntax, for: request.caller.actor).machine
    }
}

extension InstanceRoutes {
    /// Returns the instance as it was after one of its macrosteps.
    func past(of now: InstanceView, after seq: Int64, by caller: Caller) async throws -> InstanceView {
        let name = now.record.name
        // The engine folds the instance's history.
        let past = try await offLoop(for: .longWork) {
            try await asking { try await engine.instance(named: name, after: Seq(rawValue: seq), by: caller) }
        }
        guard let past else { throw Problem.noSeq(seq, of: now.record) }
        return past
    }
}

extension Problem {
    /// Returns the problem for a seq that the instance has not reached.
    fileprivate static func noSeq(_ seq: Int64, of record: InstanceRecord) -> Problem {
        Problem(
            .seqNotFound,
            detail: "Instance '\(record.name)' has no seq \(seq) (latest is \(record.seq.rawValue))",
            instance: record.name.rawValue)
    }
}
