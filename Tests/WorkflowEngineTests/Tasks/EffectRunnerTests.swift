import IdentityTesting
import Statechart
import StoreTesting
import Synchronization
import Testing
import ThreadTesting
import WorkflowEngine
import WorkflowJSON
import WorkflowStore

/// An executor that does tasks in the place of the daemon's own work: each attempt waits until the test gives its
/// outcome.
final class Servant: EffectExecutor {
    let queues = "task:"
    let places: Int
    let placesOfQueue: Int
    let log: (any AttemptLog)?
    private let state = Mutex(State())

    private struct State {
        var begun: [EffectAttempt] = []
        var open: [(attempt: EffectAttempt, answer: AsyncStream<AttemptOutcome>.Continuation)] = []
        var most = 0
        var cancelled = 0
        /// The outcome of every attempt; `nil` if the test gives each one.
        var always: AttemptOutcome?
    }

    init(
        places: Int = 8, ofQueue: Int = 4, always: AttemptOutcome? = nil, log: (any AttemptLog)? = nil
    ) {
        self.places = places
        self.log = log
        placesOfQueue = ofQueue
        state.withLock { $0.always = always }
    }

    func missing(for action: EffectAction) async -> [String] { [] }

    func run(_ attempt: EffectAttempt) async -> AttemptOutcome {
        let (stream, answer) = AsyncStream.makeStream(of: AttemptOutcome.self)
        let known = state.withLock { state in
            state.begun.append(attempt)
            if state.always == nil { state.open.append((attempt, answer)) }
            state.most = max(state.most, state.open.count)
            return state.always
        }
        if let known { return known }
        for await outcome in stream { return outcome }
        state.withLock { $0.cancelled += 1 }
        return .failed(TaskFailure(type: "cancelled", message: ""))
    }

    /// Gives the outcome of the oldest attempt of an instance, or of any.
    func end(_ instance: InstanceName?, _ outcome: AttemptOutcome) async throws {
        try await end(instance) { _ in outcome }
    }

    /// Gives an outcome that depends on the attempt.
    func end(_ instance: InstanceName?, _ outcome: (EffectAttempt) -> AttemptOutcome) async throws {
        try await eventually("an attempt of \(instance?.rawValue ?? "any")") {
            state.withLock { state in
                let place = state.open.firstIndex { instance == nil || $0.attempt.instance == instance }
                guard let place else { return false }
                let ended = state.open.remove(at: place)
                ended.answer.yield(outcome(ended.attempt))
                return true
            }
        }
    }

    var begun: [EffectAttempt] { state.withLock { $0.begun } }
    var open: Int { state.withLock { $0.open.count } }
    var most: Int { state.withLock { $0.most } }
    var cancelled: Int { state.withLock { $0.cancelled } }
}

