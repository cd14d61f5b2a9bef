import IdentityTesting
import SQLiteStore
import Statechart
import StoreTesting
import Synchronization
import Testing
import ThreadTesting
import WorkflowEngine
import WorkflowJSON
import WorkflowStore

/// Tests a clock that stands still until it is moved, and then goes from timer to timer.
@Suite struct VirtualClockTests {
    private static let day: Int64 = 86_400_000
    private static let start = Timestamp(rawValue: 1_700_000_000_000)

    private static let daily = """
        id: daily
        initial: on
        context: {n: 0}
        states:
          on:
            after: {1d: {target: on, reenter: true, actions: {assign: {n: context.n + 1}}}}
            on: {look: {}, never: {actions: {send: never}}}
        """

    private func engine(_ limits: EngineLimits = EngineLimits()) async throws -> TimedEngine {
        try await TimedEngine(Self.daily, limits: limits, clock: VirtualClock(at: Self.start))
    }

    /// Returns the text of an answer to a move that arrived.
    private static func arrived(at time: Timestamp, fired: Int) -> [String] {
        ["\(time.rawValue)", "\(fired)", "true"]
    }

    private static func text(_ move: ClockMove) -> [String] {
        ["\(move.now.rawValue)", "\(move.fired)", "\(move.isDone)"]
    }

    private func after(_ milliseconds: Int64) -> Timestamp { Timestamp(rawValue: Self.start.rawValue + milliseconds) }

    /// The clock moves by a year, in batches with as many rows as one instance may have in them.
    @Test(.timeLimit(.minutes(20))) func aYearPassesAndEachDayComesAtItsOwnTime() async throws {
        var limits = EngineLimits()
        limits.batchApplying = .seconds(60)
        let timed = try await engine(limits)
        try await timed.start("daily", "d")
        let move = try await timed.engine.moveClock(to: after(365 * Self.day))
        #expect(Self.text(move) == Self.arrived(at: after(365 * Self.day), fired: 365))
        let rows = try await timed.rows("d")
        #expect(rows.map(\.at) == (0...365).map { after($0 * Self.day) })
        // Each timer fired in time.
        #expect(rows.allSatisfy { $0.real == nil })
        #expect(timed.engine.now == after(365 * Self.day))
        try await timed.expectWhole("d")
        try await timed.stop()
    }

    @Test(.timeLimit(.minutes(20))) func timersOfManyInstancesFireInOrderThroughASmallWindow() async throws {
        var limits = EngineLimits()
        limits.nearTimers = 3
        limits.batchRows = 8
        let timed = try await engine(limits)
        for number in 0..<10 {
            try await timed.start("daily", "d\(number)")
            _ = try await timed.engine.moveClock(to: after(Int64(number) * 60_000))
        }
        let move = try await timed.engine.moveClock(to: after(20 * Self.day))
        #expect(move.fired == 10 * 20 - 8)
        #expect(move.isDone)
        let fired = try await timed.journal().filter { $0.kind == .timer }
        #expect(fired.map(\.at) == fired.map(\.at).sorted())
        #expect(fired.allSatisfy { $0.real == nil })
        for number in 0..<10 { try await timed.expectWhole("d\(number)") }
        try await timed.stop()
    }

    @Test(.timeLimit(.minutes(20))) func whatItShowsIsKeptOverARestart() async throws {
        let folder = try StoreFolder()
        let path = folder.path + "/wfd.db"
        var store = try SQLiteFileStore.open(at: path, clock: Self.start, on: .virtual)
        var running = try await RunningEngine(store: store, clock: VirtualClock(at: store.last))
        #expect(running.engine.isClockVirtual)
        let begin = running.engine.now
        let target = Timestamp(rawValue: begin.rawValue + 5_000)
        #expect(Self.text(try await running.engine.moveClock(to: target)) == Self.arrived(at: target, fired: 0))
        try await running.stop()
        store = try SQLiteFileStore.open(at: path, clock: Self.start, on: .virtual)
        #expect(store.last == target)
        running = try await RunningEngine(store: store, clock: VirtualClock(at: store.last))
        #expect(running.engine.now == target)
        try await running.stop()
    }

    @Test(.timeLimit(.minutes(20))) func oneRequestFiresABoundedNumber() async throws {
        var limits = EngineLimits()
        limits.clockFirings = 10
        limits.batchRows = 4
        limits.batchApplying = .seconds(60)
        let timed = try await engine(limits)
        try await timed.start("daily", "d")
        let target = after(25 * Self.day)
        var moves: [ClockMove] = []
        repeat { moves.append(try await timed.engine.moveClock(to: target)) } while moves.last?.isDone == false
        try #require(moves.count == 3)
        #expect(moves.map(\.fired).reduce(0, +) == 25)
        #expect(moves.map(\.isDone) == [false, false, true])
        #expect(moves.map(\.now) == moves.map(\.now).sorted() && moves.last?.now == target)
        #expect(moves[0].now < target)
        // The answer has the time that the clock shows, and nothing fires by itself.
        #expect(try await timed.rows("d").count == 26)
        // Asking again goes no further.
        #expect(Self.text(try await timed.engine.moveClock(to: target)) == Self.arrived(at: target, fired: 0))
        try await timed.stop()
    }

