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
    let place = "memory"
    private struct State {
        var left: [InterruptedAttempt] = []
        var open: [AttemptBegin] = []
        var begun: [AttemptBegin] = []
        var most = 0
    }

    private let state = Mutex(State())
    private let isWritable: Bool

    init(isWritable: Bool = true) {
        self.isWritable = isWritable
    }

    /// Leaves attempts for the next engine to find.
    func leave(_ attempts: [AttemptBegin], isOfThisBoot: Bool = true) {
        state.withLock { state in
            state.left = attempts.map { InterruptedAttempt($0, isOfThisBoot: isOfThisBoot) }
            state.most = 0
        }
    }

    var open: [AttemptBegin] { state.withLock { $0.open } }
    /// The attempts that ever began.
    var begun: [AttemptBegin] { state.withLock { $0.begun } }
    /// The largest number of concurrent attempts since some were left.
    var most: Int { state.withLock { $0.most } }

    func unended() async -> [InterruptedAttempt] { state.withLock { $0.left } }

    func forget() async { state.withLock { $0.left = [] } }

    func began(_ attempt: AttemptBegin) async -> Bool {
        state.withLock { state in
            state.begun.append(attempt)
            state.open.append(attempt)
            state.most = max(state.most, state.open.count)
        }
        return isWritable
    }

    func ended(_ attempt: AttemptBegin) async { state.withLock { $0.open.removeAll { $0 == attempt } } }

    func close() async {}
}

