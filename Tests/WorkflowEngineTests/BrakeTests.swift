import IdentityTesting
import Statechart
import Testing
import ThreadTesting
import WorkflowEngine
import WorkflowJSON
import WorkflowStore

/// Tests that an instance that never becomes stable is suspended.
@Suite(.timeLimit(.minutes(20))) struct BrakeTests {
    private static let restless = """
        id: restless
        initial: a
        context: {n: 0}
        states:
          a:
            after: {0: {target: a, reenter: true, actions: {assign: {n: context.n + 1}}}}
            on: {stop: b}
          b: {}
        """

    private static let clock = """
        id: clock
        initial: a
        states:
          a: {after: {1s: {target: a, reenter: true}}}
        """

    private static let talker = """
        id: talker
        initial: a
        states:
          a: {on: {go: {actions: {send: heard}}, heard: {}}}
        """

    private static let worker = """
        id: worker
        initial: a
        states:
          a: {invoke: {task: q, onDone: {target: a, reenter: true}}}
        """

    private func limits(_ macrosteps: Int, _ milliseconds: Int64 = 60_000) -> EngineLimits {
        var limits = EngineLimits()
        limits.brake = BrakeSetting(macrosteps: macrosteps, milliseconds: milliseconds)
        return limits
    }

    @Test func whatNeverRestsIsSuspendedByARow() async throws {
        let logged = LoggedLines()
        let timed = try await TimedEngine(Self.restless, limits: limits(500), logger: logged.logger)
        try await timed.start("restless", "r")
        try await eventually("it is suspended") { try await timed.record("r").status == .suspended }
        let rows = try await timed.rows("r")
        let last = try #require(rows.last)
        #expect(rows.count == 1 + 501 + 1)
        #expect(last.kind == .suspended && last.actor == "brake" && last.note == #"{"reason":"brake"}"#)
        #expect(timed.engine.metrics.counts.brakes == ["restless": 1])
        try await eventually("it is told") { !logged.all.isEmpty }
        #expect(
            logged.all.contains {
                $0.contains("was suspended: 'wfctl resume' lets it go on event=after.0.a instance=r machine=restless")
            })
        #expect(
            await timed.rejection { () async throws(Rejection) in try await timed.send("stop", to: "r") } == "suspended"
        )
        // The instance goes on with a full bucket, also after a restart.
        try await timed.restart()
        #expect(try await timed.record("r").status == .suspended)
        _ = try await timed.engine.repair(RepairCommand(instance: "r", .resume))
        try await eventually("it is suspended again") { try await timed.rows("r").count > 1_000 }
        try await eventually("it is suspended again") { try await timed.record("r").status == .suspended }
        #expect(try await timed.rows("r").count { $0.kind == .suspended } == 2)
        try await timed.stop()
    }

    /// Each timer has the time at which it was due: an outage is no runaway.
    @Test func catchingUpIsNoRunaway() async throws {
        let timed = try await TimedEngine(Self.clock, limits: limits(60))
        try await timed.start("clock", "c")
        try await timed.restart(after: 900_000)
        try await timed.settle()
        let record = try await timed.record("c")
        #expect(record.status == .running && record.seq.rawValue > 900)
        try await timed.stop()
    }

    /// A thousand seconds pass at once on a virtual clock, and are a thousand seconds of logical time.
    @Test func aMovedVirtualClockIsNoRunaway() async throws {
        let clock = VirtualClock(at: Timestamp(rawValue: 1_700_000_000_000))
        let timed = try await TimedEngine(Self.clock, limits: limits(300), clock: clock)
        try await timed.start("clock", "c")
        _ = try await timed.engine.moveClock(to: Timestamp(rawValue: 1_700_001_000_000))
        let record = try await timed.record("c")
        #expect(record.seq.rawValue == 1_001 && record.status == .running)
        try await timed.stop()
    }

    @Test func callersEventsFillTheBucket() async throws {
        let timed = try await TimedEngine(Self.talker, limits: limits(20))
        try await timed.start("talker", "t")
        for _ in 1...100 { try await timed.send("go", to: "t") }
        #expect(try await timed.record("t").status == .running)
        try await timed.stop()
    }

    @Test func resultsDrawFromIt() async throws {
        let timed = try await TimedEngine(Self.worker, limits: limits(5))
        try await timed.start("worker", "w")
        for turn in 1...6 {
            let lease = LeaseTasksCommand(queue: "q", max: 1, milliseconds: 60_000, worker: "w", by: .test)
            let task = try #require(try await timed.engine.lease(lease, wait: .zero).first, "turn \(turn)")
            _ = try await timed.engine.report(EndTaskCommand(task: task.token, report: .completed(.null), by: .test))
        }
        #expect(try await timed.record("w").status == .suspended)
        try await timed.stop()
    }

    @Test func withoutABrakeNothingIsSuspended() async throws {
        var limits = EngineLimits()
        limits.brake = nil
        let timed = try await TimedEngine(Self.restless, limits: limits)
        try await timed.start("restless", "r")
        try await eventually("it goes on and on") { try await timed.record("r").seq.rawValue > 12_000 }
        try await timed.send("stop", to: "r")
        #expect(try await timed.record("r").status == .running)
        try await timed.stop()
    }
}