    @Test(.timeLimit(.minutes(20))) func itDoesNotGoBackNorPastTheEndOfTime() async throws {
        let timed = try await engine()
        for time in [after(-1), Timestamp(rawValue: 221_845_392_000_000)] {
            #expect(
                await timed.rejection { () async throws(Rejection) in _ = try await timed.engine.moveClock(to: time) }
                    == "invalidTime")
        }
        #expect(timed.engine.now == Self.start)
        let last = Timestamp(rawValue: 221_845_391_999_999)
        #expect(try await timed.engine.moveClock(to: last).now == last)
        try await timed.stop()
    }

    @Test(.timeLimit(.minutes(20))) func theMachinesClockIsNotMoved() async throws {
        let timed = try await TimedEngine(Self.daily)
        #expect(
            await timed.rejection { () async throws(Rejection) in
                _ = try await timed.engine.moveClock(to: Timestamp(rawValue: 1_800_000_000_000))
            } == "realClock")
        #expect(!timed.engine.isClockVirtual)
        try await timed.stop()
    }

    @Test(.timeLimit(.minutes(20))) func commandsBetweenMovesHaveTheClocksTime() async throws {
        let timed = try await engine()
        try await timed.start("daily", "d")
        _ = try await timed.engine.moveClock(to: after(3 * Self.day / 2))
        try await timed.send("look", to: "d")
        #expect(try await timed.rows("d").map(\.at) == [0, Self.day, 3 * Self.day / 2].map(after))
        try await timed.stop()
    }

    /// Commands that wait before a move are applied at the earlier time, and commands after it at the later one.
    @Test(.onePartition("a virtual clock needs a store with one partition"), .timeLimit(.minutes(20)))
    func aMoveHasItsTurnAmongCommands() async throws {
        let store = FakeStore()
        let running = try await RunningEngine(store: store, clock: VirtualClock(at: Self.start))
        _ = try await running.engine.apply(Self.daily, syntax: .yaml)
        _ = try await running.engine.start(StartCommand(machine: "daily", instance: "d"))
        let look = SendCommand(instance: "d", event: Event(name: "look"))
        store.hold.shut()
        async let held = running.engine.send(look)
        await store.hold.somebodyIsHeld()
        try await withThrowingTaskGroup { group in
            // An immediate task runs at once until it has to wait: with what it asks for in the queue.
            for days in [nil, 1, nil, nil, 3, nil] as [Int64?] {
                group.addImmediateTask {
                    if let days {
                        _ = try await running.engine.moveClock(to: after(days * Self.day))
                    } else {
                        _ = try await running.engine.send(look)
                    }
                }
            }
            store.hold.open()
            try await group.waitForAll()
        }
        _ = try await held
        let days = store.content.withLock { $0.journal.map { ($0.at.rawValue - Self.start.rawValue) / Self.day } }
        #expect(days == [0, 0, 0, 1, 1, 1, 2, 3, 3])
        #expect(store.content.withLock { $0.journal.map(\.event) }.filter { $0 == "look" }.count == 5)
        try await running.stop()
    }

    /// A move that cannot be written changes nothing permanently: a second request fires each timer once.
    @Test(.onePartition("a virtual clock needs a store with one partition"), .timeLimit(.minutes(20)))
    func aMoveThatIsNotWrittenCanBeAskedForAgain() async throws {
        let store = FakeStore()
        var limits = EngineLimits()
        limits.timerPause = .milliseconds(1)
        let running = try await RunningEngine(store: store, limits: limits, clock: VirtualClock(at: Self.start))
        _ = try await running.engine.apply(Self.daily, syntax: .yaml)
        _ = try await running.engine.start(StartCommand(machine: "daily", instance: "d"))
        store.fail { attempt, _ in attempt == 1 ? StoreError(.unavailable, "full") : nil }
        await #expect(throws: Rejection.self) { try await running.engine.moveClock(to: after(3 * Self.day)) }
        try await eventually("the clock has got there") {
            try await running.engine.moveClock(to: after(3 * Self.day)).isDone
        }
        let times = store.content.withLock { $0.journal.map(\.at) }
        #expect(times == (0...3).map { after($0 * Self.day) })
        try await running.stop()
    }
}
