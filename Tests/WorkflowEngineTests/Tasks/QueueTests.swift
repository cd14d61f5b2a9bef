import GRDB
import IdentityTesting
import Statechart
import StoreTesting
import Testing
import ThreadTesting
import WorkflowJSON
import WorkflowStore

@testable import WorkflowEngine  // The rate of starts is no part of what the daemon uses.

/// Tests the settings of queues, and holds: leases obey both.
@Suite(.timeLimit(.minutes(20))) struct QueueTests {
    private static func start(_ bench: TaskBench, _ count: Int) async throws {
        for number in 1...count { try await bench.timed.start("order", "o-\(number)") }
    }

    private static func set(
        _ bench: TaskBench, concurrency: SetQueueCommand.Change<Int> = .kept,
        rate: SetQueueCommand.Change<SetQueueCommand.Rate> = .kept, isPaused: Bool? = nil
    ) async throws {
        _ = try await bench.engine.set(
            SetQueueCommand(
                queue: "task:charge", concurrency: concurrency, rate: rate, isPaused: isPaused,
                by: Caller("ana", namespace: .default)))
    }

    @Test func aPausedQueueGivesNothingAlsoAfterARestart() async throws {
        let bench = try await TaskBench()
        try await Self.start(bench, 1)
        try await Self.set(bench, isPaused: true)
        #expect(try await bench.lease("charge").isEmpty)
        try await bench.timed.restart()
        #expect(try await bench.lease("charge").isEmpty)
        #expect(bench.engine.queueBoard.settings(of: "task:charge") == QueueSettings(isPaused: true))
        let waiting = bench.waiting()
        try await Self.set(bench, isPaused: false)
        #expect(try await waiting.value.count == 1)
        #expect(bench.engine.queueBoard.settings(of: "task:charge") == .standard)
    }

    /// The writer of a daemon that has just started may not have read anything yet.
    @Test func aHoldWithAReasonIsKnownFromTheBeginning() {
        let held = QueueBoard(limits: EngineLimits(), holdReason: "copied")
        #expect(held.isHeld && held.isKnownAsHeld && held.holdReason == "copied")
        let unread = QueueBoard(limits: EngineLimits(), holdReason: nil)
        #expect(unread.isHeld && !unread.isKnownAsHeld && unread.holdReason == nil)
    }

    /// A worker counts for a minute in each queue that it asks. Later it makes room for others.
    @Test func workersCountForAMinute() {
        let watch = WorkerWatch(bound: 3)
        func saw(_ worker: String, _ queue: String, _ time: Int64) {
            watch.saw(worker, in: queue, at: Timestamp(rawValue: time))
        }
        func counts(_ time: Int64) -> [String: Int] { watch.counts(at: Timestamp(rawValue: time)) }
        for (worker, queue, time) in [("a", "q", 0), ("a", "q", 10_000), ("b", "q", 10_000), ("b", "r", 30_000)] {
            saw(worker, queue, Int64(time))
        }
        #expect(counts(30_000) == ["q": 2, "r": 1])
        saw("c", "r", 60_000)
        #expect(counts(60_000) == ["q": 2, "r": 1])
        saw("c", "r", 71_000)
        #expect(counts(71_000) == ["r": 2])
        #expect(counts(90_000) == ["r": 2] && counts(90_001) == ["r": 1] && counts(131_001) == [:])
    }

    /// The queue is found however its name is written, and most machines are not compiled for the answer.
    @Test func aQueueIsKnownThatOneOfManyMachinesNames() async throws {
        let store = FakeStore()
        let first = try await RunningEngine(store: store)
        func text(_ number: Int, _ invoked: String) -> String {
            "{id: m-\(number), initial: a, states: {a: {invoke: \(invoked), on: {done.invoke.a: b}}, b: {}}}"
        }
        for number in 0..<40 { _ = try await first.engine.apply(text(number, "{task: other}"), syntax: .yaml) }
        let invoked = [#"{task: "pa\u0063k"}"#, "{task: ship}", "{http: {url: 'https://Pay.Example.com/x'}}"]
        for (number, one) in invoked.enumerated() {
            _ = try await first.engine.apply(text(97 + number, one), syntax: .yaml)
        }
        try await first.stop()
        let running = try await RunningEngine(store: store.reopened())
        for queue in ["task:pack", "task:ship", "task:other", "http:pay.example.com:443"] {
            #expect(try await running.engine.knowledge(of: queue, by: .test) == .known, "\(queue)")
        }
        guard case .unknown(let others) = try await running.engine.knowledge(of: "task:othr", by: .test) else {
            Issue.record("nothing names it")
            return
        }
        #expect(others.contains("task:other"))
        try await running.stop()
    }

    @Test func settingsSayWhoHasMadeThem() async throws {
        let bench = try await TaskBench()
        try await Self.set(bench, concurrency: .set(3))
        try await Self.set(bench, rate: .set(.init(count: 5, milliseconds: 1_000)))
        try await Self.set(bench, concurrency: .standard, isPaused: true)
        let query = QueueQuery(limit: 10, now: bench.timed.clock.now(), bound: 10)
        let queues = try await bench.engine.queues(query, by: .test)
        try #require(queues.map(\.name) == ["task:charge"])
        let record = try #require(queues[0].record)
        #expect(record.actor == "ana" && record.set == bench.timed.clock.now())
        #expect(record.settings == QueueSettings(rate: 5, rateMilliseconds: 1_000, isPaused: true))
    }

    @Test func soManyAreLeasedAtATime() async throws {
        let bench = try await TaskBench()
        try await Self.start(bench, 5)
        try await Self.set(bench, concurrency: .set(2))
        // The two requests come in one batch, or one behind the other.
        let lease = LeaseTasksCommand(queue: "charge", max: 2, milliseconds: 30_000, worker: "w", by: .test)
        let engine = bench.engine
        async let first = engine.lease(lease, wait: .zero)
        async let second = engine.lease(lease, wait: .zero)
        let tasks = try await first + second
        try #require(tasks.count == 2)
        let waiting = bench.waiting()
        try await bench.report(.completed(1), tasks[0])
        #expect(try await waiting.value.count == 1)
        #expect(try await bench.lease("charge").isEmpty)
        try await bench.timed.restart()
        #expect(try await bench.lease("charge").isEmpty)
        try await Self.set(bench, concurrency: .set(3))
        #expect(try await bench.lease("charge").count == 1)
    }

    @Test func soManyStartInASpan() async throws {
        let bench = try await TaskBench()
        try await Self.start(bench, 5)
        try await Self.set(bench, rate: .set(.init(count: 2, milliseconds: 10_000)))
        #expect(try await bench.lease("charge", seconds: 3_600).count == 2)
        try await bench.timed.pass(9_999)
        #expect(try await bench.lease("charge", seconds: 3_600).isEmpty)
        // Starts are counted by hundredths of the span.
        try await bench.timed.pass(100)
        #expect(try await bench.lease("charge", seconds: 3_600).count == 2)
        try await Self.set(bench, rate: .standard)
        #expect(try await bench.lease("charge", seconds: 3_600).count == 1)
    }

    @Test(arguments: [(3, Int64(1)), (7, 50), (10, 1_000), (1, 86_400_000)])
    func noSpanHasMoreStartsThanItsRate(count: Int, span: Int64) {
        var rate = StartRate(count: count, milliseconds: span)
        var starts: [Int64] = []
        var now: Int64 = 1_000
        for step in 0..<2_000 {
            let time = Timestamp(rawValue: now)
            let room = rate.room(at: time)
            #expect((0...count).contains(room))
            let started = min(room, step % 3 + 1)
            rate.started(started, at: time)
            starts += Array(repeating: now, count: started)
            if room == 0 {
                let next = rate.next(at: time)
                var later = rate
                #expect(next > time && later.room(at: next) > 0)
            }
            now += Int64(step * 7 % 5) * max(1, span / 37)
        }
        for (place, start) in starts.enumerated() where place >= count {
            #expect(start - starts[place - count] >= span, "\(place)")
        }
        #expect(starts.count > count * 5)
        // A clock that was set back does not stop the queue for longer than a span.
        #expect(rate.room(at: Timestamp(rawValue: 5)) <= count)
        #expect(rate.room(at: Timestamp(rawValue: 5 + 2 * span)) == count)
    }

    @Test func heldEffectsWaitForTheirRelease() async throws {
        let bench = try await TaskBench()
        try await Self.start(bench, 1)
        let before = try await bench.task("charge", seconds: 5)
        try await bench.engine.hold(HoldCommand(isHeld: true, by: .test))
        // A task that has begun ends.
        try await bench.fail(before)
        try await bench.timed.pass(10_000)
        #expect(try await bench.lease("charge").isEmpty && bench.engine.queueBoard.isHeld)
        try await bench.timed.restart()
        #expect(try await bench.lease("charge").isEmpty)
        // Events and timers go on.
        try await Self.start(bench, 1, from: 2)
        let waiting = bench.waiting()
        #expect(try await bench.engine.hold(HoldCommand(isHeld: false, by: .test)))
        #expect(try await waiting.value.map(\.key) == [before.key])
        #expect(try await !bench.engine.hold(HoldCommand(isHeld: false, by: .test)))
        try await bench.expectWhole()
    }

    private static func start(_ bench: TaskBench, _ count: Int, from first: Int) async throws {
        for number in first..<(first + count) { try await bench.timed.start("order", "o-\(number)") }
    }

    /// The effects were held because a secret or a program was missing.
    @Test(arguments: [true, false]) func whatWasHeldIsTriedAgain(byRelease: Bool) async throws {
        var limits = EngineLimits()
        limits.batchRows = 8
        let bench = try await TaskBench(limits: limits)
        try await Self.start(bench, 20)
        try await bench.timed.stop()
        let file = try DatabaseQueue(path: bench.timed.folder.path + "/wfd.db")
        try await file.write { try $0.execute(sql: "UPDATE effect SET state = 'held'") }
        try file.close()
        try await bench.timed.reopen()
        if byRelease { try await bench.engine.hold(HoldCommand(isHeld: false, by: .test)) }
        try await eventually("all are ready") { try await bench.effects().allSatisfy { $0.state == .ready } }
        #expect(try await bench.lease("charge", max: 30).count == 20)
        try await bench.expectWhole()
    }

    @Test func onlySoManyQueuesHaveSettings() async throws {
        var limits = EngineLimits()
        limits.settledQueues = 1
        let bench = try await TaskBench(limits: limits)
        try await Self.set(bench, isPaused: true)
        let other = SetQueueCommand(queue: "task:other", isPaused: true, by: .test)
        let engine = bench.engine
        #expect(
            await bench.timed.rejection { () throws(Rejection) in _ = try await engine.set(other) } == "invalidData")
        try await Self.set(bench, isPaused: false)
        _ = try await engine.set(other)
        #expect(engine.queueBoard.settings(of: "task:other").isPaused)
    }
}
