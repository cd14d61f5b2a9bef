import IdentityTesting
import Statechart
import StoreTesting
import Synchronization
import Testing
import WorkflowEngine
import WorkflowJSON
import WorkflowStore

/// Tests runs that migrate many instances to another version, and back.
@Suite(.timeLimit(.minutes(20))) struct BulkMigrationTests {
    /// A definition whose context takes values of any type.
    private static let first = BulkBench.pot + "\ntypes: {context: {n: dyn, by: dyn}}"

    private static let second = BulkBench.pot
        .replacing("context: {n: 0, by: 0}", with: "context: {n: 0, by: 0.5}")
        .replacing(
            "  busy: {after: {2h: idle}}",
            with: "  work: {initial: busy, states: {busy: {after: {3h: late}}, late: {}}}"
        )
        .replacing("go: busy", with: "go: work.busy")
        .replacing("10 / context.by", with: "10 / (int(context.by) + 1)")

    private static let ofFirst = BulkSelection(machines: ["pot"], versions: [1])
    private static let mapped = MigrationPlan(map: ["busy": "work.busy"])

    private static func migration(_ plan: MigrationPlan = mapped, retries: Bool = false) -> BulkAction {
        .migrate(to: 2, plan, retries: retries)
    }

    /// Returns ten instances: three are busy, one of them with a text in place of a number, and one has failed.
    private static func bench(_ limits: EngineLimits = EngineLimits()) async throws -> BulkBench {
        let bench = try await BulkBench(10, of: first, limits: limits) { $0 == 9 }
        for number in 0..<3 { try await bench.timed.send("go", to: "p-\(number)") }
        let change = ContextChange(set: ["n": "three"], unset: [])
        _ = try await bench.engine.repair(RepairCommand(instance: "p-2", .set(change), reason: "r"))
        try await bench.engine.apply(second, syntax: .yaml)
        return bench
    }

    private static func version(_ bench: BulkBench, _ name: String) async throws -> Int64 {
        try await bench.engine.instance(named: InstanceName(rawValue: name), by: .test).machine.version.rawValue
    }

    @Test func aRehearsalGroupsMovesTimersAndMisfits() async throws {
        let bench = try await Self.bench()
        try await bench.timed.pass(3_600_000)
        let told = try await bench.rehearse(Self.migration(), Self.ofFirst)
        #expect(told.outcome.brief == "done 9, misfit 1" && told.selected == 10)
        let busy = try #require(told.groups.first { $0.key.from == ["busy"] })
        #expect(busy.key.targets == ["work.busy"] && busy.key.configuration == ["work.busy"])
        #expect(busy.value.count == 2 && busy.value.ended == 2 && busy.value.kept == 0 && busy.value.due == 0)
        #expect(busy.value.new == ["after.3h.work.busy": 2])
        #expect(told.misfits.map(\.key.place) == ["context.n"] && told.misfits.values.first == 1)
        let unmapped = try await bench.rehearse(Self.migration(MigrationPlan()), Self.ofFirst)
        #expect(unmapped.outcome.brief == "done 7, misfit 3")
        #expect(
            unmapped.misfits.first { $0.key.place == "busy" }?.key.reason
                == "version 2 has no state 'busy'; --map busy=work.busy")
        #expect(unmapped.misfits.first { $0.key.place == "busy" }?.value == 3)
    }

    /// There are more than the run lists. Instances that have migrated meanwhile are not among them.
    @Test func allThatWereLeftOutAreFoundAgain() async throws {
        let bench = try await BulkBench(60, of: Self.first)
        for number in 0..<50 { try await bench.timed.send("go", to: "p-\(number)") }
        let cancel = RepairCommand.Verb.cancel(runsActions: true)
        _ = try await bench.engine.repair(RepairCommand(instance: "p-59", cancel, reason: "r"))
        try await bench.engine.apply(Self.second, syntax: .yaml)
        let run = try await bench.ended(
            try await bench.begin("m", Self.migration(MigrationPlan()), Self.ofFirst, reason: "r"))
        #expect(run.outcome.brief == "done 9, misfit 50, passedOver 1" && run.outcome.told.count < 40)
        try await bench.timed.start("pot", "p-60")
        _ = try await bench.engine.migrate(
            MigrateCommand(instance: "p-7", to: 2, Self.mapped, reason: "r", by: .test))
        func names(_ kind: BulkOutcome.Kind) async throws -> [String] {
            let found = Mutex<[BulkOutcome.Told]>([])
            try await bench.engine.leftOut(kind, ofRun: "m", by: .test) { told in found.withLock { $0 += told } }
            return found.withLock { $0 }.map { "\($0.instance) \($0.message == nil)" }
        }
        let misfits = try await names(.misfit)
        #expect(misfits == (0..<50).filter { $0 != 7 }.map { "p-\($0) false" })
        #expect(try await names(.passedOver) == ["p-59 false"])
        #expect(try await names(.refused).isEmpty)
        #expect(
            try await bench.told { try await bench.engine.leftOut(.misfit, ofRun: "n", by: .test) { _ in } }
                .hasPrefix("run-not-found"))
    }

    @Test func aRunMovesWhatFitsAndItsUndoMovesBackWhatHasNotGoneOn() async throws {
        let bench = try await Self.bench()
        let before = try await bench.timed.record("p-0")
        let run = try await bench.ended(try await bench.begin("m", Self.migration(), Self.ofFirst, reason: "OPS-13"))
        #expect(run.outcome.brief == "done 9, misfit 1")
        #expect(run.outcome.told.first { $0.kind == .misfit }?.message?.contains("context.n") ?? false)
        #expect(try await Self.version(bench, "p-0") == 2)
        #expect(try await Self.version(bench, "p-2") == 1)
        #expect(try await bench.timed.record("p-9").status == .failed)
        #expect(try await bench.rows(of: "m") == (9, 1))
        // One instance goes on, so that an undo would lose something.
        try await bench.timed.send("go", to: "p-5")
        let undo = BulkAction.undo("m", invocations: nil)
        let rehearsal = try await bench.rehearse(undo)
        #expect(rehearsal.outcome.brief == "done 8, changed 1" && rehearsal.selected == 9)
        let undone = try await bench.ended(try await bench.begin("undo-m", undo, reason: "OPS-12"))
        #expect(undone.outcome.brief == "done 8, changed 1" && undone.record.selected == 9)
        #expect(undone.outcome.told.first { $0.kind == .changed }?.instance == "p-5")
        #expect(try await bench.run(run).undoneBy == "undo-m" && run.undoneBy == nil && undone.undoneBy == nil)
        #expect(try await Self.version(bench, "p-0") == 1)
        #expect(try await Self.version(bench, "p-5") == 2)
        let after = try await bench.timed.record("p-0")
        #expect(after.state.configuration == before.state.configuration && after.state.context == before.state.context)
        #expect(try await bench.rows(of: "undo-m") == (8, 1))
        // Asked again it tells what came of it, and under another name nothing is left to undo.
        #expect(try await bench.begin("undo-m", undo, reason: "OPS-12").outcome.brief == "done 8, changed 1")
        let again = try await bench.ended(try await bench.begin("undo-2", undo, reason: "OPS-12"))
        #expect(again.outcome.brief == "changed 9")
        try await bench.expectWhole()
        // The timer of before is due when it was.
        try await bench.timed.pass(2 * 3_600_000)
        #expect(try await bench.timed.record("p-0").state.configuration.contains("idle"))
    }

    @Test func anUndoIsToldAgainWhenTheRunThatItUndidIsForgotten() async throws {
        var limits = EngineLimits()
        limits.keptRuns = 2
        let bench = try await Self.bench(limits)
        _ = try await bench.ended(try await bench.begin("m", Self.migration(), Self.ofFirst, reason: "r"))
        let undo = BulkAction.undo("m", invocations: nil)
        let undone = try await bench.ended(try await bench.begin("undo-m", undo, reason: "r"))
        _ = try await bench.ended(try await bench.begin("s", .repair(.suspend)))
        let forgotten = try await bench.told { _ = try await bench.engine.run(named: "m", by: .test) }
        #expect(forgotten.hasPrefix("run-not-found"))
        #expect(try await bench.begin("undo-m", undo, reason: "r").record == undone.record)
        let other = BulkAction.undo("n", invocations: nil)
        for (action, reason) in [(other, "r"), (undo, "other"), (.undo("m", invocations: .again), "r")] {
            let told = try await bench.told { _ = try await bench.begin("undo-m", action, reason: reason) }
            #expect(told.hasPrefix("key-reused"), "\(told)")
        }
    }

    @Test func aRunThatIsNotThereIsNotUndone() async throws {
        let bench = try await Self.bench()
        let told = try await bench.told {
            _ = try await bench.begin("u", .undo("none", invocations: nil), reason: "r")
        }
        #expect(told.hasPrefix("run-not-found"))
    }

    @Test func aRetryInAnotherVersionMovesOnlyWhatGoesOnThere() async throws {
        let bench = try await BulkBench(6, of: Self.first) { $0 < 4 }
        // This one would fail again: its context has a text where a number is wanted.
        let change = ContextChange(set: ["by": "none"], unset: [])
        _ = try await bench.engine.repair(RepairCommand(instance: "p-3", .set(change), reason: "r"))
        try await bench.engine.apply(Self.second, syntax: .yaml)
        let plan = MigrationPlan(map: ["busy": "work.busy"], assign: ["by": "1.5"])
        let selection = BulkSelection(machines: ["pot"], versions: [1], statuses: [.failed])
        let rehearsal = try await bench.rehearse(Self.migration(plan, retries: true), selection)
        #expect(rehearsal.outcome.brief == "done 4" && rehearsal.groups.first?.key.configuration == ["counted"])
        let strict = MigrationPlan(map: ["busy": "work.busy"], assign: ["by": "-1.0"])
        let failing = try await bench.rehearse(Self.migration(strict, retries: true), selection)
        #expect(failing.outcome.brief == "failed 4")
        let left = try await bench.ended(
            try await bench.begin("f", Self.migration(strict, retries: true), selection))
        #expect(left.outcome.brief == "failed 4")
        let reasons = left.outcome.told.map { $0.message ?? "" }
        #expect(reasons.count == 4 && reasons.allSatisfy { $0.contains("'count' was undone: ") }, "\(reasons)")
        #expect(try await Self.version(bench, "p-0") == 1)
        #expect(try await bench.rows(of: "f").count == 0)
        let run = try await bench.ended(try await bench.begin("r", Self.migration(plan, retries: true), selection))
        #expect(run.outcome.brief == "done 4")
        #expect(try await bench.timed.record("p-0").status == .done)
        try await bench.expectWhole()
    }

    @Test func whatIsForAllOrNothingDoesNothingWhereOneDoesNotFit() async throws {
        let bench = try await Self.bench()
        func begin(_ name: String, _ plan: MigrationPlan) async throws -> BulkView {
            let request = BulkRequest(
                action: Self.migration(plan), targets: .selection(Self.ofFirst), reason: "r", isAtomic: true)
            return try await bench.engine.begin(run: name, request, [], by: .test)
        }
        let told = try await bench.told { _ = try await begin("a", Self.mapped) }
        #expect(told.hasPrefix("misfit: 1 of 10 instances would be left out, so nothing was done: "))
        #expect(
            try await bench.told { _ = try await bench.engine.run(named: "a", by: .test) }.hasPrefix("run-not-found"))
        let mended = MigrationPlan(map: ["busy": "work.busy"], assign: ["n": "0"])
        let run = try await bench.ended(try await begin("b", mended))
        #expect(run.outcome.brief == "done 10" && run.request.isAtomic)
        #expect(try await bench.rows(of: "b") == (10, 1))
        try await bench.expectWhole()
    }

    @Test func whatIsWrongForAllIsToldBeforeTheRunBegins() async throws {
        let bench = try await Self.bench()
        func told(_ action: BulkAction, _ selection: BulkSelection) async throws -> String {
            try await bench.told { _ = try await bench.begin("w", action, selection, reason: "r") }
        }
        #expect(
            try await told(Self.migration(MigrationPlan(map: ["bussy": "work.busy"])), Self.ofFirst)
                == "invalid-data: Version 1 of 'pot' has no state 'bussy'; did you mean 'busy'?")
        #expect(
            try await told(Self.migration(), BulkSelection(machines: ["pot"]))
                == "invalid-data: A migration is for one version: select it with 'machine' and 'version'")
        #expect(
            try await told(.migrate(to: 1, Self.mapped, retries: false), Self.ofFirst)
                == "invalid-data: Version 1 is the one that the instances are to leave")
        #expect(
            try await told(.migrate(to: 7, Self.mapped, retries: false), Self.ofFirst).hasPrefix("machine-not-found"))
    }
}

