import IdentityTesting
import Logging
import Statechart
import StoreTesting
import Testing
import ThreadTesting
import WorkflowEngine
import WorkflowJSON
import WorkflowStore

/// Tests that instances that finished longer ago than their machine keeps them are deleted, once an hour of the
/// engine's clock.
@Suite(.timeLimit(.minutes(20))) struct RetentionTests {
    private static let door = """
        id: door
        initial: open
        context: {n: 0}
        states:
          open:
            on:
              ring: {actions: {call: {task: bell}}}
              shut: shut
              break: {actions: {send: broken}}
              broken: {actions: {assign: {n: 1 / context.n}}}
          shut: {type: final}
        """
    private static let gate = "id: gate\ninitial: a\nstates: {a: {type: final}}"
    private static let begin = Timestamp(rawValue: 1_700_000_000_000)
    private static let hour: Int64 = 3_600_000

    private static func timed(
        _ logged: LoggedLines = LoggedLines(), limits: EngineLimits = EngineLimits()
    ) async throws -> TimedEngine {
        let timed = try await TimedEngine(
            door, gate, limits: limits, clock: VirtualClock(at: begin), logger: logged.logger)
        // The pass of the start is over when this returns.
        _ = try await timed.engine.moveClock(to: begin)
        return timed
    }

    @Test func whatHasFinishedGoesAndNothingElse() async throws {
        let logged = LoggedLines()
        let timed = try await Self.timed(logged)
        for name in ["done", "cancelled", "failed", "suspended", "running", "calls"] {
            try await timed.start("door", name)
        }
        try await timed.start("gate", "other")
        try await timed.send("shut", to: "done")
        try await timed.repair("cancelled", .cancel(runsActions: true))
        try await timed.send("break", to: "failed")
        try await timed.repair("suspended", .suspend)
        try await timed.send("ring", to: "calls")
        try await timed.send("shut", to: "calls")
        #expect(try await timed.keep(2 * Self.hour) == 2 * Self.hour)
        // A pass at three hours, and none before: the first was at the start.
        #expect(try await timed.left(after: 2 * Self.hour - 1) == 7)
        #expect(try await timed.left(after: 3 * Self.hour) == 5)
        #expect(
            logged.all.filter { $0.contains("deleted") } == [
                "notice finished instances were deleted actor=retention instances=2 kept=1 machine=door rows=4"
            ])
        for name in ["failed", "suspended", "running", "calls", "other"] { _ = try await timed.record(name) }
        let audits = try await timed.engine.audits(before: nil, limit: 10, by: .test).map(\.audit)
        #expect(audits.count == 2 && audits.allSatisfy { $0.actor == "retention" && $0.reason == nil })
        try await timed.stop()
    }

    /// The hour is the clock's: instances that become too old in between wait for the next pass.
    @Test func passesAreAnHourApart() async throws {
        let timed = try await Self.timed()
        try await timed.keep(Self.hour / 2)
        try await timed.finish("first")
        #expect(try await timed.left(after: Self.hour - 1) == 1)
        #expect(try await timed.left(after: Self.hour) == 0)
        try await timed.finish("second")
        #expect(try await timed.left(after: 2 * Self.hour - 1) == 1)
        #expect(try await timed.left(after: 2 * Self.hour) == 0)
        try await timed.stop()
    }

    @Test func noneKeepsAll() async throws {
        let timed = try await Self.timed()
        try await timed.finish("d")
        try await timed.keep(Self.hour)
        #expect(try await timed.keep(nil) == nil)
        #expect(try await timed.left(after: 100 * Self.hour) == 1)
        // A dry run says how many would be deleted.
        let purge = PurgeRequest(machine: "door", age: Self.hour, reason: nil, isDryRun: true, by: .test)
        #expect(try await timed.engine.purge(purge).deleted == 1)
        #expect(try await timed.left(after: 101 * Self.hour) == 1)
        try await timed.stop()
    }

    /// The setting is on disk, and the first pass comes with the start, which continues an interrupted one.
    @Test func aStartGoesOnWhereTheLastOneWasStopped() async throws {
        var limits = EngineLimits()
        limits.purgedPage = 20
        limits.purgedAtOnce = 50
        let timed = try await Self.timed(limits: limits)
        for number in 0..<600 { try await timed.finish("d-\(number)") }
        try await timed.keep(Self.hour)
        let move = Task { [engine = timed.engine] in
            try await engine.moveClock(to: Timestamp(rawValue: Self.begin.rawValue + 2 * Self.hour), by: .test)
        }
        try await eventually("some are deleted") { try await timed.left() < 600 }
        try await timed.restart()
        _ = await move.result
        try await eventually("all are deleted") { try await timed.left() == 0 }
        #expect(try await timed.audited() == 600)
        try await timed.stop()
    }

    /// Each deletion has a line, and many together have one.
    @Test func deletionsAreLines() async throws {
        let logged = LoggedLines()
        let timed = try await Self.timed(logged)
        for name in ["a", "b", "c"] { try await timed.finish(name) }
        let uuid = try await timed.record("a").uuid.text
        _ = try await timed.engine.delete(DeleteCommand(instance: "a", reason: "OPS-1", by: .test))
        _ = try await timed.engine.moveClock(to: Timestamp(rawValue: Self.begin.rawValue + 1), by: .test)
        _ = try await timed.engine.purge(PurgeRequest(age: 0, reason: "OPS-2", by: .test))
        let actor = Caller.test.actor?.rawValue ?? ""
        #expect(
            logged.all.filter { $0.contains("deleted") } == [
                "notice an instance was deleted actor=\(actor) machine=door reason=OPS-1 rows=2 uuid=\(uuid) version=1",
                "notice finished instances were deleted actor=\(actor) instances=2 kept=0 reason=OPS-2 rows=4",
            ])
        try await timed.stop()
    }
}

extension TimedEngine {
    fileprivate func repair(_ name: String, _ verb: RepairCommand.Verb) async throws {
        _ = try await engine.repair(RepairCommand(instance: name, verb, reason: "r"))
    }

    fileprivate func finish(_ name: String) async throws {
        try await start("door", name)
        try await send("shut", to: name)
    }

    /// Sets the time for which finished doors are kept.
    @discardableResult
    fileprivate func keep(_ milliseconds: Int64?) async throws -> Int64? {
        try await engine.set(SetMachineCommand(machine: "door", .retention(milliseconds), by: .test)).setting.retention
    }

    /// Returns the number of instances, a number of milliseconds after the beginning.
    fileprivate func left(after milliseconds: Int64? = nil) async throws -> Int {
        if let milliseconds {
            let time = Timestamp(rawValue: 1_700_000_000_000 + milliseconds)
            _ = try await engine.moveClock(to: time, by: .test)
        }
        return try await store.instances(InstanceQuery(limit: 1_000), in: .default).instances.count
    }

    fileprivate func audited() async throws -> Int {
        try await engine.audits(before: nil, limit: 1_000, by: .test).count
    }
}
