import IdentityTesting
import Statechart
import StoreTesting
import Testing
import WorkflowEngine
import WorkflowJSON
import WorkflowStore

/// Tests undone migrations: the instance looks as if nothing had happened.
@Suite(.timeLimit(.minutes(20))) struct UndoTests {
    private static let old = """
        id: f
        initial: a
        context: {n: 0}
        states:
          a:
            on:
              go: b
              poke: {actions: {send: count}}
              count: {actions: {assign: {n: 1 / context.n}}}
          b: {}
        """

    /// A version in which the state `b` is called `c`, and one with an additional state.
    private static let moved = old.replacing("  b: {}", with: "  c: {}").replacing("go: b", with: "go: c")
    private static let renamed = old + "\n  d: {}"

    private static let hour: Int64 = 3_600_000

    /// Returns an instance that has been in `b` for an hour, and one that has failed in `a` since then.
    private static func bench(_ second: String) async throws -> TaskBench {
        let bench = try await TaskBench(old)
        try await bench.timed.start("f", "p")
        try await bench.timed.start("f", "q")
        try await bench.timed.pass(hour)
        try await bench.timed.send("go", to: "p")
        try await bench.timed.send("poke", to: "q")
        try await bench.timed.pass(hour)
        try await bench.engine.apply(second, syntax: .yaml)
        return bench
    }

    @Test(arguments: [(renamed, [:]), (moved, ["b": "c"])])
    func anInstanceIsAsOldInItsStateAsBefore(second: String, map: [String: String]) async throws {
        let bench = try await Self.bench(second)
        let before = [try await bench.timed.record("p"), try await bench.timed.record("q")]
        // All is done twice, so that one undo comes behind another.
        for _ in 0..<2 {
            for name in ["p", "q"] {
                try await bench.migrate(name, to: 2, MigrationPlan(map: map))
                try await bench.timed.pass(Self.hour)
                try await bench.reset(name, to: nil, timers: .due)
            }
        }
        for before in before {
            let after = try await bench.timed.record(before.name.rawValue)
            #expect(after.entered == before.entered && after.failure == before.failure)
            #expect(after.state.configuration == before.state.configuration && after.machineID == before.machineID)
            try await bench.expectFolded(before.name.rawValue)
        }
        // Later commands change the times as always.
        try await bench.repair("q", .skip)
        try await bench.timed.send("go", to: "q")
        let after = try await bench.timed.record("q")
        #expect(after.entered == after.updated && after.entered > before[1].entered && after.failure == nil)
        // A reset to what an undo has left is a new beginning.
        try await bench.timed.pass(Self.hour)
        try await bench.reset("q", to: 7)
        #expect(try await bench.timed.record("q").entered > after.entered)
        try await bench.expectFolded("q")
    }

    @Test func anUndoWhoseRowIsRedactedIsAsOldToo() async throws {
        let bench = try await Self.bench(Self.moved)
        let before = try await bench.timed.record("p")
        try await bench.migrate("p", to: 2, MigrationPlan(map: ["b": "c"]))
        try await bench.reset("p", to: nil, timers: .due)
        _ = try await bench.engine.redact(RedactCommand(instance: "p", reason: "r", by: .test))
        #expect(try await bench.timed.record("p").entered == before.entered)
        try await bench.expectWhole()
    }

    @Test func whatTheNewVersionDoesNotKnowIsNotDropped() async throws {
        let bench = try await Self.bench(Self.renamed)
        let third = Self.old.replacing("      count: {actions: {assign: {n: 1 / context.n}}}\n", with: "")
            .replacing("send: count", with: "assign: {n: 1}")
        try await bench.engine.apply(third, syntax: .yaml)
        #expect(
            await bench.toldMigration("q", to: 3, retries: true)
                == "misfit: q does not fit version 3: count: version 3 does not know what it failed on; "
                + "migrate and skip it")
        #expect(try await bench.migrate("q", to: 3).status == .failed)
        #expect(
            await bench.told("q", .retry)
                == "unknownEvent: q, in state 'a' (seq 4), has failed on 'count', which its version does not "
                + "know any more: 'skip' drops it")
        #expect(try await bench.repair("q", .skip).status == .running)
        try await bench.expectFolded("q")
    }
}

