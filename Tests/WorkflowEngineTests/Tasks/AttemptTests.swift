import IdentityTesting
import Statechart
import Testing
import ThreadTesting
import WorkflowEngine
import WorkflowJSON
import WorkflowStore

/// Tests attempts that fail, leases that run out, and the results of a failed instance.
@Suite(.timeLimit(.minutes(20))) struct AttemptTests {
    @Test func aFailedAttemptIsTriedAgainLater() async throws {
        let bench = try await TaskBench()
        try await bench.timed.start("order", "o")
        let first = try await bench.task("charge")
        try await bench.fail(first)
        #expect(try await bench.lease("charge").isEmpty)
        try await bench.timed.pass(9_999)
        #expect(try await bench.lease("charge").isEmpty)
        try await bench.timed.pass(1)
        let second = try await bench.task("charge")
        #expect(second.attempt == 2 && second.key == first.key && second.token != first.token)
        #expect(await bench.rejection(of: .completed(1), first) == "leaseLost")
        // The pause is twice as long, or as long as the worker says.
        try await bench.fail(second, after: 500)
        try await bench.timed.pass(500)
        let third = try await bench.task("charge")
        try await bench.report(.completed("late"), third)
        #expect(try await bench.timed.context("receipt", of: "o") == "late")
        let record = try await bench.timed.record("o")
        let attempts = try await bench.timed.firstAttempts(of: record)
        try #require(attempts.map(\.attempt) == [1, 2] && attempts.map(\.outcome) == ["broken", "broken"])
        #expect(attempts[0].error == #"{"message":"m","type":"broken"}"#)
        try await bench.expectWhole()
    }

    @Test(arguments: [("broken", true, 3), ("declined", true, 1), ("broken", false, 1)])
    func whatIsUsedUpIsAnError(type: String, canRetry: Bool, attempts: Int64) async throws {
        let bench = try await TaskBench()
        try await bench.timed.start("order", "o")
        for _ in 0..<attempts {
            try await bench.fail(try await bench.task("charge"), type, canRetry: canRetry)
            try await bench.timed.pass(20_000)
        }
        #expect(try await bench.state("o") == "rejected")
        #expect(
            try await bench.timed.context("why", of: "o")
                == ["attempts": .int(attempts), "message": "m", "type": .string(type)])
        #expect(try await bench.effects().isEmpty)
        try await bench.expectWhole()
    }

    @Test func theTimeoutEndsTheTask() async throws {
        let bench = try await TaskBench()
        try await bench.timed.start("order", "o")
        let task = try await bench.task("charge", seconds: 3_600)
        try await bench.timed.pass(600_000)
        #expect(try await bench.state("o") == "rejected")
        #expect(await bench.rejection(of: .completed(1), task) == "leaseLost")
        try await bench.expectWhole()
    }

    /// Due items come first, also if the worker reports before the timer could fire.
    @Test func aResultDoesNotOvertakeItsTimeout() async throws {
        let clock = HandClock()
        let bench = try await TaskBench(clock: clock)
        try await bench.timed.start("order", "o")
        let task = try await bench.task("charge", seconds: 3_600)
        clock.advance(600_000)
        #expect(await bench.rejection(of: .completed(1), task) == "leaseLost")
        #expect(try await bench.state("o") == "rejected")
    }

    @Test func aLeaseRunsOut() async throws {
        let bench = try await TaskBench()
        try await bench.timed.start("order", "o")
        let first = try await bench.task("charge", seconds: 5)
        try await bench.timed.pass(4_999)
        // A sign of life is worth a whole lease.
        let until = try await bench.report(.alive(progress: ["done": 3]), first)
        #expect(until?.rawValue == bench.timed.clock.now().rawValue + 5_000)
        try await bench.timed.pass(4_999)
        try await bench.report(.alive(progress: nil), first)
        try await bench.timed.pass(5_000)
        try await eventually("the lease has run out") {
            try await bench.effects().first?.state == .ready
        }
        #expect(await bench.rejection(of: .completed(1), first) == "leaseLost")
        try await bench.timed.pass(10_000)
        let second = try await bench.task("charge")
        #expect(second.attempt == 2 && second.progress == ["done": 3])
        let record = try await bench.timed.record("o")
        let attempts = try await bench.timed.firstAttempts(of: record)
        #expect(attempts.map(\.outcome) == ["late"])
        try await bench.expectWhole()
    }

    @Test func leasesSurviveARestartAndRunAnew() async throws {
        let bench = try await TaskBench()
        for name in ["o", "p"] { try await bench.timed.start("order", name) }
        let tasks = try await bench.lease("charge", seconds: 30)
        try #require(!tasks.isEmpty)
        try await bench.timed.restart(after: 3_600_000)
        // The timeouts were due meanwhile for nobody: their ten minutes are over.
        #expect(await bench.rejection(of: .completed(1), tasks[0]) == "leaseLost")

        try await bench.timed.send("again", to: "o")
        let task = try await bench.task("charge", seconds: 30)
        try await bench.timed.restart(after: 100_000)
        try await bench.timed.pass(29_000)
        try await bench.report(.completed("kept"), task)
        #expect(try await bench.state("o") == "packing")
        try await bench.expectWhole()
    }

    @Test func whatWasNeverReceivedIsNoAttempt() async throws {
        let bench = try await TaskBench()
        try await bench.timed.start("order", "o")
        try await bench.report(.returned, try await bench.task("charge"))
        #expect(try await bench.task("charge").attempt == 1)
    }

    @Test func aVirtualClockStopsWhereALeaseRunsOut() async throws {
        let clock = VirtualClock(at: Timestamp(rawValue: 1_700_000_000_000))
        let bench = try await TaskBench(clock: clock)
        try await bench.timed.start("order", "o")
        _ = try await bench.task("charge", seconds: 30)
        let waiting = bench.waiting()
        let target = Timestamp(rawValue: clock.now().rawValue + 40_000)
        _ = try await bench.engine.moveClock(to: target, by: .test)
        #expect(try await waiting.value.map(\.attempt) == [2])
        let record = try await bench.timed.record("o")
        let attempts = try await bench.timed.firstAttempts(of: record)
        #expect(attempts.map { $0.ended.rawValue - record.created.rawValue } == [30_000])
    }

    // MARK: Failed instances

    @Test func anInstanceFailsOnAnErrorThatNobodyTakes() async throws {
        let bench = try await TaskBench()
        try await bench.timed.start("strict", "s")
        try await bench.fail(try await bench.task("y"))
        let record = try await bench.timed.record("s")
        #expect(record.status == .failed && record.failure?.contains("no transition takes 'error.invoke.two'") == true)
        let row = try #require(try await bench.timed.rows("s").last)
        #expect(row.kind == .failed && row.note?.contains(#""invoke":{"number":2,"seq":1}"#) == true)
        #expect(try await bench.effects().map(\.state) == [.ready, .failed])
        try await bench.expectWhole()
        // The instance fails again: nothing takes the error.
        #expect(try await bench.engine.repair(RepairCommand(instance: "s", .retry)).status == .failed)
        try await bench.expectWhole()
    }

    @Test func resultsWaitForAFailedInstance() async throws {
        let bench = try await TaskBench()
        try await bench.timed.start("strict", "s")
        try await bench.timed.send("bad", to: "s")
        #expect(try await bench.timed.record("s").status == .failed)
        let task = try await bench.task("x")
        // Said again because no answer came, it is no other.
        for _ in 1...2 { try await bench.report(.completed(1), task) }
        #expect(try await bench.effects().map(\.state) == [.answered, .ready])
        try await bench.expectWhole()
        // n is 0 still: the kept event fails again, and the result goes on waiting.
        #expect(try await bench.engine.repair(RepairCommand(instance: "s", .retry)).status == .failed)
        #expect(try await bench.effects().map(\.state) == [.answered, .ready])
        try await bench.expectWhole()
        try await bench.timed.restart()
        #expect(try await bench.effects().map(\.state) == [.answered, .ready])
    }

    @Test func resultsThatWaitedAreTakenAfterARetry() async throws {
        let bench = try await TaskBench(
            """
            id: late
            initial: a
            context: {seen: [], ok: 0}
            states:
              a:
                invoke: [{id: one, task: x}, {id: two, task: y}]
                on:
                  bad: {actions: {send: {event: worse}}}
                  worse: {actions: [{assign: {seen: "context.seen + ['worse ' + string(1 / event.at.getMilliseconds())]"}}]}
                  done.invoke.*: {actions: {assign: {seen: "context.seen + [event.name]"}}}
            """)
        try await bench.timed.start("late", "l")
        try await bench.timed.send("bad", to: "l")
        #expect(try await bench.timed.record("l").status == .failed)
        try await bench.report(.completed(2), try await bench.task("y"))
        try await bench.timed.pass(1)
        try await bench.report(.completed(1), try await bench.task("x"))
        #expect(try await bench.engine.repair(RepairCommand(instance: "l", .retry)).status == .running)
        #expect(
            try await bench.timed.context("seen", of: "l")
                == ["worse 1", "done.invoke.two", "done.invoke.one"])
        #expect(try await bench.effects().isEmpty)
        try await bench.expectWhole()
    }
}