/// Tests attempts during which the daemon ended: each counts, and a few in a row hold their effect.
@Suite(.timeLimit(.minutes(20))) struct InterruptedAttemptTests {
    private static let pause = "{attempts: 9, first: 10s, factor: 1, jitter: 0}"

    private static func bench(_ servant: Servant, retry: String = pause) async throws -> TaskBench {
        let job = """
            id: job
            initial: a
            context: {why: null}
            states:
              a:
                invoke:
                  {task: q, retry: \(retry), onDone: b,
                   onError: {target: c, actions: {assign: {why: event.data}}}}
              b: {type: final}
              c: {type: final}
            """
        var limits = EngineLimits()
        limits.endingEffects = .milliseconds(1)
        return try await TaskBench(job, limits: limits, executors: [servant])
    }

    /// Ends the engine while the last attempts run. The next one finds their begins and counts them.
    private static func die(
        _ bench: TaskBench, _ log: KeptAttempts, of count: Int = 1, isOfThisBoot: Bool = true
    ) async throws {
        let last = Array(log.begun.suffix(count))
        try #require(last.count == count)
        log.leave(last, isOfThisBoot: isOfThisBoot)
        try await bench.timed.restart()
        for begin in last {
            try await eventually("attempt \(begin.number) is counted") {
                let effect = try await bench.effects().first { $0.id == begin.effect }
                return effect?.attempts ?? begin.number == begin.number
            }
        }
    }

    private static func retry(_ bench: TaskBench) async throws {
        _ = try await bench.engine.effect(
            EffectVerbCommand(
                instance: "o", effect: "a", expectedSeq: nil, verb: .retry(newKey: false), reason: nil, key: nil,
                by: Caller("ana", namespace: .default)))
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

    /// The daemon acts also with a full disk.
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
            try await bench.timed.pass(10_000)
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

    /// A definition that allows one attempt has one, whatever ended it.
    @Test(arguments: [
        ("{attempts: 2, first: 10s, jitter: 0}", 2), ("{attempts: 1}", 1), ("{on: broken}", 1),
        ("[{on: interrupted, attempts: 1}, {}]", 1), ("{except: interrupted}", 1),
    ])
    func theRulesOfTheDefinitionCount(retry: String, attempts: Int) async throws {
        let log = KeptAttempts()
        let servant = Servant(log: log)
        let bench = try await Self.bench(servant, retry: retry)
        try await bench.timed.start("job", "o")
        for number in 1...attempts {
            try await eventually("attempt \(number) runs") { servant.begun.count == number }
            try await Self.die(bench, log)
            guard number < attempts else { break }
            try await bench.timed.pass(9_999)
            #expect(servant.begun.count == number)
            try await bench.timed.pass(1)
        }
        try await eventually("the end") { try await bench.state("o") == "c" }
        #expect(
            try await bench.timed.context("why", of: "o") == [
                "attempts": .int(Int64(attempts)), "interruptions": .int(Int64(attempts)),
                "message": "wfd ended while the program ran", "type": "interrupted",
            ])
        #expect(servant.begun.count == attempts)
        try await bench.expectWhole()
    }

    /// The end of the machine ends an attempt without a program's fault, and excuses no program.
    @Test func powerCutsHoldNothing() async throws {
        let log = KeptAttempts()
        let servant = Servant(log: log)
        let bench = try await Self.bench(servant)
        try await bench.timed.start("job", "o")
        for (number, isOfThisBoot) in [true, false, false, false, true].enumerated() {
            try await eventually("attempt \(number + 1) runs") { servant.begun.count == number + 1 }
            try await Self.die(bench, log, isOfThisBoot: isOfThisBoot)
            try await bench.timed.pass(10_000)
        }
        try await eventually("attempt 6 runs") { servant.begun.count == 6 }
        let effect = try #require(try await bench.effects().first)
        let record = try await bench.timed.record("o")
        let attempts = try await bench.timed.store.attempts(of: effect.id, instance: record.id)
        #expect(attempts.map(\.outcome) == Array(repeating: "interrupted", count: 5))
        #expect(
            attempts.last { $0.attempt == 4 }?.error
                == #"{"interruptions":1,"message":"the machine ended while the program ran","type":"interrupted"}"#)
        try await Self.die(bench, log)
        #expect(try await bench.effects().first?.state == .held)
        try await bench.expectWhole()
    }

    /// An attempt that ends properly begins the count anew.
    @Test func aFailureInOrderForgetsInterruptions() async throws {
        let log = KeptAttempts()
        let servant = Servant(log: log)
        let bench = try await Self.bench(servant)
        try await bench.timed.start("job", "o")
        var count = 0
        for ends in [false, false, true, false, false] {
            count += 1
            try await eventually("attempt \(count) runs") { servant.begun.count == count }
            if ends {
                // The servant still knows the attempts of engines that have ended.
                for _ in 1...count { try await servant.end("o", .failed(TaskFailure(type: "broken", message: "m"))) }
                try await eventually("it has failed") { try await bench.effects().first?.attempts == Int64(count) }
            } else {
                try await Self.die(bench, log)
            }
            try await bench.timed.pass(10_000)
        }
        try await eventually("attempt 6 runs") { servant.begun.count == 6 }
        #expect(try await bench.effects().first?.state == .ready)
    }

    /// After the second end, the interrupted effects run one at a time, so only one of them can be running at the
    /// third.
    @Test func theOthersAreNotHeldWithIt() async throws {
        let log = KeptAttempts()
        let servant = Servant(log: log)
        let bench = try await Self.bench(servant)
        for name in ["guilty", "innocent", "third"] { try await bench.timed.start("job", name) }
        for round in 1...2 {
            try await eventually("all run, round \(round)") { servant.begun.count == 3 * round }
            #expect(log.most == 3)
            try await Self.die(bench, log, of: 3)
            try await bench.timed.pass(10_000)
        }
        try await eventually("the first runs") { servant.begun.count == 7 }
        #expect(servant.begun.last?.instance == "guilty")
        try await Self.die(bench, log)
        #expect(try await bench.effects().map(\.state).contains(.held))
        for name in ["innocent", "third"] {
            try await eventually("\(name) runs") { servant.begun.last?.instance == InstanceName(rawValue: name) }
            #expect(log.open.count == 1)
            // Two of three asked are no more.
            for _ in 1...3 { try await servant.end(InstanceName(rawValue: name), .done(1)) }
            try await eventually("\(name) has ended") { try await bench.state(name) == "b" }
        }
        #expect(log.most == 1 && servant.begun.count == 9)
        #expect(try await bench.state("guilty") == "a")
        try await bench.expectWhole()
    }

    /// The file may contain anything: begins of attempts that have ended, were counted, or never existed.
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