/// Tests undone runs with remaining instances.
@Suite(.timeLimit(.minutes(20))) struct UndoneRunTests {
    private static let undo = BulkAction.undo("m", invocations: nil)
    private static let ofFirst = BulkSelection(machines: ["pot"], versions: [1])

    private static func bench(_ limits: EngineLimits = EngineLimits()) async throws -> BulkBench {
        let bench = try await BulkBench(6, limits: limits)
        try await bench.engine.apply(BulkBench.pot + "\n  more: {}", syntax: .yaml)
        return bench
    }

    @Test func whatWasErasedOrDeletedMeanwhileIsCountedAsGoneOn() async throws {
        let bench = try await Self.bench()
        _ = try await bench.ended(
            try await bench.begin("m", .migrate(to: 2, MigrationPlan(), retries: false), Self.ofFirst, reason: "r"))
        try await bench.timed.send("go", to: "p-0")
        for (name, new) in [("p-1", nil), ("p-2", "new")] as [(InstanceName, InstanceName?)] {
            _ = try await bench.engine.redact(
                RedactCommand(instance: name, newName: new, reason: "r", by: .test))
        }
        _ = try await bench.engine.delete(
            DeleteCommand(instance: "p-3", takesUnfinished: true, reason: "r", by: .test))
        let rehearsal = try await bench.rehearse(Self.undo)
        #expect(rehearsal.outcome.brief == "done 2, changed 4" && rehearsal.selected == 6)
        let undone = try await bench.ended(try await bench.begin("u", Self.undo, reason: "r"))
        #expect(undone.outcome.brief == "done 2, changed 4" && undone.record.selected == 6)
        let told = undone.outcome.told.filter { $0.kind == .changed }
        #expect(told.map(\.instance) == ["p-0", "p-1", "new"])
        #expect(told.last?.message?.hasPrefix("a row 'migrated' was redacted") ?? false)
        try await bench.expectWhole()
    }

    /// Returns a run that was stopped before its end, and what was said to an undo of it before. A run that ends too
    /// soon is begun again, on another engine.
    private static func stopped(_ action: BulkAction) async throws -> (BulkBench, BulkView, early: String) {
        var limits = EngineLimits()
        limits.selectedPage = 1
        limits.batchRows = 16
        while true {
            let bench = try await Self.bench(limits)
            let begun = try await bench.begin("m", action, Self.ofFirst, reason: "r")
            let early = try await bench.told { _ = try await bench.begin("u", Self.undo, reason: "r") }
            let stopped = try await bench.engine.stopRun(named: "m", by: .test)
            if stopped.record.state == .stopped { return (bench, begun, early) }
        }
    }

    @Test(arguments: [
        BulkAction.migrate(to: 2, MigrationPlan(), retries: false),
        .repair(.set(ContextChange(set: ["by": 2], unset: []))),
    ])
    func aStoppedRunEndsWhenItIsUndone(action: BulkAction) async throws {
        let (bench, begun, early) = try await Self.stopped(action)
        #expect(early == "not-undoable: The run 'm' is not done yet: 'wfctl bulk stop m' stops it")
        let moved = try await bench.run(begun).outcome.count(of: .done)
        #expect(moved < 6)
        let undone = try await bench.ended(try await bench.begin("u", Self.undo, reason: "r"))
        #expect(undone.outcome.count(of: .done) == moved && undone.record.selected == moved)
        #expect(try await bench.run(begun).record.state == .done)
        #expect(
            try await bench.told { _ = try await bench.engine.resumeRun(named: "m", by: .test) }
                == "not-undoable: The run 'm' has ended: 'u' has undone it; begin a run of another name for the rest")
        #expect(try await bench.run(begun).outcome.count(of: .done) == moved)
        // A run that was only done is shown as it is.
        #expect(try await bench.engine.resumeRun(named: "u", by: .test).record == undone.record)
        try await bench.expectWhole()
    }
}
