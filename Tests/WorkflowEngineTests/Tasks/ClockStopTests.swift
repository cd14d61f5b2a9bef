import IdentityTesting
import Statechart
import Testing
import WorkflowEngine
import WorkflowJSON
import WorkflowStore

/// Tests a virtual clock that waits for workers on request: it stops if a task is ready or leased.
@Suite(.timeLimit(.minutes(20))) struct ClockStopTests {
    private static let minute: Int64 = 60_000
    private static let begin = Timestamp(rawValue: 1_700_000_000_000)

    private static let later = """
        id: later
        initial: idle
        states:
          idle: {after: {60m: paying}}
          paying:
            invoke: {task: charge, retry: {attempts: 3, first: 4m, jitter: 0}, onDone: paid}
          paid: {after: {10m: done}}
          done: {type: final}
        """

    private func bench(_ names: String..., limits: EngineLimits = EngineLimits()) async throws -> TaskBench {
        let bench = try await TaskBench(Self.later, limits: limits, clock: VirtualClock(at: Self.begin))
        for name in names { try await bench.timed.start("later", name) }
        return bench
    }

    /// Moves the clock by a number of minutes. Returns the new time, the number of fired timers, and whether the clock
    /// arrived, or the queues for which it stopped.
    private func move(_ minutes: Int64, stopping: Bool = true, _ bench: TaskBench) async throws -> String {
        let target = Timestamp(rawValue: Self.begin.rawValue + minutes * Self.minute)
        let move = try await bench.engine.moveClock(to: target, stoppingAtTasks: stopping, by: .test)
        #expect(bench.timed.clock.now() == move.now)
        #expect(move.isDone == move.tasks.isEmpty)
        let end = move.isDone ? "there" : move.tasks.joined(separator: ",")
        return "\((move.now.rawValue - Self.begin.rawValue) / Self.minute) \(move.fired) \(end)"
    }

    /// - Parameter batchRows: The most rows of a batch. With 1 or 2, each timer has its own batch: its row and its
    ///   effect.
    @Test(arguments: [1, 2, 512]) func itStopsWhileATaskIsReadyOrLeased(batchRows: Int) async throws {
        var limits = EngineLimits()
        limits.batchRows = batchRows
        let bench = try await bench("a", "b", limits: limits)
        #expect(try await move(59, bench) == "59 0 there")
        // All that is due at that time has fired.
        #expect(try await move(120, bench) == "60 2 task:charge")
        #expect(try await move(120, bench) == "60 0 task:charge")
        for task in try await bench.lease("charge", seconds: 3_600) { try await bench.report(.completed(.null), task) }
        #expect(try await move(65, bench) == "65 0 there")
        #expect(try await move(120, bench) == "120 2 there")
        try await bench.expectWhole()
        try await bench.timed.stop()
    }

    @Test func aLeaseHoldsItAndARetryStopsItWhereItIsDue() async throws {
        let bench = try await bench("a")
        _ = try await move(120, bench)
        let task = try await bench.task("charge", seconds: 30)
        #expect(try await move(120, bench) == "60 0 task:charge")
        try await bench.fail(task)
        #expect(try await move(61, bench) == "61 0 there")
        #expect(try await move(120, bench) == "64 0 task:charge")
        try await bench.report(.completed(.null), try await bench.task("charge"))
        #expect(try await move(120, bench) == "120 1 there")
        try await bench.timed.stop()
    }

    /// Without the request the clock continues, and leases run out on the way.
    @Test func itGoesOnWhereItIsNotAskedTo() async throws {
        let bench = try await bench("a")
        #expect(try await move(90, stopping: false, bench) == "90 1 there")
        #expect(try await move(120, bench) == "90 0 task:charge")
        #expect(try await move(90, bench) == "90 0 there")
        try await bench.timed.stop()
    }

    /// A task that is ready at the goal does not mean that the goal is not reached.
    @Test func theGoalIsReachedWithATaskThatIsReadyThere() async throws {
        let bench = try await bench("a")
        #expect(try await move(60, bench) == "60 1 there")
        #expect(try await move(61, bench) == "60 0 task:charge")
        try await bench.timed.stop()
    }

    /// No worker asks a paused queue.
    @Test func aQueueThatRestsDoesNotStopIt() async throws {
        let bench = try await bench("a")
        _ = try await bench.engine.set(SetQueueCommand(queue: "task:charge", isPaused: true, by: .test))
        #expect(try await move(120, bench) == "120 1 there")
        try await bench.timed.stop()
    }

    /// No worker gets a task of a suspended instance.
    @Test func aSuspendedInstanceDoesNotStopIt() async throws {
        let bench = try await bench("a", "b")
        #expect(try await move(60, bench) == "60 2 there")
        try await bench.repair("a", .suspend)
        #expect(try await move(90, bench) == "60 0 task:charge")
        try await bench.repair("b", .suspend)
        #expect(try await move(90, bench) == "90 0 there")
        try await bench.repair("a", .resume)
        #expect(try await move(120, bench) == "90 0 task:charge")
        try await bench.report(.completed(.null), try await bench.task("charge"))
        #expect(try await move(120, bench) == "120 1 there")
        try await bench.expectWhole()
        try await bench.timed.stop()
    }

    /// Nor does a worker get one of an instance whose machine is suspended. After a resume, the held task is ready
    /// before the clock moves.
    @Test func aSuspendedMachineDoesNotStopIt() async throws {
        let bench = try await bench("a")
        #expect(try await move(60, bench) == "60 1 there")
        for (isSuspended, expected) in [(true, "90 0 there"), (false, "90 0 task:charge")] {
            var command = SetMachineCommand(machine: "later", .suspended(isSuspended), by: .test)
            command.reason = "r"
            _ = try await bench.engine.set(command)
            #expect(try await move(isSuspended ? 90 : 120, bench) == expected)
        }
        try await bench.expectWhole()
        try await bench.timed.stop()
    }

    /// A task that a rate delays stops the clock when the task may start, because workers get it no earlier.
    @Test func aRateStopsItWhereTheNextTaskMayStart() async throws {
        let bench = try await bench("a", "b")
        #expect(try await move(120, bench) == "60 2 task:charge")
        let rate = SetQueueCommand.Rate(count: 1, milliseconds: 5 * Self.minute)
        _ = try await bench.engine.set(SetQueueCommand(queue: "task:charge", rate: .set(rate), by: .test))
        try await bench.report(.completed(.null), try await bench.task("charge"))
        #expect(try await move(120, bench) == "65 0 task:charge")
        try await bench.report(.completed(.null), try await bench.task("charge"))
        #expect(try await move(120, bench) == "120 2 there")
        try await bench.timed.stop()
    }
}
