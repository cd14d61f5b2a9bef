import DaemonTesting
import Foundation
import IdentityTesting
import SQLiteStore
import Statechart
import StoreTesting
import Testing
import WorkflowEngine
import WorkflowJSON
import WorkflowStore

/// Tests versions that were applied under the semantics of 0.1, and their later use.
@Suite(.timeLimit(.minutes(20))) struct FirstSemanticsTests {
    /// The instances of `0.1.0-semantics.db` whose histories have other results under another semantics.
    private static let changed = ["conflict-1", "history-1", "texts-plan", "texts-tell", "texts-keep", "fails-1"]

    @Test func aRecordedHistoryFoldsUnderItsOwnSemanticsOnly() async throws {
        let folder = try StoreFolder()
        defer { withExtendedLifetime(folder) {} }
        let path = folder.path + "/wfd.db"
        try FileManager.default.copyItem(atPath: Programs.fixture("0.1.0-semantics"), toPath: path)
        let store = try SQLiteFileStore.open(at: path, clock: SystemClock().now(), on: .real)
        let running = try await RunningEngine(store: store)
        for name in Self.changed {
            let record = try await running.engine.instance(named: InstanceName(rawValue: name), by: .test).record
            let rows = try await running.engine.history(
                HistoryQuery(
                    instance: record.id, head: record.head, headSeq: record.seq, seqs: 1...record.seq.rawValue,
                    isReversed: false), of: record, by: .test)
            let loaded = try await running.engine.loadedMachine(record.machineID)
            #expect(loaded.record.semantics == 1 && loaded.machine.semantics == .first)
            #expect(try Self.folds(rows, loaded.record, .first, to: record), "\(name)")
            #expect(try !Self.folds(rows, loaded.record, .second, to: record), "\(name)")
        }
        try await running.stop()
    }

    /// Returns true if the rows lead to the stored state.
    private static func folds(
        _ rows: [JournalRecord], _ version: MachineRecord, _ semantics: Semantics, to record: InstanceRecord
    ) throws -> Bool {
        let machine = try DefinitionReader.read(stored: version.source, semantics: semantics).machine
        var fold = Fold(of: record)
        do throws(FoldError) {
            for row in rows { try fold.apply(row, machine: machine, version: version.version) }
        } catch {
            return false
        }
        return fold.snapshot.map { machine.text(of: $0) } == record.unplacedState
    }

    private static let text = """
        id: m
        context: {n: 0}
        initial: c
        states:
          c:
            initial: s
            states:
              h: {type: history}
              s: {entry: {assign: {n: context.n + 1}}, on: {again: h}}
        """

    private static func applyToFirst(_ engine: Engine) async throws -> AppliedMachine {
        let reading = try DefinitionReader.read(text, semantics: .first)
        return try await engine.apply(reading, of: text, by: .test).0
    }

    @Test func anUnchangedTextOfEarlierSemanticsIsAppliedAgain() async throws {
        let running = try await RunningEngine(store: FakeStore())
        let first = try await Self.applyToFirst(running.engine)
        #expect(first.record.semantics == 1 && first.record.version == 1 && first.earlierSemantics == nil)
        let second = try await running.engine.apply(Self.text, syntax: .yaml, by: .test).0
        #expect(second.isNew && second.record.version == 2 && second.record.semantics == 2)
        #expect(second.earlierSemantics == .first)
        let again = try await running.engine.apply(Self.text, syntax: .yaml, by: .test).0
        #expect(!again.isNew && again.record == second.record && again.earlierSemantics == nil)
        try await running.stop()
    }

    @Test func aVersionKeepsItsSemanticsAndInstancesCrossByMigration() async throws {
        let timed = try await TimedEngine()
        _ = try await Self.applyToFirst(timed.engine)
        try await timed.restart()
        _ = try await timed.engine.start(StartCommand(machine: "m", instance: "i"))
        func again() async throws -> JSONValue? {
            _ = try await timed.engine.send(SendCommand(instance: "i", event: Event(name: "again")))
            return try JSONReader.value(from: try await timed.record("i").state.context).object?["n"]
        }
        func outdated() async throws -> [Int64] {
            try await timed.engine.tally(TallyQuery(semanticsBelow: 2, limit: 10), by: .test).map(\.count)
        }
        #expect(try await again() == 1)
        #expect(try await outdated() == [1])
        _ = try await timed.engine.apply(Self.text, syntax: .yaml, by: .test)
        #expect(try await again() == 1)
        let migration = MigrateCommand(
            instance: "i", to: 2, MigrationPlan(), retries: false, reason: nil, expectedSeq: nil, isDryRun: false,
            key: nil, by: .test)
        _ = try await timed.engine.migrate(migration)
        #expect(try await outdated() == [])
        #expect(try await again() == 2)
        // Each row folds by the semantics of its version.
        let record = try await timed.record("i")
        for (seq, entered) in [(1, 1), (2, 1), (3, 1), (4, 1), (5, 2)] as [(Int64, Int64)] {
            let past = try #require(try await timed.engine.instance(named: "i", after: Seq(rawValue: seq)))
            #expect(past.record.state.context == #"{"n":\#(entered)}"#)
        }
        #expect(record.seq.rawValue == 5)
        try await timed.stop()
    }
}
