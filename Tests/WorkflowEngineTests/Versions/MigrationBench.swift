import IdentityTesting
import Statechart
import Testing
import WorkflowEngine
import WorkflowJSON
import WorkflowStore

/// The steps that several tests of migrations share.
extension TaskBench {
    @discardableResult
    func migrate(
        _ name: String, to version: MachineVersion? = nil, _ plan: MigrationPlan = MigrationPlan(),
        retries: Bool = false, seq: Int64? = nil, isDryRun: Bool = false, key: String? = nil
    ) async throws(Rejection) -> SendResult {
        try await engine.migrate(
            MigrateCommand(
                instance: InstanceName(rawValue: name), to: version, plan, retries: retries, reason: "r",
                expectedSeq: seq.map(Seq.init), isDryRun: isDryRun, key: key.flatMap(RequestKey.init(text:)), by: .test)
        )
    }

    /// Returns the kind and the message of a migration's rejection.
    func toldMigration(
        _ name: String, to version: MachineVersion? = nil, _ plan: MigrationPlan = MigrationPlan(),
        retries: Bool = false, seq: Int64? = nil, key: String? = nil
    ) async -> String {
        do throws(Rejection) {
            try await migrate(name, to: version, plan, retries: retries, seq: seq, key: key)
            return "none"
        } catch {
            return "\(error.kind): \(error.message)"
        }
    }

    /// Expects that the instance verifies, folds to its row, and is the same when it is read again.
    func expectFolded(_ name: String, sourceLocation: SourceLocation = #_sourceLocation) async throws {
        try await expectWhole(sourceLocation: sourceLocation)
        let record = try await timed.record(name)
        for seq in 1...record.seq.rawValue {
            _ = try await engine.instance(named: name, after: Seq(rawValue: seq))
        }
        try await timed.restart()
        #expect(try await timed.record(name) == record, sourceLocation: sourceLocation)
        try await expectWhole(sourceLocation: sourceLocation)
    }
}
