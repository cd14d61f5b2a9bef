import IdentityTesting
import SQLiteStore
import Statechart
import StoreTesting
import Testing
import ThreadTesting
import WorkflowEngine
import WorkflowJSON
import WorkflowStore

/// Tests the deletion of instances: they are gone at once, their rows later, and nothing else is touched.
@Suite(.timeLimit(.minutes(20))) struct DeleteTests {
    private static let door = """
        id: door
        initial: open
        states:
          open: {after: {2h: shut}, on: {push: {}, ring: {actions: {call: {task: bell}}}, shut: shut}}
          shut: {type: final}
        """

    private static func bench(limits: EngineLimits = EngineLimits()) async throws -> TaskBench {
        try await TaskBench(door, limits: limits)
    }

    private static func finished(_ bench: TaskBench, _ name: String, key: String? = nil) async throws {
        try await bench.timed.start("door", name, key: key)
        try await bench.timed.send("push", to: name, key: "push-\(name)")
        try await bench.timed.send("shut", to: name)
    }

    @Test func aFinishedInstanceIsGoneAtOnceAndItsNameIsFree() async throws {
        let bench = try await Self.bench()
        try await Self.finished(bench, "d")
        let before = try await bench.timed.record("d")
        let deletion = try await bench.delete("d", reason: "OPS-1")
        #expect(deletion.rows == 3 && deletion.digest == before.digest && deletion.uuid == before.uuid)
        #expect(await bench.told { _ = try await bench.engine.instance(named: "d") }.hasPrefix("instanceNotFound"))
        #expect(await bench.told { try await bench.timed.send("push", to: "d") }.hasPrefix("instanceNotFound"))
        try await bench.timed.start("door", "d")
        #expect(try await bench.timed.record("d").uuid != before.uuid)
        let audits = try await bench.engine.audits(before: nil, limit: 10, by: .test)
        #expect(audits.map(\.audit.digest) == [before.digest] && audits[0].audit.reason == "OPS-1")
        #expect(audits[0].machine?.name == "door")
        try await bench.swept()
        try await bench.expectWhole()
        try await bench.timed.restart()
        try await bench.expectWhole()
        #expect(try await bench.timed.journal().count == 1)
    }

    @Test func aPlaceOfADeletedRowIsKnownToHaveBeen() async throws {
        let bench = try await Self.bench()
        try await Self.finished(bench, "d")
        let last = try await bench.timed.record("d").head
        try await bench.delete("d")
        try await bench.swept()
        // Nothing has been written since, so only the deletion tells of the rows.
        try await bench.timed.restart()
        #expect(try await bench.timed.store.row(before: Position(rawValue: 1 << 47)) == nil)
        #expect(try await bench.engine.hasReached(last, by: .test))
        let beyond = Position(rawValue: last.rawValue + 1)
        #expect(try await !bench.engine.hasReached(beyond, by: .test))
        // The next row takes the place behind that of the deletion.
        try await bench.timed.start("door", "e")
        #expect(try await bench.engine.hasReached(bench.timed.record("e").head, by: .test))
        #expect(try await bench.engine.hasReached(beyond, by: .test))
    }

    @Test func whatHasNotFinishedNeedsAWordMore() async throws {
        let bench = try await Self.bench()
        try await bench.timed.start("door", "d")
        #expect(
            await bench.told { _ = try await bench.delete("d") }
                == "notFinished: d, in state 'open' (seq 1), is running: "
                + "cancel it before, or delete it alone with '--confirm d'")
        let trial = try await bench.delete("d", takesUnfinished: true, isDryRun: true)
        #expect(trial.isDryRun && trial.digest == nil && trial.rows == 2)
        #expect(try await bench.timed.record("d").status == .running)
        let deletion = try await bench.delete("d", takesUnfinished: true)
        // The deletion has cancelled the instance first.
        #expect(deletion.rows == 2)
        #expect(try await bench.timed.store.timers(after: nil, limit: 10).isEmpty)
        try await bench.timed.pass(3 * 3_600_000)
        try await bench.swept()
        try await bench.expectWhole()
    }

    @Test func aDeletionIsRefusedThatExpectsAnotherSeq() async throws {
        let bench = try await Self.bench()
        try await Self.finished(bench, "d")
        #expect(await bench.told { _ = try await bench.delete("d", seq: 2) }.hasPrefix("preconditionFailed"))
        #expect(await bench.told { _ = try await bench.delete("e") } == "instanceNotFound: There is no instance 'e'")
        _ = try await bench.delete("d", seq: 3)
    }

    @Test func openCallsKeepAnInstance() async throws {
        let bench = try await Self.bench()
        try await bench.timed.start("door", "d")
        try await bench.timed.send("ring", to: "d")
        try await bench.timed.send("ring", to: "d")
        try await bench.timed.send("shut", to: "d")
        #expect(
            await bench.told { _ = try await bench.delete("d") }
                == "effectsOpen: d, in state 'shut' (seq 4), cannot be deleted: "
                + "calls 'call.2.1' of seq 2, 'call.3.1' of seq 3 have not ended")
        for isDryRun in [true, false] {
            let kept = try await bench.engine.purge(PurgeRequest(age: 0, reason: "r", isDryRun: isDryRun, by: .test))
            #expect(kept == PurgeResult(deleted: 0, rows: 0, kept: 1, isDone: true))
        }
        let task = try #require(try await bench.lease("bell", max: 1).first)
        let deletion = try await bench.delete("d", cancelsEffects: true)
        #expect(deletion.cancelled == ["call.2.1", "call.3.1"])
        #expect(try await bench.lease("bell").isEmpty)
        // A worker that has one of its tasks is told that it is gone, and leaves nothing behind.
        #expect(await bench.told { try await bench.report(.completed(.null), task) }.hasPrefix("leaseLost"))
        try await bench.swept()
        try await bench.expectWhole()
    }

    @Test func theSameKeyDeletesOnce() async throws {
        let bench = try await Self.bench()
        try await Self.finished(bench, "d")
        let first = try await bench.delete("d", key: "k")
        try await bench.swept()
        try await Self.finished(bench, "d")
        let again = try await bench.delete("d", key: "k")
        #expect(again.isRepeated && again.uuid == first.uuid && again.digest == first.digest)
        #expect(try await bench.timed.record("d").status == .done)
        #expect(await bench.told { _ = try await bench.delete("d", reason: "other", key: "k") }.hasPrefix("keyReused"))
        try await bench.timed.restart()
        #expect(try await bench.delete("d", key: "k").isRepeated)
        #expect(try await bench.delete("d", key: "l").isRepeated == false)
    }

    @Test func aStartKeyWithinItsWindowNeverStartsTwice() async throws {
        let bench = try await Self.bench()
        try await Self.finished(bench, "d", key: "start-1")
        _ = try await bench.delete("d")
        let again = { _ = try await bench.timed.start("door", "d", key: "start-1") }
        #expect(
            await bench.told(again)
                == "purged: Key 'start-1' was used for an instance that is deleted; nothing was changed")
        try await bench.swept()
        #expect(bench.engine.purgeBacklog.waiting == 1)
        try await bench.expectWhole()
        try await bench.timed.restart()
        #expect(await bench.told(again).hasPrefix("purged"))
        // The data of the row that is left is gone meanwhile.
        let left = try #require(try await bench.timed.journal().first)
        #expect(left.isRedacted && left.data == nil)
        // After the window the key is a new one.
        try await bench.timed.pass(8 * 86_400_000)
        try await bench.timed.start("door", "e")
        try await bench.timed.start("door", "f")
        try await eventually("the emptied row is gone") { bench.engine.purgeBacklog.waiting == 0 }
        try await bench.expectWhole()
        try await bench.timed.start("door", "d", key: "start-1")
        try await bench.expectWhole()
    }

    @Test func aDeletedNameIsStartedAgainInTheSameBatch() async throws {
        var limits = EngineLimits()
        limits.erasureWait = .zero
        let bench = try await Self.bench(limits: limits)
        for number in 0..<20 { try await Self.finished(bench, "d\(number)") }
        try await withThrowingTaskGroup(of: Void.self) { [engine = bench.engine] group in
            for number in 0..<20 {
                let name = InstanceName(rawValue: "d\(number)")
                group.addTask {
                    _ = try await engine.delete(DeleteCommand(instance: name, by: .test))
                    _ = try await engine.start(StartCommand(machine: "door", instance: name, by: .test))
                }
            }
            try await group.waitForAll()
        }
        for number in 0..<20 { #expect(try await bench.timed.record("d\(number)").status == .running) }
        try await bench.swept()
        try await bench.expectWhole()
    }

    @Test func aLongInstanceGoesAFewRowsAtATime() async throws {
        var limits = EngineLimits()
        limits.sweptRows = 100
        limits.sweptBeside = 10
        limits.erasureWait = .zero
        let bench = try await Self.bench(limits: limits)
        try await bench.timed.start("door", "d")
        for _ in 0..<700 { try await bench.timed.send("push", to: "d") }
        try await bench.timed.send("shut", to: "d")
        try await Self.finished(bench, "other")
        let pending = try #require(try await bench.delete("d").pending)
        #expect(pending.hasSuffix(" rows of deleted instances are left, and go in the background"), "\(pending)")
        // Other instances go on beside it, and a half-deleted instance verifies as whole.
        for _ in 0..<20 {
            try await bench.timed.start("door")
            try await bench.expectWhole()
        }
        try await bench.swept()
        try await bench.expectWhole()
        #expect(try await bench.timed.record("other").status == .done)
    }

    @Test func onlyFinishedInstancesThatAreOldAreDeleted() async throws {
        var limits = EngineLimits()
        limits.purgedPage = 7
        limits.purgedAtOnce = 10
        let bench = try await Self.bench(limits: limits)
        for number in 0..<25 { try await Self.finished(bench, "old-\(number)") }
        try await bench.timed.start("door", "gone")
        try await bench.repair("gone", .cancel(runsActions: false))
        try await bench.timed.start("strict", "failed")
        try await bench.timed.send("bad", to: "failed")
        try await bench.timed.start("strict", "resting")
        try await bench.repair("resting", .suspend)
        try await bench.timed.pass(90 * 86_400_000)
        try await Self.finished(bench, "young")
        let request = { (isDryRun: Bool) in
            PurgeRequest(machine: "door", age: 90 * 86_400_000, reason: "old", isDryRun: isDryRun, by: .test)
        }
        #expect(try await bench.engine.purge(request(true)) == PurgeResult(deleted: 26, rows: 77, isDone: true))
        var sum = 0
        var asked = 0
        while true {
            let result = try await bench.engine.purge(request(false))
            sum += result.deleted
            asked += 1
            #expect(result.deleted < 20)
            if result.isDone { break }
        }
        #expect(sum == 26 && asked > 1)
        for name in ["failed", "resting", "young"] { _ = try await bench.timed.record(name) }
        try await bench.swept()
        try await bench.expectWhole()
        #expect(
            await bench.told {
                _ = try await bench.engine.purge(
                    PurgeRequest(machine: "dor", age: 0, reason: "r", by: .test))
            }.hasPrefix("machineNotFound"))
    }
}

extension TaskBench {
    @discardableResult
    func delete(
        _ name: String, takesUnfinished: Bool = false, cancelsEffects: Bool = false, reason: String? = "r",
        seq: Int64? = nil, isDryRun: Bool = false, key: String? = nil
    ) async throws(Rejection) -> Deletion {
        try await engine.delete(
            DeleteCommand(
                instance: InstanceName(rawValue: name), takesUnfinished: takesUnfinished,
                cancelsEffects: cancelsEffects, reason: reason, expectedSeq: seq.map(Seq.init), isDryRun: isDryRun,
                key: key.flatMap(RequestKey.init(text:)), by: .test))
    }

    /// Returns the kind and the message of a rejection.
    func told(_ body: () async throws -> Void) async -> String {
        do {
            try await body()
            return "none"
        } catch let error as Rejection {
            return "\(error.kind): \(error.message)"
        } catch {
            return "\(error)"
        }
    }

    /// Waits until all removable rows of deleted instances are removed.
    func swept() async throws {
        try await eventually("what was deleted is taken away") { !engine.purgeBacklog.isDue }
    }
}
