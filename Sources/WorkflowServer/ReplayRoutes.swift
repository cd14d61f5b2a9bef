import Hummingbird
import JSON
import Logging
import Statechart
import WorkflowAPI
import WorkflowEngine
import WorkflowStore

/// `/v1/…/replay` and `/v1/…/verify`: going through histories again. Nothing is written.
struct ReplayRoutes: Sendable {
    let engine: Engine
    let logger: Logger
    private let work = LongWork()

    init(engine: Engine, logger: Logger) {
        self.engine = engine
        self.logger = logger
    }

    func register(on router: Router<some RequestContext>) {
        router.resource(
            "/v1/instances/:instance/replay",
            [
                (
                    .get,
                    { request, context in
                        try await replay(request, name: try context.pathParameter("instance"))
                    }
                ),
                (
                    .post,
                    { request, context in
                        try await backtest(request, instance: try context.pathParameter("instance"))
                    }
                ),
            ])
        router.resource(
            "/v1/machines/:machine/replay",
            [
                (
                    .post,
                    { request, context in
                        try await backtest(request, machine: try context.pathParameter("machine"))
                    }
                )
            ])
        router.resource("/v1/verify", [(.post, { request, _ in try await verify(request, instance: nil) })])
        router.resource(
            "/v1/instances/:instance/verify",
            [
                (
                    .post,
                    { request, context in
                        try await verify(request, instance: try context.pathParameter("instance"))
                    }
                )
            ])
    }

    private func replay(_ request: Request, name: String) async throws -> Response {
        let parameters = try reading { try ReplayParameters(query: try request.queryItems) }
        let record = try await engine.instanceOrSuggestion(named: name).record
        if let to = parameters.to, to > record.seq.rawValue { throw Problem.noSeq(to, of: record) }
        let last = parameters.to.map(Seq.init) ?? record.seq
        let turn = try work.begin()
        return Response(lines: logger, turn: turn) { lines in
            try await engine.replay(record, through: last, isTracing: parameters.trace) { step in
                try await lines.write(try ReplayStep(step, isTraced: parameters.trace))
            }
        }
    }

    private func backtest(_ request: Request, instance name: String) async throws -> Response {
        try reading { try NoParameters.check(query: try request.queryItems) }
        let machine = try await definition(of: request)
        let record = try await engine.instanceOrSuggestion(named: name).record
        let turn = try work.begin()
        return Response(lines: logger, turn: turn) { lines in
            let verdict = try await engine.backtest(with: machine).run(instance: record) { event in
                try await lines.write(BacktestLine(event))
            }
            try await lines.write(BacktestLine.outcome(BacktestOutcome(record.name, verdict)))
        }
    }

    private func backtest(_ request: Request, machine name: String) async throws -> Response {
        let parameters = try reading { try BacktestParameters(query: try request.queryItems) }
        let machine = try await definition(of: request)
        _ = try await engine.machineOrSuggestion(named: name, version: parameters.version)
        let turn = try work.begin()
        return Response(lines: logger, turn: turn) { lines in
            let start = ContinuousClock.now
            let counts = try await engine.backtest(with: machine).run(machine: name, version: parameters.version) {
                try await lines.write(BacktestLine($0))
            }
            try await lines.write(BacktestLine.counts(BacktestCounts(counts, since: start)))
        }
    }

    private func verify(_ request: Request, instance name: String?) async throws -> Response {
        try reading { try NoParameters.check(query: try request.queryItems) }
        if let name { _ = try await engine.instanceOrSuggestion(named: name) }
        let turn = try work.begin()
        return Response(lines: logger, turn: turn) { lines in
            let start = ContinuousClock.now
            let counts = try await engine.verify(instance: name) { try await lines.write(VerificationLine($0)) }
            // Nil when the instance was purged a moment ago: nothing was compared.
            try await lines.write(
                VerificationLine.counts(VerificationCounts(counts ?? VerifiedCounts(), since: start)))
        }
    }

    private func definition(of request: Request) async throws -> Machine {
        let (source, syntax) = try await request.definition()
        do throws(DefinitionError) {
            return try DefinitionReader.read(source, syntax: syntax).machine
        } catch {
            throw Problem(Rejection.invalidDefinition(error))
        }
    }
}

extension InstanceRoutes {
    /// The instance as it was after one of its macrosteps.
    func past(of now: InstanceView, after seq: Int64) async throws -> InstanceView {
        let name = now.record.name
        let past = try await asking { try await engine.instance(named: name, after: Seq(rawValue: seq)) }
        guard let past else { throw Problem.noSeq(seq, of: now.record) }
        return past
    }
}

extension Problem {
    /// The instance has not come that far.
    fileprivate static func noSeq(_ seq: Int64, of record: InstanceRecord) -> Problem {
        Problem(
            .invalidParameter,
            detail: "Instance '\(record.name)' has no seq \(seq) (latest is \(record.seq.rawValue))",
            instance: record.name)
    }
}