/// Tests the daemon's own effects: started after the commit, in limited places, and their ends are events.
@Suite(.timeLimit(.minutes(20))) struct EffectRunnerTests {
    private static let job = """
        id: job
        initial: a
        context: {got: null}
        states:
          a:
            invoke:
              task: q
              retry: {attempts: 3, first: 10s, jitter: 0}
              onDone: {target: b, actions: {assign: {got: event.data}}}
              onError: {target: b, actions: {assign: {got: event.data}}}
            on: {leave: b}
          b: {type: final}
        """

    private static let failed = AttemptOutcome.failed(TaskFailure(type: "broken", message: "m", facts: ["status": 503]))

    private static func bench(
        _ servant: Servant, limits: EngineLimits = EngineLimits(), clock: any WallClock = HandClock()
    ) async throws -> TaskBench {
        try await TaskBench(job, limits: limits, clock: clock, executors: [servant])
    }

    @Test func whatWaitsIsLateWhileAnotherRuns() async throws {
        let servant = Servant(places: 1, ofQueue: 1)
        let clock = HandClock()
        let bench = try await Self.bench(servant, clock: clock)
        let names = ["first", "second", "third"]
        for name in names {
            try await bench.timed.start("job", name)
            try await eventually("the first runs") { servant.open == 1 }
            clock.advance(1_000)
        }
        let report = try #require(try await bench.engine.queueReports(countingTo: 10, by: .test).first)
        #expect(report.ready == 2 && report.running == 1)
        // The first has been due for three seconds, and runs.
        #expect(report.lateness(at: clock.now()) == 2_000)
        #expect(!report.stands(at: Timestamp(rawValue: clock.now().rawValue + 3_600_000)))
        for name in names { try await servant.end(InstanceName(rawValue: name), .done(.null)) }
        try await bench.timed.stop()
    }

    @Test func whatIsAskedIsDoneAndItsEndIsAnEvent() async throws {
        let servant = Servant()
        let bench = try await Self.bench(servant)
        try await bench.timed.start("job", "o")
        try await servant.end("o", .done(["n": 1]))
        try await eventually("the end") { try await bench.state("o") == "b" }
        #expect(try await bench.timed.context("got", of: "o") == ["n": 1])
        let row = try #require(try await bench.timed.rows("o").last)
        #expect(row.kind == .result && row.event == "done.invoke.a")
        #expect(servant.begun.map(\.number) == [1] && servant.begun[0].queue == "task:q")
        #expect(try await bench.effects().isEmpty)
        try await bench.expectWhole()
    }

    @Test func attemptsAreMadeAgainInTime() async throws {
        let servant = Servant()
        let bench = try await Self.bench(servant)
        try await bench.timed.start("job", "o")
        try await servant.end("o", Self.failed)
        try await eventually("the first failure") { try await bench.effects().first?.attempts == 1 }
        try await bench.timed.pass(9_999)
        #expect(servant.begun.count == 1)
        try await bench.timed.pass(1)
        try await servant.end("o", Self.failed)
        try await eventually("the second failure") { try await bench.effects().first?.attempts == 2 }
        try await bench.timed.pass(20_000)
        try await servant.end("o", Self.failed)
        try await eventually("the end") { try await bench.state("o") == "b" }
        #expect(
            try await bench.timed.context("got", of: "o")
                == ["attempts": 3, "message": "m", "status": 503, "type": "broken"])
        #expect(servant.begun.map(\.number) == [1, 2, 3] && Set(servant.begun.map(\.key)).count == 1)
        try await bench.expectWhole()
    }

    /// The effect is ready again before its place is free.
    @Test func aRetryAtOnceIsMade() async throws {
        let servant = Servant()
        let bench = try await Self.bench(servant)
        for name in (0..<20).map({ "o-\($0)" }) { try await bench.timed.start("job", name) }
        for _ in 0..<60 {
            try await servant.end(nil) { attempt in
                attempt.number == 3 ? .done(1) : .failed(TaskFailure(type: "broken", message: "", retryAfter: 0))
            }
        }
        try await eventually("all have ended") { try await bench.effects().isEmpty }
        #expect(servant.begun.count == 60)
    }

    @Test func leavingTheStateEndsTheAttempt() async throws {
        let servant = Servant()
        let bench = try await Self.bench(servant)
        try await bench.timed.start("job", "o")
        try await eventually("it runs") { servant.open == 1 }
        try await bench.timed.send("leave", to: "o")
        try await eventually("it has ended") { servant.cancelled == 1 }
        #expect(try await bench.effects().isEmpty)
        try await bench.expectWhole()
    }

    /// There are 30 ready effects. No more run than there are places, and each is done once.
    @Test func placesAreNeverExceeded() async throws {
        let servant = Servant(places: 6, ofQueue: 4)
        let bench = try await TaskBench(
            Self.job, Self.job.replacing("id: job", with: "id: other").replacing("task: q", with: "task: r"),
            executors: [servant])
        for number in 0..<15 {
            try await bench.timed.start("job", "j-\(number)")
            try await bench.timed.start("other", "o-\(number)")
        }
        for _ in 0..<30 { try await servant.end(nil, .done(.null)) }
        try await eventually("all have ended") { try await bench.effects().isEmpty }
        #expect(servant.begun.count == 30 && servant.most <= 6)
        #expect(Set(servant.begun.map(\.instance)).count == 30)
        try await bench.expectWhole()
    }

    /// The effects wait in memory from their commit on, or only in the store. The oldest starts first, each once, and
    /// none whose state was exited.
    @Test(arguments: [0, 3, 100]) func theOldestStartsFirst(begun: Int) async throws {
        let servant = Servant(places: 1, ofQueue: 1)
        var limits = EngineLimits()
        limits.begunEffects = begun
        let bench = try await Self.bench(servant, limits: limits)
        let names = (0..<20).map { "o-\($0)" }
        for name in names.prefix(10) { try await bench.timed.start("job", name) }
        for _ in 0..<2 { try await servant.end(nil, .done(.null)) }
        try await eventually("the third") { servant.begun.count == 3 }
        for name in names.dropFirst(10) { try await bench.timed.start("job", name) }
        for name in ["o-5", "o-15"] { try await bench.timed.send("leave", to: name) }
        for _ in 0..<16 { try await servant.end(nil, .done(.null)) }
        try await eventually("all have ended") { try await bench.effects().isEmpty }
        #expect(servant.begun.map(\.instance.rawValue) == names.filter { $0 != "o-5" && $0 != "o-15" })
        #expect(servant.most == 1)
        try await bench.expectWhole()
    }

    /// Effects for one host take all the memory: those of others are found one by one.
    @Test func aHostThatTakesAllTheRoomStopsNoOther() async throws {
        let servant = Servant(places: 8, ofQueue: 2)
        var limits = EngineLimits()
        limits.foundBytes = 1
        let bench = try await TaskBench(
            Self.job, Self.job.replacing("id: job", with: "id: other").replacing("task: q", with: "task: r"),
            limits: limits, executors: [servant])
        for number in 0..<8 { try await bench.timed.start("job", "j-\(number)") }
        try await eventually("its places are taken") { servant.open == 2 }
        for number in 0..<3 { try await bench.timed.start("other", "o-\(number)") }
        for number in 0..<3 { try await servant.end(InstanceName(rawValue: "o-\(number)"), .done(1)) }
        for _ in 0..<8 { try await servant.end(nil, .done(1)) }
        try await eventually("all have ended") { try await bench.effects().isEmpty }
        #expect(servant.begun.count == 11)
        try await bench.expectWhole()
    }

    /// An unreachable host keeps one place, and the others continue.
    @Test func aDeadHostHoldsOnePlace() async throws {
        let servant = Servant(places: 4, ofQueue: 4)
        let bench = try await TaskBench(
            Self.job, Self.job.replacing("id: job", with: "id: other").replacing("task: q", with: "task: r"),
            executors: [servant])
        for number in 0..<8 { try await bench.timed.start("job", "j-\(number)") }
        try await eventually("all but the last quarter") { servant.open == 3 }
        for _ in 0..<3 { try await servant.end(nil, .failed(TaskFailure(type: "connect", message: ""))) }
        try await eventually("one more try") { servant.open == 1 && servant.begun.count == 4 }
        try await bench.timed.start("other", "o")
        try await servant.end("o", .done(1))
        try await eventually("the other") { try await bench.state("o") == "b" }
        #expect(servant.open == 1)
    }

    /// After a stop that did not wait, and after one that did, the same attempt follows, with the same key.
    @Test func whatWasNotEndedIsDoneAgain() async throws {
        let servant = Servant()
        var limits = EngineLimits()
        limits.endingEffects = .milliseconds(50)
        let bench = try await Self.bench(servant, limits: limits)
        try await bench.timed.start("job", "o")
        try await eventually("it runs") { servant.open == 1 }
        try await bench.timed.restart()
        #expect(servant.cancelled == 1)
        try await eventually("it runs again") { servant.begun.count == 2 }
        #expect(servant.begun[0].key == servant.begun[1].key && servant.begun[1].number == 1)
        try await servant.end("o", .done(1))
        // The first is no more; the second ends it.
        try await servant.end("o", .done(2))
        try await eventually("the end") { try await bench.state("o") == "b" }
        try await bench.expectWhole()
    }

    @Test func whatIsMissingHoldsIt() async throws {
        let servant = Servant(always: .held("secret 'x' is missing"))
        let bench = try await Self.bench(servant)
        try await bench.timed.start("job", "o")
        try await eventually("it is held") { try await bench.effects().first?.state == .held }
        #expect(servant.begun.count == 1)
        try await bench.expectWhole()
    }

    @Test func whatStandsInTheWayIsTold() async throws {
        let servant = Servant()
        let bench = try await Self.bench(servant)
        try await bench.timed.start("job", "o")
        try await eventually("it runs") { servant.open == 1 }
        let running = try #require(try await bench.effects().first)
        #expect(bench.engine.turn(of: running) == .running && bench.engine.running(in: "task:q") == 1)
        // The service would be asked twice at once.
        let again = EffectVerbCommand(instance: "o", effect: "a", verb: .retry(newKey: true), by: .test)
        let refusal = await #expect(throws: Rejection.self) { _ = try await bench.engine.effect(again) }
        #expect(refusal?.code == .effectNotWaiting && servant.begun.count == 1)
        _ = try await bench.engine.set(SetQueueCommand(queue: "task:q", isPaused: true, by: .test))
        try await bench.timed.start("job", "p")
        let waiting = try #require(try await bench.effects().last)
        #expect(bench.engine.turn(of: waiting) == .paused && bench.engine.turn(of: running) == .running)
        _ = try await bench.engine.hold(HoldCommand(isHeld: true, by: .test))
        #expect(bench.engine.turn(of: waiting) == .held)
        _ = try await bench.engine.hold(HoldCommand(isHeld: false, by: .test))
        _ = try await bench.engine.set(SetQueueCommand(queue: "task:q", isPaused: false, by: .test))
        #expect(bench.engine.turn(of: waiting) != .paused)
        for name in ["o", "p"] { try await servant.end(InstanceName(rawValue: name), .done(1)) }
        try await eventually("all have ended") { try await bench.effects().isEmpty }
        // The runner hears of a commit after it.
        try await eventually("none runs") { bench.engine.running(in: "task:q") == 0 }
    }

    /// The timers of a failed instance wait. Its effects continue, however many such instances there are.
    @Test func aTimeoutThatCannotComeIsInNobodysWay() async throws {
        let servant = Servant(ofQueue: 2)
        let bench = try await TaskBench(
            """
            id: stuck
            initial: a
            context: {n: 0}
            states:
              a:
                invoke: {task: q, retry: {attempts: 2, first: 10s, jitter: 0}, timeout: 15s}
                on: {bad: {actions: {send: {event: worse}}}, worse: {actions: {assign: {n: 1 / context.n}}}}
            """, Self.job, executors: [servant])
        let names = (0..<6).map { InstanceName(rawValue: "s-\($0)") }
        for name in names {
            try await bench.timed.start("stuck", name.rawValue)
            try await servant.end(name, Self.failed)
        }
        try await eventually("the failures") { try await bench.effects().allSatisfy { $0.attempts == 1 } }
        for name in names { _ = try? await bench.timed.send("bad", to: name.rawValue) }
        for name in names { #expect(try await bench.timed.record(name.rawValue).status == .failed) }
        try await bench.timed.pass(20_000)
        try await bench.timed.start("job", "o")
        for name in names { try await servant.end(name, .done(1)) }
        try await servant.end("o", .done(1))
        try await eventually("the end") { try await bench.state("o") == "b" }
        #expect(try await bench.effects().allSatisfy { $0.state == .answered })
    }

    /// The time of a virtual clock stands still while an effect runs.
    @Test func aVirtualClockWaitsForWhatIsDone() async throws {
        let servant = Servant()
        let clock = VirtualClock(at: Timestamp(rawValue: 1_700_000_000_000))
        let bench = try await Self.bench(servant, clock: clock)
        try await bench.timed.start("job", "o")
        let begin = clock.now()
        let engine = bench.engine
        let move = Task {
            try await engine.moveClock(to: Timestamp(rawValue: begin.rawValue + 3_600_000), by: .test)
        }
        try await eventually("it runs") { servant.open == 1 }
        #expect(clock.now() == begin)
        try await servant.end("o", Self.failed)
        try await eventually("the second attempt") { servant.begun.count == 2 }
        #expect(clock.now().rawValue == begin.rawValue + 10_000)
        try await servant.end("o", .done(1))
        #expect(try await move.value.isDone)
        #expect(clock.now().rawValue == begin.rawValue + 3_600_000)
        #expect(try await bench.state("o") == "b")
        try await bench.expectWhole()
    }
}
