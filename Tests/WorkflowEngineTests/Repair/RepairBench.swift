import IdentityTesting
import Statechart
import Testing
import WorkflowEngine
import WorkflowJSON
import WorkflowStore

/// The steps that several tests of repairs share.
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

    /// Returns the kind and the message of a repair's rejection.
    func told(_ name: String, _ verb: RepairCommand.Verb, seq: Int64? = nil, key: String? = nil) async -> String {
        do throws(Rejection) {
            try await repair(name, verb, seq: seq, key: key)
            return "none"
        } catch {
            return "\(error.kind): \(error.message)"
        }
    }

    /// - Parameter seq: The seq to go back to; `nil` for the one before the last migration.
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

    /// Returns the kind and the message of a reset's rejection.
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

    /// Verifies the instance, backtests it with the same definition, and folds it with the second implementation.
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

    /// Returns the kinds and events of an instance's history, from a seq on.
    func history(_ name: String, from first: Int64 = 1) async throws -> [String] {
        try await timed.rows(name).filter { $0.seq.rawValue >= first }.map { "\($0.kind.rawValue) \($0.event)" }
    }
}
