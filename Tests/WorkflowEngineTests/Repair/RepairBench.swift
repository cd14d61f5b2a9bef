import IdentityTesting
import Statechart
import Testing
import WorkflowEngine
import WorkflowJSON
import WorkflowStore

/// What several tests of repairs do.
extension TaskBench {
    @discardableResult
    func repair(
        _ name: String, _ verb: RepairCommand.Verb, reason: String? = "r", seq: Int64? = nil, isDryRun: Bool = false,
        key: String? = nil
    ) async throws(Rejection) -> SendResult {
        try await engine.repair(
            RepairCommand(
                instance: name, verb, reason: reason, expectedSeq: seq.map(Seq.init), isDryRun: isDryRun,
                key: key.flatMap(RequestKey.init(text:))))
    }

    /// Changes keys of the context.
    @discardableResult
    func set(
        _ name: String, _ values: JSONObject, unset: [String] = [], key: String? = nil
    ) async throws(Rejection) -> SendResult {
        try await repair(name, .set(ContextChange(set: values, unset: unset)), key: key)
    }

    /// What is told of a repair that is rejected: its kind and its message.
    func told(_ name: String, _ verb: RepairCommand.Verb, seq: Int64? = nil, key: String? = nil) async -> String {
        do throws(Rejection) {
            try await repair(name, verb, seq: seq, key: key)
            return "none"
        } catch {
            return "\(error.kind): \(error.message)"
        }
    }

    /// - Parameter seq: Nil for before the last migration.
    @discardableResult
    func reset(
        _ name: String, to seq: Int64?, timers: Reset.Timers = .left, invocations: Reset.Invocations? = nil,
        reason: String? = "r", expecting expected: Int64? = nil, isDryRun: Bool = false, key: String? = nil
    ) async throws(Rejection) -> SendResult {
        try await engine.reset(
            ResetCommand(
                instance: InstanceName(rawValue: name),
                to: seq.map { .seq(Seq(rawValue: $0)) } ?? .beforeLast, timers: timers,
                invocations: invocations, reason: reason, expectedSeq: expected.map(Seq.init), isDryRun: isDryRun,
                key: key.flatMap(RequestKey.init(text:)), by: .test))
    }

    /// What is told of a reset that is rejected: its kind and its message.
    func toldOfReset(
        _ name: String, to seq: Int64?, invocations: Reset.Invocations? = nil, seq expected: Int64? = nil,
        key: String? = nil
    ) async -> String {
        do throws(Rejection) {
            try await reset(name, to: seq, invocations: invocations, expecting: expected, key: key)
            return "none"
        } catch {
            return "\(error.kind): \(error.message)"
        }
    }

    /// Verified, backtested with the same definition, and folded by the second implementation.
    func expectSound(_ name: String, sourceLocation: SourceLocation = #_sourceLocation) async throws {
        try await expectWhole(sourceLocation: sourceLocation)
        let record = try await timed.record(name)
        let machine = try await engine.loadedMachine(record.machineID).machine
        // The second implementation knows neither calls nor words on effects.
        let hasWords = try await timed.rows(name).contains { $0.kind == .effect }
        if !machine.hasCalls, !hasWords { try await timed.expectWhole(name, sourceLocation: sourceLocation) }
        let verdict = try await engine.backtest(record, with: machine, by: .test) { _ in }
        #expect("\(verdict)" == "\(TrialVerdict.same)", sourceLocation: sourceLocation)
        for seq in 1...record.seq.rawValue {
            _ = try await engine.instance(named: name, after: Seq(rawValue: seq))
        }
    }

    /// The kinds and events of the history of an instance, from a seq on.
    func history(_ name: String, from first: Int64 = 1) async throws -> [String] {
        try await timed.rows(name).filter { $0.seq.rawValue >= first }.map { "\($0.kind.rawValue) \($0.event)" }
    }
}
