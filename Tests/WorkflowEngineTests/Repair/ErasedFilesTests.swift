import DiskTesting
import Foundation
import IdentityTesting
import Statechart
import Testing
import ThreadTesting
import WorkflowEngine
import WorkflowJSON
import WorkflowStore

/// Tests that deleted or redacted data is in no file when the answer comes, or that the answer says why it still is.
@Suite(.timeLimit(.minutes(20))) struct ErasedFilesTests {
    private static let door = """
        id: door
        initial: open
        context: {who: null}
        states:
          open: {on: {name: {actions: {assign: {who: event.data}}}, shut: shut}}
          shut: {type: final}
        """
    /// A text that appears nowhere by chance.
    private let marker = "tok" + UUID().uuidString.replacing("-", with: "")
    private static let read =
        "another program reads the database, whose log holds what was erased until that program has ended"

    /// Returns a file with a finished instance whose data has the marker.
    private func bench(limits: EngineLimits = EngineLimits()) async throws -> TaskBench {
        let bench = try await TaskBench(Self.door, limits: limits)
        try await bench.timed.start("door", "d")
        try await bench.timed.send("name", .string(marker), to: "d")
        try await bench.timed.send("shut", to: "d")
        #expect(try files(of: bench) == ["wfd.db-wal"], "the log has it")
        return bench
    }

    /// Returns the files with the marker.
    private func files(of bench: TaskBench) throws -> [String] {
        try ["wfd.db", "wfd.db-wal"].filter { name in
            let path = bench.timed.folder.path + "/" + name
            return try Data(contentsOf: URL(filePath: path)).range(of: Data(marker.utf8)) != nil
        }
    }

    private static func impatient() -> EngineLimits {
        var limits = EngineLimits()
        limits.erasureWait = .milliseconds(50)
        limits.erasurePause = .milliseconds(50)
        return limits
    }

    @Test func aDeletedInstanceIsInNoFile() async throws {
        let bench = try await bench()
        #expect(try await bench.delete("d").pending == nil)
        #expect(try files(of: bench) == [])
        try await bench.expectWhole()
    }

    @Test func aPurgedInstanceIsInNoFile() async throws {
        let bench = try await bench()
        try await bench.timed.pass(90 * 86_400_000)
        let result = try await bench.engine.purge(PurgeRequest(age: 86_400_000, reason: "r", by: .test))
        #expect(result.deleted == 1 && result.pending == nil)
        #expect(try files(of: bench) == [])
    }

    @Test func aDeletionSaysThatSomebodyReads() async throws {
        let bench = try await bench(limits: Self.impatient())
        let reader = try ForeignReader(bench.timed.folder.path + "/wfd.db")
        #expect(try await bench.delete("d", key: "k").pending == Self.read)
        #expect(try files(of: bench).contains("wfd.db-wal"))
        // The same again is not done again, and says how it is by then.
        let again = try await bench.delete("d", key: "k")
        #expect(again.isRepeated && again.pending == Self.read)
        try reader.end()
        // The log is emptied although nobody asks for it.
        try await eventually("the log is emptied") { try files(of: bench) == [] }
        #expect(try await bench.delete("d", key: "k").pending == nil)
    }

    @Test func aRedactionSaysThatSomebodyReads() async throws {
        let bench = try await bench(limits: Self.impatient())
        let reader = try ForeignReader(bench.timed.folder.path + "/wfd.db")
        let command = RedactCommand(instance: "d", reason: "r", key: RequestKey(text: "k"), by: .test)
        #expect(try await bench.engine.redact(command).pending == Self.read)
        try reader.end()
        try await eventually("the log is emptied") { try files(of: bench) == [] }
        let again = try await bench.engine.redact(command)
        #expect(again.isRepeated && again.pending == nil)
    }

    /// A run is done when the data that it erased is gone.
    @Test(arguments: [BulkAction.delete(cancelsEffects: false), .redact(paths: [])])
    func aRunWaitsForWhoReads(action: BulkAction) async throws {
        let bench = try await bench(limits: Self.impatient())
        let reader = try ForeignReader(bench.timed.folder.path + "/wfd.db")
        let names: [InstanceName] = ["d"]
        let request = BulkRequest(
            action: action, targets: .names(1, BulkRequest.digest(of: names)), reason: "r")
        _ = try await bench.engine.begin(run: "r", request, names, by: .test)
        try await eventually("the run says why it is not done") {
            try await bench.engine.run(named: "r", by: .test).paused == Self.read
        }
        let waiting = try await bench.engine.run(named: "r", by: .test)
        #expect(waiting.record.state == .running && waiting.outcome.count(of: .done) == 1)
        try reader.end()
        try await eventually("the run is done") {
            try await bench.engine.run(named: "r", by: .test).record.state == .done
        }
        #expect(try files(of: bench) == [])
        #expect(try await bench.engine.run(named: "r", by: .test).outcome.count(of: .done) == 1)
    }
}