/// Tests runs that reset, delete and redact.
@Suite(.timeLimit(.minutes(20))) struct BulkErasureTests {
    @Test func aResetGivesEachTheStateOfTheSameSeq() async throws {
        let bench = try await BulkBench(40)
        for number in 0..<30 { try await bench.timed.send("go", to: "p-\(number)") }
        let action = BulkAction.reset(to: Seq(rawValue: 1), timers: .left, invocations: nil)
        let busy = BulkSelection(machines: ["pot"], states: ["busy"])
        let rehearsal = try await bench.rehearse(action, busy)
        #expect(rehearsal.outcome.brief == "done 30" && rehearsal.groups.first?.key.configuration == ["idle"])
        let run = try await bench.ended(try await bench.begin("r", action, busy, reason: "OPS-1"))
        #expect(run.outcome.brief == "done 30")
        #expect(try await bench.timed.record("p-3").state.configuration.contains("idle"))
        #expect(try await bench.rows(of: "r") == (30, 1))
        let none = try await bench.ended(
            try await bench.begin("n", .reset(to: Seq(rawValue: 9), timers: .left, invocations: nil), reason: "r"))
        #expect(none.outcome.brief == "refused 40")
        // A reset may change an instance's version, but meets no instance twice.
        let all = try await bench.ended(
            try await bench.begin("all", .reset(to: Seq(rawValue: 1), timers: .due, invocations: nil), reason: "r"))
        #expect(all.outcome.brief == "done 40")
        #expect(try await bench.rows(of: "all") == (40, 1))
        try await bench.expectWhole()
    }

    @Test func onlyFinishedInstancesAreDeletedTogether() async throws {
        let bench = try await BulkBench(20)
        for number in 0..<12 {
            _ = try await bench.engine.repair(
                RepairCommand(instance: "p-\(number)", .cancel(runsActions: true), reason: "r"))
        }
        #expect(try await bench.rehearse(.delete(cancelsEffects: false)).outcome.brief == "done 12, refused 8")
        let run = try await bench.ended(try await bench.begin("d", .delete(cancelsEffects: false), reason: "OPS-2"))
        #expect(run.outcome.brief == "done 12, refused 8")
        #expect(
            run.outcome.told.first { $0.kind == .refused }?.message?.contains("cancel it before")
                ?? false)
        let told = try await bench.told { _ = try await bench.engine.instance(named: "p-0", by: .test) }
        #expect(told.hasPrefix("instance-not-found"))
        #expect(try await bench.engine.audits(before: nil, limit: 100, by: .test).count == 12)
        try await bench.expectWhole()
    }

    @Test func aRedactionEmptiesTheRowsOfEach() async throws {
        let bench = try await BulkBench(20)
        for number in 0..<20 { try await bench.timed.send("go", ["card": 4711], to: "p-\(number)") }
        let action = BulkAction.redact(paths: ["n"])
        #expect(try await bench.rehearse(action).outcome.brief == "done 20")
        let run = try await bench.ended(try await bench.begin("x", action, reason: "GDPR"))
        #expect(run.outcome.brief == "done 20")
        for number in 0..<20 { #expect(try await bench.timed.rows("p-\(number)")[1].isRedacted) }
        #expect(try await bench.timed.rows("p-7").map(\.kind) == [.started, .event, .redacted])
        #expect(try await bench.rows(of: "x") == (20, 1))
        try await bench.expectWhole()
    }
}
