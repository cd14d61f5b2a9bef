import GRDB
import Testing
import WorkflowEngine

/// Tests that `verify` compares the request in an effect's row with the result of the history.
@Suite(.timeLimit(.minutes(20))) struct ForgedEffectTests {
    @Test(arguments: [
        #"request = '{"input":{"amount":6}}'"#, "queue = 'task:mine'", "priority = 1", "name = 'other'",
    ])
    func aChangedRequestIsFound(change: String) async throws {
        let bench = try await TaskBench()
        try await bench.timed.start("order", "o")
        try await bench.timed.stop()
        let file = try DatabaseQueue(path: bench.timed.folder.path + "/wfd.db")
        try await file.write { try $0.execute(sql: "UPDATE effect SET \(change)") }
        try file.close()
        let found = try await bench.findings(reopening: true)
        #expect(found.count == 1 && found[0].hasPrefix("o"), "\(found)")
    }
}
