import IdentityTesting
import Statechart
import Synchronization
import Testing
import ThreadTesting
import WorkflowEngine
import WorkflowJSON
import WorkflowStore

/// A log of attempts in memory, which outlives the engine as a file does.
final class KeptAttempts: AttemptLog {
    private struct State {
        var left: [AttemptBegin] = []
        var open: [AttemptBegin] = []
        var begun: [AttemptBegin] = []
    }

    private let state = Mutex(State())
    private let isWritable: Bool

    init(isWritable: Bool = true) {
        self.isWritable = isWritable
    }

    /// Leaves attempts for the next engine to find.
    func leave(_ attempts: [AttemptBegin]) { state.withLock { $0.left = attempts } }

    var open: [AttemptBegin] { state.withLock { $0.open } }
    /// All that ever began.
    var begun: [AttemptBegin] { state.withLock { $0.begun } }

    func unended() async -> [AttemptBegin] { state.withLock { $0.left } }

    func forget() async { state.withLock { $0.left = [] } }

    func began(_ attempt: AttemptBegin) async -> Bool {
        state.withLock { state in
            state.begun.append(attempt)
            state.open.append(attempt)
        }
        return isWritable
    }

    func ended(_ attempt: AttemptBegin) async { state.withLock { $0.open.removeAll { $0 == attempt } } }

    func close() async {}
}

/// Attempts that the daemon did not outlive: each counts, and a few in a row hold their effect.
@Suite(.timeLimit(.minutes(20))) struct InterruptedAttemptTests {
    private static let job = """
        id: job
        initial: a
        states:
          a: {invoke: {task: q, retry: {attempts: 2, first: 10s, jitter: 0}, onDone: b, onError: c}}
          b: {type: final}
          c: {type: final}
        """

    private static func bench(_ servant: Servant) async throws -> TaskBench {
        var limits = EngineLimits()
        limits.endingEffects = .milliseconds(1)
        return try await TaskBench(job, limits: limits, executors: [servant])
    }

    /// The engine ends while the last attempt runs, and the next one finds its begin.
    private static func die(_ bench: TaskBench, _ log: KeptAttempts) async throws {
        let last = try #require(log.begun.last)
        log.leave([last])
        try await bench.timed.restart()
    }

    private static func retry(_ bench: TaskBench) async throws {
        _ = try await bench.engine.effect(
            EffectVerbCommand(
                instance: "o", effect: "a", expectedSeq: nil, verb: .retry(newKey: false), reason: nil, key: nil,
                by: Caller("ana", namespace: .default, role: .owner)))
    }

    @Test func anAttemptThatEndsLeavesNoBegin() async throws {
        let log = KeptAttempts()
        let servant = Servant(log: log)
        let bench = try await Self.bench(servant)
        try await bench.timed.start("job", "o")
        try await eventually("it runs") { servant.open == 1 }
        #expect(log.open.map(\.number) == [1])
        try await servant.end("o", .done(1))
        try await eventually("the end") { try await bench.state("o") == "b" }
        try await eventually("no begin") { log.open.isEmpty }
    }

    /// A full disk is no reason not to act.
    @Test func anAttemptIsMadeWithoutItsBegin() async throws {
        let servant = Servant(log: KeptAttempts(isWritable: false))
        let bench = try await Self.bench(servant)
        try await bench.timed.start("job", "o")
        try await servant.end("o", .done(1))
        try await eventually("the end") { try await bench.state("o") == "b" }
    }

    @Test func threeInARowHoldTheEffect() async throws {
        let log = KeptAttempts()
        let servant = Servant(log: log)
        let bench = try await Self.bench(servant)
        try await bench.timed.start("job", "o")
        for number in 1...3 {
            try await eventually("attempt \(number) runs") { servant.begun.count == number }
            try await Self.die(bench, log)
        }
        try await eventually("it is held") { try await bench.effects().first?.state == .held }
        let held = try #require(try await bench.effects().first)
        #expect(
            held.error
                == #"{"message":"wfd ended 3 times in a row while the program ran; see that the program does not end "#
                + #"it, then 'wfctl effects retry', of many with --all --queue QUEUE --state held","#
                + #""type":"interrupted"}"#)
        #expect(servant.begun.map(\.number) == [1, 2, 3] && Set(servant.begun.map(\.key)).count == 1)
        let record = try await bench.timed.record("o")
        let attempts = try await bench.timed.store.attempts(of: held.id, instance: record.id)
        #expect(attempts.map(\.attempt) == [1, 2, 3] && Set(attempts.map(\.outcome)) == ["interrupted"])
        // Neither a start nor a release tries it again: both would end the daemon once more.
        try await bench.timed.restart()
        _ = try await bench.engine.hold(HoldCommand(isHeld: false, by: .test))
        try await bench.timed.settle()
        #expect(try await bench.effects().first?.state == .held && servant.begun.count == 3)
        try await Self.retry(bench)
        // Three of four asked are no more.
        for _ in 1...4 { try await servant.end("o", .done(1)) }
        try await eventually("the end") { try await bench.state("o") == "b" }
        #expect(servant.begun.last?.number == 4)
        try await bench.expectWhole()
    }

    /// They never end an effect by themselves, but its definition counts them.
    @Test func whatWasCutOffUsesUpTheRetries() async throws {
        let log = KeptAttempts()
        let servant = Servant(log: log)
        let bench = try await Self.bench(servant)
        try await bench.timed.start("job", "o")
        for number in 1...2 {
            try await eventually("attempt \(number) runs") { servant.begun.count == number }
            try await Self.die(bench, log)
        }
        try await eventually("attempt 3 runs") { servant.begun.count == 3 }
        #expect(try await bench.effects().first?.state == .ready)
        // Two of three asked are no more.
        try await servant.end("o", .failed(TaskFailure(type: "broken", message: "m")))
        try await servant.end("o", .failed(TaskFailure(type: "broken", message: "m")))
        try await servant.end("o", .failed(TaskFailure(type: "broken", message: "m")))
        try await eventually("the end") { try await bench.state("o") == "c" }
        try await bench.expectWhole()
    }

    /// The file may hold anything: begins of what has ended, was counted, or never was.
    @Test func aBeginThatCannotBeIsPassedOver() async throws {
        let log = KeptAttempts()
        let servant = Servant(log: log)
        let bench = try await Self.bench(servant)
        try await bench.timed.start("job", "o")
        try await eventually("it runs") { servant.open == 1 }
        let real = try #require(log.begun.last)
        func begin(effect: Int64? = nil, round: Int64? = nil, number: Int64? = nil) -> AttemptBegin {
            AttemptBegin(
                effect: Position(rawValue: effect ?? real.effect.rawValue), round: round ?? real.round,
                number: number ?? real.number, begun: real.begun)
        }
        log.leave([
            begin(effect: 1), begin(effect: .max), begin(round: 1), begin(round: .max), begin(number: 2),
            begin(number: .max),
        ])
        try await bench.timed.restart()
        try await eventually("it runs again") { servant.begun.count == 2 }
        #expect(servant.begun[1].number == 1)
        let record = try await bench.timed.record("o")
        #expect(try await bench.timed.store.attempts(of: real.effect, instance: record.id).isEmpty)
        try await bench.expectWhole()
    }
}
