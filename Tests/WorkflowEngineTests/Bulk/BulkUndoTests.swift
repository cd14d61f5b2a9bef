import IdentityTesting
import Statechart
import StoreTesting
import Synchronization
import Testing
import WorkflowEngine
import WorkflowJSON
import WorkflowStore

/// Tests undone runs: an instance that has not continued since is as before, and for as long.
@Suite(.timeLimit(.minutes(20))) struct BulkUndoTests {
    /// A run over six instances, and the result of its undo when `p-1` and `p-5` have continued. Two of the instances
    /// have failed, two are busy and two are idle.
    struct Case: Sendable, CustomTestStringConvertible {
        let action: BulkAction
        let done: String
        let undone: String
        /// The numbers of the instances that are put back.
        var instances = [0, 2, 3, 4]
        var kind = Input.Kind.reset

        var testDescription: String { action.name }
    }

    private static let set = BulkAction.repair(.set(ContextChange(set: ["by": 2], unset: [])))
    private static let cases = [
        Case(action: set, done: "done 6", undone: "done 4, changed 2"),
        Case(action: .repair(.cancel(runsActions: true)), done: "done 6", undone: "done 4, changed 2"),
        Case(action: .repair(.skip), done: "done 2, passedOver 4", undone: "done 1, changed 1", instances: [0]),
        Case(
            action: .repair(.suspend), done: "done 4, refused 2", undone: "done 3, changed 1", instances: [2, 3, 4],
            kind: .resumed),
        Case(
            action: .reset(to: Seq(rawValue: 1), timers: .left, invocations: nil), done: "done 6",
            undone: "done 4, changed 2"),
        Case(
            action: .migrate(to: 2, MigrationPlan(), retries: false), done: "done 6", undone: "done 4, changed 2"),
    ]

    private static func undo(_ run: String, _ invocations: Reset.Invocations? = nil) -> BulkAction {
        .undo(run, invocations: invocations)
    }

    private static func reset(_ number: Int, to seq: Seq, _ bench: BulkBench) async throws {
        _ = try await bench.engine.reset(
            ResetCommand(instance: InstanceName(rawValue: "p-\(number)"), to: .seq(seq), reason: "r", by: .test))
    }

    @Test(arguments: cases) func whoHasNotGoneOnIsAsBefore(_ example: Case) async throws {
        let bench = try await BulkBench(6) { $0 < 2 }
        for name in ["p-2", "p-3"] { try await bench.timed.send("go", to: name) }
        try await bench.engine.apply(BulkBench.pot + "\n  more: {}", syntax: .yaml)
        try await bench.timed.pass(3_600_000)
        var before: [InstanceRecord] = []
        for number in 0..<6 { before.append(try await bench.timed.record("p-\(number)")) }
        let selection = BulkSelection(machines: ["pot"], versions: [1])
        let run = try await bench.ended(try await bench.begin("r", example.action, selection, reason: "r"))
        #expect(run.outcome.brief == example.done)
        try await bench.timed.pass(600_000)
        for number in [1, 5] { try await Self.reset(number, to: Seq(rawValue: 1), bench) }
        let rehearsal = try await bench.rehearse(Self.undo("r"))
        #expect(rehearsal.outcome.brief == example.undone && rehearsal.selected == rehearsal.outcome.total)
        let undone = try await bench.ended(
            try await bench.begin("u", Self.undo("r"), expect: rehearsal.digest.text, reason: "OPS-1"))
        #expect(undone.outcome.brief == example.undone && undone.record.selected == rehearsal.selected)
        #expect(
            undone.outcome.told.filter { $0.kind == .changed }.allSatisfy {
                $0.message?.hasPrefix("it has gone on since the run (seq ") ?? false
            })
        #expect(try await bench.run(run).undoneBy == "u")
        #expect(try await bench.rows(of: "u") == (example.instances.count, 1))
        for number in example.instances {
            let (old, new) = (before[number], try await bench.timed.record("p-\(number)"))
            #expect(new.status == old.status && new.machineID == old.machineID)
            #expect(new.state.configuration == old.state.configuration && new.state.context == old.state.context)
            #expect(new.entered == old.entered && new.failure == old.failure)
            let row = try #require(try await bench.timed.rows("p-\(number)").last)
            #expect(row.kind == example.kind && row.note?.contains(#""reason":"OPS-1","run":"u""#) ?? false)
        }
        try await bench.expectWhole()
        // An instance that failed before the run has failed at the same time, also as later rows see it.
        let failed = try await bench.timed.record("p-0")
        #expect(failed.status == .failed && failed.failure == before[0].failure)
        try await Self.reset(0, to: failed.seq, bench)
        #expect(try await bench.timed.record("p-0").status == .failed)
        // The timer is due when it was.
        #expect(try await bench.timed.record("p-2").state.configuration == before[2].state.configuration)
        try await bench.timed.pass(3_000_000)
        #expect(try await bench.timed.record("p-2").state.configuration == before[4].state.configuration)
        try await bench.expectWhole()
    }

    /// The consequences of the verb came after the row of the run.
    @Test func whatFollowedFromTheVerbCountsAsGoneOn() async throws {
        let chain = BulkBench.pot.replacing(
            "  idle:\n", with: "  idle:\n    always: {target: next, guard: context.by > 1, actions: {send: count}}\n"
        ).replacing("  counted:", with: "  next: {on: {count: counted}}\n  counted:")
        let bench = try await BulkBench(2, of: chain)
        _ = try await bench.ended(try await bench.begin("r", Self.set, reason: "r"))
        let undone = try await bench.ended(try await bench.begin("u", Self.undo("r"), reason: "r"))
        #expect(undone.outcome.brief == "changed 2")
        #expect(undone.outcome.told.first?.message == "it has gone on since the run (seq 2, now 3)")
        #expect(try await bench.timed.record("p-0").status == .done)
    }

    @Test func cancelledInvocationsMustBeDecided() async throws {
        let bench = try await BulkBench(
            2,
            of: """
                id: pot
                initial: idle
                states:
                  idle: {on: {go: busy}}
                  busy: {invoke: {id: i, task: one}, on: {done.invoke.i: idle}}
                """)
        for number in 0..<2 { try await bench.timed.send("go", to: "p-\(number)") }
        _ = try await bench.ended(
            try await bench.begin("r", .repair(.cancel(runsActions: true)), reason: "r"))
        let refused = try await bench.ended(try await bench.begin("u", Self.undo("r"), reason: "r"))
        #expect(refused.outcome.brief == "refused 2")
        #expect(refused.outcome.told.first?.message?.contains("'i' (no result came)") ?? false)
        let rehearsal = try await bench.rehearse(Self.undo("r", .again))
        #expect(rehearsal.outcome.brief == "done 2" && rehearsal.again == 2)
        let undone = try await bench.ended(try await bench.begin("again", Self.undo("r", .again), reason: "r"))
        #expect(undone.outcome.brief == "done 2")
        #expect(try await bench.timed.record("p-1").status == .running)
        try await bench.expectWhole()
    }

    @Test func whoIsSuspendedWithTheMachineStaysSo() async throws {
        let bench = try await BulkBench(2)
        _ = try await bench.ended(try await bench.begin("r", .repair(.suspend), reason: "r"))
        _ = try await bench.engine.suspend(machine: "pot", reason: nil, by: .test)
        #expect(try await bench.rehearse(Self.undo("r")).outcome.brief == "refused 2")
        let undone = try await bench.ended(try await bench.begin("u", Self.undo("r"), reason: "r"))
        #expect(undone.outcome.brief == "refused 2")
        #expect(try await bench.timed.record("p-0").status == .suspended)
        try await bench.expectWhole()
    }

    @Test func itSaysWhichRunsAreNotUndone() async throws {
        let bench = try await BulkBench(2)
        func told(_ name: String) async throws -> String {
            try await bench.told { _ = try await bench.begin("x", Self.undo(name), reason: "r") }
        }
        for (name, action) in [("retry", BulkAction.repair(.retry)), ("send", .send(event: "go", data: nil))] {
            _ = try await bench.ended(try await bench.begin(name, action, reason: "r"))
            #expect(
                try await told(name)
                    == "not-undoable: The run '\(name)' is of '\(name)', which is not undone: "
                    + "set, cancel, skip, suspend, reset and migrate are")
        }
        _ = try await bench.ended(try await bench.begin("r", Self.set, reason: "r"))
        _ = try await bench.ended(try await bench.begin("u", Self.undo("r"), reason: "r"))
        #expect(
            try await told("u")
                == "not-undoable: The run 'u' is an undo, which is not undone: do again what it has undone, "
                + "in a new run")
        // A second undo puts no instance back again.
        let again = try await bench.ended(try await bench.begin("u-2", Self.undo("r"), reason: "r"))
        #expect(again.outcome.brief == "changed 2")
        #expect(try await bench.timed.record("p-0").seq.rawValue == 4)
    }

    /// There are more than the run lists.
    @Test func allThatHadGoneOnAreFoundAgain() async throws {
        let bench = try await BulkBench(60)
        _ = try await bench.ended(try await bench.begin("r", Self.set, reason: "r"))
        for number in 0..<50 { try await bench.timed.send("go", to: "p-\(number)") }
        let undone = try await bench.ended(try await bench.begin("u", Self.undo("r"), reason: "r"))
        #expect(undone.outcome.brief == "done 10, changed 50" && undone.outcome.told.count == 30)
        try await bench.timed.send("go", to: "p-55")
        let found = Mutex<[String]>([])
        try await bench.engine.leftOut(.changed, ofRun: "u", by: .test) { told in
            found.withLock { $0 += told.map(\.instance.rawValue) }
        }
        #expect(found.withLock { $0 } == (0..<50).map { "p-\($0)" })
    }

    @Test func anUndoGoesOnAfterARestart() async throws {
        var limits = EngineLimits()
        limits.batchRows = 8
        let bench = try await BulkBench(400, limits: limits)
        _ = try await bench.ended(try await bench.begin("r", Self.set, reason: "r"))
        let begun = try await bench.begin("u", Self.undo("r"), reason: "r")
        try await bench.timed.restart()
        let undone = try await bench.ended(begun)
        #expect(undone.outcome.brief == "done 400")
        #expect(try await bench.rows(of: "u") == (400, 1))
        #expect(try await bench.timed.context("by", of: "p-399") == 0)
        try await bench.expectWhole()
    }

    @Test func aRunOverNamesIsUndone() async throws {
        let bench = try await BulkBench(4)
        let names = ["p-3", "p-1", "gone"] as [InstanceName]
        _ = try await bench.ended(try await bench.begin("r", Self.set, reason: "r", names: names))
        let undone = try await bench.ended(try await bench.begin("u", Self.undo("r"), reason: "r"))
        #expect(undone.outcome.count(of: .done) == 2)
        #expect(try await bench.rows(of: "u") == (2, 1))
        #expect(try await bench.timed.context("by", of: "p-3") == 0)
        try await bench.expectWhole()
    }
}
