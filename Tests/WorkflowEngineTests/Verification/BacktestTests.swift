import GRDB
import IdentityTesting
import SQLiteStore
import Statechart
import StoreTesting
import Testing
import WorkflowEngine
import WorkflowJSON
import WorkflowStore

@Suite struct BacktestTests {
    /// A definition to try on a file's instances, and the expected result.
    struct Trial: Sendable, CustomTestStringConvertible {
        let change: String
        let by: String
        let instance: String
        let verdict: TrialVerdict

        init(_ change: String, by: String, _ instance: String, _ verdict: TrialVerdict) {
            self.change = change
            self.by = by
            self.instance = instance
            self.verdict = verdict
        }

        var testDescription: String { "\(instance): '\(change)' becomes '\(by)'" }
    }

    private static let trials = [
        Trial("lit: false", by: "lit: false", "order-7", .same),
        Trial("lit: false", by: "lit: false", "long", .same),
        Trial("heats: 0", by: "heats: 0", "oven-1", .same),
        Trial("heats: 0", by: "heats: 0", "oven-2", .same),
        Trial("heats: 0", by: "heats: 0", "oven-3", .same),
        // The context differs, and nothing that anybody can see depends on it.
        Trial("heats: 0", by: "heats: 5", "oven-2", .same),
        Trial(
            "on: {flip: off, off: off}", by: "on: {off: off, flip: {}}", "order-7",
            .differs(
                TrialDifference(
                    seq: Seq(rawValue: 3), event: "flip", was: ["off"], wouldBe: ["on"],
                    reason: "it leads to another state"))),
        Trial(
            "on: {flip: off, off: off}", by: "on: {off: off}", "order-7",
            .refused(seq: Seq(rawValue: 3), event: "flip", reason: "'flip' is not accepted in this state")),
        Trial(
            "{flip: on}", by: "{flip: {target: on, guard: event.data.number < 4}}", "order-7",
            .refused(
                seq: Seq(rawValue: 4), event: "flip",
                reason: "'flip' was rejected: guard 'event.data.number < 4' on line 6 is false (event.data.number = 4)")
        ),
        Trial(
            "initial: off", by: "initial: on", "long",
            .differs(
                TrialDifference(
                    seq: Seq(rawValue: 1), event: "init", was: ["off"], wouldBe: ["on"],
                    reason: "it leads to another state"))),
        Trial(
            "PT10M", by: "PT9M", "oven-2",
            .differs(
                TrialDifference(
                    seq: Seq(rawValue: 3), event: "after.PT10M.hot", was: ["cold"], wouldBe: ["hot"],
                    reason: "timer 'after.PT9M.hot' would have fired before"))),
        Trial(
            "PT10M", by: "PT11M", "oven-2",
            .differs(
                TrialDifference(
                    seq: Seq(rawValue: 3), event: "after.PT10M.hot", was: ["cold"], wouldBe: ["hot"],
                    reason: "'after.PT10M.hot' came by itself, but would not be waiting"))),
        Trial(
            "1 / context.heats", by: "1", "oven-3",
            .differs(
                TrialDifference(
                    seq: Seq(rawValue: 3), event: "boom", was: ["cold"], wouldBe: ["cold"],
                    reason: "'boom' would not fail"))),
        Trial(
            "{actions: {send: {event: boom}}}", by: "{}", "oven-3",
            .differs(
                TrialDifference(
                    seq: Seq(rawValue: 3), event: "boom", was: ["cold"], wouldBe: ["cold"],
                    reason: "'boom' came by itself, but would not be waiting"))),
        Trial(
            "heat: hot", by: "heat: {target: hot, actions: {send: {event: ring}}}", "oven-1",
            .differs(
                TrialDifference(
                    seq: Seq(rawValue: 3), event: "remind", was: ["hot"], wouldBe: ["hot"],
                    reason: "'ring', which it sends to itself, would come before"))),
        Trial(
            "context: {heats: 0, cools: 0}\n", by: "context: {heats: 0, cools: 0}\nguards: {none: 'false'}\n", "oven-1",
            .same),
    ]

    @Test(arguments: trials)
    func anInstanceParts(_ trial: Trial) async throws {
        let file = try await WrittenFile()
        let store = try SQLiteFile.open(at: file.path)
        let record = try #require(try await store.instance(named: trial.instance))
        let source = trial.instance.hasPrefix("oven") ? WrittenFile.oven : RunningEngine.definition
        #expect(source.contains(trial.change))
        let machine = try DefinitionReader.read(source.replacing(trial.change, with: trial.by)).machine
        let verdict = try await Backtest(of: store, with: machine).run(instance: record) { _ in }
        #expect(verdict == trial.verdict)
        try store.close()
    }

