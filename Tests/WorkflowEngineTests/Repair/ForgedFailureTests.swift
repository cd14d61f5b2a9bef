import GRDB
import IdentityTesting
import Statechart
import Testing
import WorkflowEngine
import WorkflowStore

/// Tests an instance that somebody has marked as failed in the file: nothing says what it failed on.
@Suite(.timeLimit(.minutes(20))) struct ForgedFailureTests {
    @Test func whatKeepsNothingCannotGoOnAndEndsNoDaemon() async throws {
        let bench = try await TaskBench()
        try await bench.timed.start("order", "o")
        try await bench.timed.stop()
        let file = try DatabaseQueue(path: bench.timed.folder.path + "/wfd.db")
        try await file.write { try $0.execute(sql: "UPDATE instance SET status = 'failed', failure = '{}'") }
        try file.close()
        try await bench.timed.reopen()
        for verb in [RepairCommand.Verb.retry, .skip] {
            let told = await bench.told("o", verb)
            #expect(told.hasPrefix("damaged: "), "\(told)")
        }
        let second = TaskBench.order.replacing("amount: 5", with: "amount: 6")
        _ = try await bench.engine.apply(second, syntax: .yaml)
        let engine = bench.engine
        let migrated = await bench.timed.rejection { () async throws(Rejection) in
            _ = try await engine.migrate(
                MigrateCommand(instance: "o", to: 2, retries: true, reason: "r", by: .test))
        }
        #expect(migrated == "damaged")
    }
}
