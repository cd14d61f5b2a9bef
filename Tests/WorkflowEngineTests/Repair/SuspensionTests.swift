import IdentityTesting
import Statechart
import StoreTesting
import Testing
import ThreadTesting
import WorkflowEngine
import WorkflowJSON
import WorkflowStore

/// Tests that a suspended instance accepts nothing and starts nothing, and that waiting items come when it is resumed.
@Suite(.timeLimit(.minutes(20))) struct SuspensionTests {
    private static let job = """
        id: job
        initial: a
        context: {got: null, trail: []}
        states:
          a:
            invoke:
              id: two
              task: y
              retry: {attempts: 3, first: 10s, jitter: 0}
              timeout: 10m
              onDone: {actions: {assign: {got: event.data, trail: "context.trail + ['two']"}}}
              onError: {actions: {assign: {got: event.data, trail: "context.trail + ['error']"}}}
            after: {5m: {actions: {assign: {trail: "context.trail + [string(event.at)]"}}}}
            on: {leave: b}
          b: {}
        """

    private static func bench(
        _ definition: String = job, executors: [any EffectExecutor] = []
    ) async throws -> TaskBench {
        let bench = try await TaskBench(definition, executors: executors)
        try await bench.timed.start("job", "j")
        return bench
    }

    private static func minutes(_ count: Int64) -> Int64 { count * 60_000 }

    /// The timer is due at 5 minutes, the result comes at 7, the timeout at 10. All are late when the instance
    /// continues at 20.
    @Test func whatWaitedComesInItsOrderAndAtItsTime() async throws {
        let bench = try await Self.bench()
        let begin = try await bench.timed.record("j").updated
        let task = try await bench.task("y", seconds: 3_600)
        try await bench.repair("j", .suspend, reason: nil)
        #expect(try await bench.timed.store.timers(after: nil, limit: 10).isEmpty)
        try await bench.timed.pass(Self.minutes(7))
        try await bench.report(.completed("r"), task)
        #expect(try await bench.effects().map(\.state) == [.answered])
        #expect(
            await bench.timed.rejection { () throws(Rejection) in try await bench.timed.send("leave", to: "j") }
                == "suspended")
        try await bench.expectSound("j")
        try await bench.timed.restart(after: Self.minutes(13))
        #expect(try await bench.history("j") == ["started init", "suspended suspend"])
        let timers = try await bench.engine.timers(of: "j", by: .test)
        #expect(timers.map(\.event) == ["after.5m.a", "error.invoke.two"] && timers.allSatisfy { $0.isSuspended })
        let waiting = try await bench.engine.waitingTimers(from: nil, limit: 10, by: .test)
        #expect(waiting.timers.map(\.timer) == timers && waiting.next == nil)
        let answer = try await bench.repair("j", .resume, reason: nil)
        #expect(answer.status == .running)
        try await bench.timed.settle()
        #expect(
            try await bench.history("j", from: 3) == ["resumed resume", "timer after.5m.a", "result done.invoke.two"])
        let rows = try await bench.timed.rows("j").suffix(3)
        #expect(rows.map { $0.at.rawValue - begin.rawValue } == [5, 5, 7].map(Self.minutes))
        #expect(rows.allSatisfy { $0.real == bench.timed.clock.now() })
        #expect(try await bench.timed.context("got", of: "j") == "r")
        try await bench.expectSound("j")
    }

    /// A worker that asks for one task gets the first that may be done, whatever is before it in its queue.
    @Test func tasksOfSuspendedInstancesArePassed() async throws {
        var limits = EngineLimits()
        limits.passedAtOnce = 2
        let bench = try await TaskBench(Self.job, limits: limits)
        let names = (1...7).map { "j-\($0)" }
        for name in names { try await bench.timed.start("job", name) }
        for name in names.prefix(5) { try await bench.repair(name, .suspend, reason: nil) }
        #expect(try await bench.lease("y", max: 1).map(\.instance) == ["j-6"])
        #expect(try await bench.effects().count { $0.state == .held } == 5)
        #expect(try await bench.lease("y", max: 5).map(\.instance) == ["j-7"])
        for name in names.prefix(5) { try await bench.repair(name, .resume, reason: nil) }
        #expect(
            try await bench.lease("y", max: 9).map(\.instance).sorted { $0.rawValue < $1.rawValue }
                == names.prefix(5).map { InstanceName(rawValue: $0) })
        try await bench.timed.stop()
    }

    /// The timeout came before the result.
    @Test func aResultThatCameTooLateStaysTooLate() async throws {
        let bench = try await Self.bench()
        let task = try await bench.task("y", seconds: 3_600)
        try await bench.repair("j", .suspend)
        try await bench.timed.pass(Self.minutes(15))
        try await bench.report(.completed("r"), task)
        try await bench.repair("j", .resume)
        try await bench.timed.settle()
        #expect(try await bench.timed.context("got", of: "j")?.object?["type"] == "timeout")
        #expect(try await bench.effects().isEmpty)
        try await bench.expectSound("j")
    }

    /// The same holds after a failure: a result comes before timers that were due after it.
    @Test func aRetryLetsResultsComeBeforeLaterTimers() async throws {
        let bench = try await TaskBench(
            """
            id: job
            initial: a
            context: {n: 0, got: null}
            states:
              a:
                invoke:
                  {id: two, task: y, timeout: 10m, onDone: {actions: {assign: {got: 1}}},
                  onError: {actions: {assign: {got: 2}}}}
                on: {go: {actions: {send: bad}}, bad: {actions: {assign: {n: 1 / context.n}}}}
            """)
        try await bench.timed.start("job", "j")
        let task = try await bench.task("y", seconds: 3_600)
        try await bench.timed.send("go", to: "j")
        try await bench.timed.pass(Self.minutes(5))
        try await bench.report(.completed("r"), task)
        try await bench.timed.pass(Self.minutes(15))
        try await bench.set("j", ["n": 1])
        try await bench.repair("j", .retry)
        try await bench.timed.settle()
        #expect(try await bench.timed.context("got", of: "j") == 1)
        try await bench.expectSound("j")
    }

    // MARK: Effects

    @Test func whatIsReadyIsNotHandedOut() async throws {
        let bench = try await Self.bench()
        try await bench.repair("j", .suspend)
        #expect(try await bench.lease("y").isEmpty)
        let effect = try #require(try await bench.effects().first)
        #expect(effect.state == .held && effect.error?.contains("suspended") == true)
        try await bench.expectSound("j")
        // Neither a start nor a release changes that.
        try await bench.timed.restart()
        try await bench.engine.hold(HoldCommand(isHeld: true, by: .test))
        try await bench.engine.hold(HoldCommand(isHeld: false, by: .test))
        #expect(try await bench.lease("y").isEmpty)
        #expect(try await bench.effects() == [effect])
        try await bench.repair("j", .resume)
        let ready = try #require(try await bench.effects().first)
        #expect(ready.state == .ready && ready.due == effect.due && ready.error == nil)
        try await bench.report(.completed("r"), try await bench.task("y"))
        #expect(try await bench.timed.context("got", of: "j") == "r")
        try await bench.expectSound("j")
    }

    @Test func aLeaseGoesOnAndWhatItLeavesWaits() async throws {
        let bench = try await Self.bench()
        let task = try await bench.task("y")
        try await bench.repair("j", .suspend)
        try await bench.fail(task)
        try await bench.timed.pass(20_000)
        #expect(try await bench.lease("y").isEmpty)
        #expect(try await bench.effects().map(\.state) == [.held])
        try await bench.repair("j", .resume)
        // One lease runs out, and one is given back.
        let second = try await bench.task("y")
        #expect(second.attempt == 2)
        try await bench.repair("j", .suspend)
        try await bench.report(.returned, second)
        #expect(try await bench.lease("y").isEmpty)
        try await bench.repair("j", .resume)
        let third = try await bench.task("y")
        #expect(third.attempt == 2)
        try await bench.repair("j", .suspend)
        try await bench.timed.pass(31_000)
        #expect(try await bench.lease("y").isEmpty)
        #expect(await bench.rejection(of: .completed(1), third) == "leaseLost")
        try await bench.repair("j", .resume)
        try await bench.timed.pass(20_000)
        #expect(try await bench.task("y").attempt == 3)
        try await bench.expectSound("j")
    }

    @Test func wordsOnEffectsOfASuspendedInstanceWait() async throws {
        let bench = try await Self.bench()
        try await bench.repair("j", .suspend)
        func say(_ verb: EffectVerbCommand.Verb) async throws -> EffectVerdict {
            try await bench.engine.effect(EffectVerbCommand(instance: "j", effect: "two", verb: verb, by: .test))
        }
        _ = try await say(.retry(newKey: false))
        #expect(try await bench.lease("y").isEmpty)
        _ = try await say(.skip(result: "s"))
        #expect(try await bench.effects().map(\.state) == [.answered])
        #expect(try await bench.timed.record("j").status == .suspended)
        await #expect(throws: Rejection.self) { try await say(.cancel) }
        try await bench.expectSound("j")
        try await bench.repair("j", .resume)
        #expect(try await bench.timed.context("got", of: "j") == "s")
        try await bench.expectSound("j")
    }

    /// A call outlives its instance's state, and no item of the instance names it: it waits all the same.
    @Test func callsWaitToo() async throws {
        let definition = """
            id: job
            initial: a
            states: {a: {on: {ring: {actions: {call: {task: bell}}}}}}
            """
        let bench = try await Self.bench(definition)
        try await bench.timed.send("ring", to: "j")
        try await bench.repair("j", .suspend)
        #expect(try await bench.lease("bell").isEmpty)
        #expect(try await bench.effects().map(\.state) == [.held])
        try await bench.repair("j", .resume)
        try await eventually("the call is ready") { try await bench.effects().map(\.state) == [.ready] }
        try await bench.report(.completed(1), try await bench.task("bell"))
        try await bench.timed.send("ring", to: "j")
        try await bench.repair("j", .suspend)
        #expect(try await bench.lease("bell").isEmpty)
        try await bench.repair("j", .cancel(runsActions: true))
        try await eventually("the call is ready") { try await bench.effects().map(\.state) == [.ready] }
        try await bench.expectSound("j")
    }

    // MARK: What the daemon does itself

    @Test func anAttemptUnderWayEndsAsItWouldAndNoneStarts() async throws {
        let servant = Servant(places: 1, ofQueue: 1)
        let bench = try await Self.bench(executors: [servant])
        try await bench.timed.start("job", "k")
        try await eventually("the first runs") { servant.open == 1 }
        // One effect runs, and the other waits behind it.
        try await bench.repair("j", .suspend)
        try await bench.repair("k", .suspend)
        try await servant.end(nil, .done("r"))
        try await eventually("one has its result, the other is held") {
            Set(try await bench.effects().map(\.state)) == [.answered, .held]
        }
        #expect(servant.begun.count == 1 && servant.cancelled == 0)
        try await bench.expectWhole()
        try await bench.repair("j", .resume)
        try await bench.repair("k", .resume)
        try await servant.end(nil, .done("s"))
        try await eventually("both have their results") { try await bench.effects().isEmpty }
        #expect(servant.begun.count == 2 && servant.cancelled == 0)
        try await bench.expectSound("j")
        try await bench.expectSound("k")
    }
}