    /// All instances of a machine together have the same results as each alone, in one pass and in many.
    @Test(arguments: [100_000, 1])
    func allInstancesOfAMachinePart(perPass: Int) async throws {
        let file = try await WrittenFile()
        var limits = StoreLimits()
        limits.sliceRows = 5
        let store = try SQLiteFile.open(at: file.path, limits: limits)
        let machine = try DefinitionReader.read(WrittenFile.oven.replacing("PT10M", with: "PT9M")).machine
        var engineLimits = EngineLimits()
        engineLimits.verifiedInstances = perPass
        var alone: [InstanceName: TrialVerdict] = [:]
        for name: InstanceName in ["oven-1", "oven-2", "oven-3"] {
            let record = try #require(try await store.instance(InstanceKey(name, in: .default)))
            alone[name] = try await Backtest(of: store, with: machine).run(instance: record) { _ in }
        }
        #expect(alone.removeValue(forKey: "oven-3") == .same)
        let told = Collected<(instance: InstanceName, verdict: TrialVerdict)>()
        let counts = try await Backtest(of: store, with: machine, limits: engineLimits).run(
            machine: MachineKey("oven", in: .default), versions: []
        ) {
            if case .parts(let instance, let verdict) = $0 { told.add((instance, verdict)) }
        }
        #expect(told.all.map(\.instance.rawValue).sorted() == ["oven-1", "oven-2"])
        #expect(Dictionary(told.all.map { ($0.instance, $0.verdict) }) { first, _ in first } == alone)
        #expect([counts.same, counts.differs, counts.refused] == [1, 2, 0])
        #expect(counts.byEvent.mapValues(\.differs) == ["after.PT10M.hot": 2])
        try store.close()
    }

    @Test func onlyVersionsThatAreNamedAreReplayed() async throws {
        let folder = try StoreFolder()
        let running = try await RunningEngine(store: folder.open())
        try await running.start("first")
        _ = try await running.engine.apply(RunningEngine.definition + "# another text\n", syntax: .yaml)
        try await running.start("second")
        try await running.start("third")
        let machine = try DefinitionReader.read(RunningEngine.definition.replacing("initial: off", with: "initial: on"))
            .machine
        for (versions, count) in [([], 3), ([1], 1), ([2], 2), ([2, 1], 3), ([3], 0)] as [([MachineVersion], Int)] {
            let counts = try await running.engine.backtest(
                machine: "lamp", versions: versions, with: machine, by: .test
            ) { _ in }
            #expect(counts.differs == count)
        }
        try await running.stop()
    }

    private static let reminder = """
        id: reminder
        initial: on
        context: {seen: 0}
        guards:
          isMended: event.at > instance.startedAt + duration('10s')
        states:
          on:
            entry: {send: {event: remind, delay: 1s, misfire: {skip: 5s}}}
            on:
              remind: {target: seen, actions: {assign: {seen: "isMended ? 1 : 1 / context.seen"}}}
          seen: {}
        """

    /// A retried timer is not late, whatever its rule about lateness is.
    @Test(.timeLimit(.minutes(20))) func aRetriedTimerIsNotSkipped() async throws {
        let timed = try await TimedEngine(Self.reminder)
        try await timed.start("reminder", "r")
        try await timed.pass(1_000)
        try await timed.pass(11_000)
        let answer = try await timed.engine.repair(RepairCommand(instance: "r", .retry))
        #expect(answer.to == ["seen"])
        let machine = try DefinitionReader.read(Self.reminder).machine
        let record = try await timed.record("r")
        let verdict = try await timed.engine.backtest(record, with: machine, by: .test) { _ in }
        #expect(verdict == .same)
        try await timed.expectWhole("r")
        try await timed.stop()
    }

    private static func writer(_ count: Int) -> String {
        """
        id: writer
        initial: on
        context: {n: 0, blob: '\(String(repeating: "x", count: 512 << 10))'}
        states:
          on: {on: {go: {actions: {foreach: {array: lists.range(\(count)), item: n, actions: [{log: context.blob}]}}}}}
        """
    }

    /// Accepted events may have been within earlier limits. Events beyond those too are refused with today's message.
    @Test(.timeLimit(.minutes(20)), arguments: [(12, true), (3_000, false)])
    func whatWasTakenWasWithinTheBoundsOfItsTime(count: Int, isSame: Bool) async throws {
        let timed = try await TimedEngine(Self.writer(1))
        try await timed.start("writer", "w")
        try await timed.send("go", to: "w")
        let machine = try DefinitionReader.read(Self.writer(count)).machine
        let record = try await timed.record("w")
        let verdict = try await timed.engine.backtest(record, with: machine, by: .test) { _ in }
        if isSame {
            #expect(verdict == .same)
        } else if case .refused(let seq, "go", let reason) = verdict {
            #expect(seq.rawValue == 2 && reason.contains("all that one writes has at most 4194304"), "\(reason)")
        } else {
            Issue.record("\(verdict)")
        }
        try await timed.stop()
    }

    /// The file stays the same to the byte.
    @Test func nothingIsWritten() async throws {
        let file = try await WrittenFile()
        let before = try file.read { try String.fetchAll($0, sql: "SELECT hex(digest) FROM journal") }
        let store = try SQLiteFile.open(at: file.path)
        let machine = try DefinitionReader.read(RunningEngine.definition).machine
        let counts = try await Backtest(of: store, with: machine).run(
            machine: MachineKey("lamp", in: .default), versions: []
        ) { _ in }
        try store.close()
        #expect(counts.same == 2)
        #expect(try file.read { try String.fetchAll($0, sql: "SELECT hex(digest) FROM journal") } == before)
    }
}
