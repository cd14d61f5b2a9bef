import IdentityTesting
import Statechart
import Testing
import WorkflowEngine
import WorkflowStore

/// Tests replays of migrated instances: only the rows since the migration are tried.
@Suite(.timeLimit(.minutes(20))) struct MigratedBacktestTests {
    private static let first = """
        id: b
        initial: a
        states: {a: {on: {go: c, step: c}}, c: {on: {back: a}}}
        """
    private static let second = """
        id: b
        initial: x
        states: {x: {on: {go: y, step: y}}, y: {on: {back: x}}}
        """

    private static func bench() async throws -> TaskBench {
        let bench = try await TaskBench(first)
        try await bench.timed.start("b", "p")
        try await bench.timed.send("go", to: "p")
        try await bench.engine.apply(second, syntax: .yaml)
        try await bench.migrate("p", MigrationPlan(map: ["c": "y"]))
        try await bench.timed.send("back", to: "p")
        try await bench.timed.send("step", to: "p")
        return bench
    }

    private static func verdicts(_ bench: TaskBench, _ text: String) async throws -> [String] {
        let machine = try DefinitionReader.read(text).machine
        let record = try await bench.timed.record("p")
        let one = try await bench.engine.backtest(record, with: machine, by: .test) { _ in }
        let all = try await bench.engine.backtest(machine: "b", versions: [], with: machine, by: .test) { _ in }
        return ["\(one)", "\(all.same) \(all.differs) \(all.refused)"]
    }

    @Test func whatCameBeforeTheMigrationIsNotAsked() async throws {
        let bench = try await Self.bench()
        #expect(try await Self.verdicts(bench, Self.second) == ["\(TrialVerdict.same)", "1 0 0"])
        // This version would have parted before the migration, which does not matter any more.
        let other = Self.second.replacing("initial: x", with: "initial: y")
        #expect(try await Self.verdicts(bench, other) == ["\(TrialVerdict.same)", "1 0 0"])
        let found = try await Self.verdicts(bench, Self.second.replacing("step: y", with: "step: x"))
        #expect(found[0].contains("seq: WorkflowStore.Seq(rawValue: 5)") && found[1] == "0 1 0", "\(found)")
    }

    @Test func aVersionThatLacksTheStateIsRefused() async throws {
        let bench = try await Self.bench()
        let found = try await Self.verdicts(bench, Self.first)
        #expect(found[0].contains("has no state") && found[1] == "0 0 1", "\(found)")
        try await bench.expectFolded("p")
    }
}
