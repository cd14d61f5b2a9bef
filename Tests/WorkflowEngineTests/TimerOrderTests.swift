import IdentityTesting
import Statechart
import StoreTesting
import Testing
import ThreadTesting
import WorkflowEngine
import WorkflowJSON
import WorkflowStore

/// Tests the order in which timers fire, in one instance and across all.
@Suite struct TimerOrderTests {
    /// A machine that arms timers on request, with a delay in milliseconds for each event.
    private static let alarm = """
        id: alarm
        initial: on
        context: {rang: 0, each: 0}
        states:
          on:
            on:
              arm: {actions: {send: {event: ring, data: {n: event.data.n}, delay: event.data.delay}}}
              many:
                actions:
                  foreach: {array: event.data, item: each, actions: {send: {event: ring, delay: context.each}}}
              ring: {actions: {assign: {rang: context.rang + 1}}}
              look: {}
        """

    private static func name(_ id: InstanceID, in timed: TimedEngine) async throws -> String {
        try await timed.store.instance(id)?.name.rawValue ?? ""
    }

    /// Returns the instances whose timers fired, in the order of the journal.
    private static func fired(_ timed: TimedEngine) async throws -> [String] {
        var names: [String] = []
        for row in try await timed.journal() where row.kind == .timer {
            names.append(try await name(row.instanceID, in: timed))
        }
        return names
    }

    /// Returns the first difference between two lists; `nil` if they are equal.
    private static func firstDifference(_ found: [Int64], _ expected: [Int64]) -> String? {
        if let place = zip(found, expected).enumerated().first(where: { $1.0 != $1.1 })?.offset {
            return "at \(place): \(found[place]), not \(expected[place])"
        }
        return found.count == expected.count ? nil : "\(found.count), not \(expected.count)"
    }

    private static func arm(_ name: String, _ delay: Int64, _ timed: TimedEngine) async throws {
        try await timed.send("arm", ["n": 0, "delay": .int(delay)], to: name)
    }

    @Test(.timeLimit(.minutes(20))) func timersOfManyInstancesFireInDueOrder() async throws {
        let timed = try await TimedEngine(Self.alarm)
        let delays: [Int64] = [500, 100, 400, 200, 300]
        for (number, delay) in delays.enumerated() {
            try await timed.start("alarm", "a\(number)")
            try await Self.arm("a\(number)", delay, timed)
            try await Self.arm("a\(number)", delay + 1_000, timed)
        }
        try await timed.pass(10_000)
        let order = ["a1", "a3", "a4", "a2", "a0"]
        #expect(try await Self.fired(timed) == order + order)
        try await timed.stop()
    }

    @Test(.timeLimit(.minutes(20))) func ofTimersDueAtOneMomentTheOneArmedFirstFiresFirst() async throws {
        let timed = try await TimedEngine(Self.alarm)
        for name in ["c", "a", "b"] { try await timed.start("alarm", name) }
        for name in ["b", "c", "a", "b"] { try await Self.arm(name, 1_000, timed) }
        try await timed.pass(500)
        try await Self.arm("c", 500, timed)
        try await timed.restart(after: 10_000)
        try await timed.settle()
        #expect(try await Self.fired(timed) == ["b", "c", "a", "b", "c"])
        try await timed.stop()
    }

    /// Events that an instance gets meanwhile must not bring its later timers forward.
    @Test(.timeLimit(.minutes(20)), arguments: [false, true])
    func eventsInBetweenDoNotChangeTheOrder(isRestarted: Bool) async throws {
        let timed = try await TimedEngine(Self.alarm)
        for name in ["a", "b"] { try await timed.start("alarm", name) }
        try await Self.arm("a", 1_000, timed)
        try await Self.arm("b", 2_000, timed)
        try await Self.arm("a", 3_000, timed)
        try await Self.arm("b", 4_000, timed)
        for _ in 0..<5 {
            for name in ["a", "b"] { try await timed.send("look", to: name) }
        }
        if isRestarted { try await timed.restart() }
        try await timed.pass(10_000)
        #expect(try await Self.fired(timed) == ["a", "b", "a", "b"])
        try await timed.stop()
    }

    @Test(.timeLimit(.minutes(20))) func timersArmedByATimerKeepTheirPlace() async throws {
        let timed = try await TimedEngine(
            Self.alarm,
            """
            id: chain
            initial: on
            states:
              on: {after: {1s: {target: on, reenter: true}}, on: {look: {}}}
            """)
        for name in ["x", "y"] {
            try await timed.start("chain", name)
            try await timed.pass(300)
        }
        try await timed.start("alarm", "a")
        try await Self.arm("a", 1_500, timed)
        for name in ["x", "y"] { try await timed.send("look", to: name) }
        try await timed.pass(3_500)
        // x at 1000, 2000, …; y at 1300, 2300, …; a at 2100.
        #expect(try await Self.fired(timed) == ["x", "y", "x", "a", "y", "x", "y", "x"])
        try await timed.stop()
    }

    /// Moments, instances and events are random, and the journal's timers must be in due order.
    @Test(.timeLimit(.minutes(20)), arguments: sample(Array(0..<8 as Range<UInt64>), every: 4))
    func overdueTimersFireInOrderWhateverWasArmed(seed: UInt64) async throws {
        var limits = EngineLimits()
        limits.nearTimers = 8
        limits.batchRows = 16
        let timed = try await TimedEngine(Self.alarm, limits: limits)
        var random = SeededNumbers(seed: seed)
        var armed: [Int64] = []
        for number in 0..<6 { try await timed.start("alarm", "a\(number)") }
        for _ in 0..<60 {
            let name = "a\(random.next(below: 6))"
            if random.next(below: 4) == 0 { try await timed.send("look", to: name) }
            let delay = Int64(random.next(below: 10_000)) + 1
            try await Self.arm(name, delay, timed)
            armed.append(timed.clock.now().rawValue + delay)
        }
        try await timed.pass(20_000)
        let fired = try await timed.journal().filter { $0.kind == .timer }.map(\.at.rawValue)
        #expect(Self.firstDifference(fired, armed.sorted()) == nil, "seed \(seed)")
        for number in 0..<6 { try await timed.expectWhole("a\(number)") }
        try await timed.stop()
    }

    @Test(.timeLimit(.minutes(20))) func tenThousandTimersFireInOrderThroughASmallWindow() async throws {
        var limits = EngineLimits()
        limits.nearTimers = 50
        let timed = try await TimedEngine(Self.alarm, limits: limits)
        var random = SeededNumbers(seed: 42)
        var due: [Int64] = []
        for number in 0..<100 {
            try await timed.start("alarm", "a\(number)")
            let delays = (0..<100).map { _ in Int64(random.next(below: 3_600_000)) + 1 }
            try await timed.send("many", .array(delays.map(JSONValue.int)), to: "a\(number)")
            due += delays.map { timed.clock.now().rawValue + $0 }
        }
        #expect(try await timed.store.timers(after: nil, limit: 20_000).count == 10_000)
        try await timed.restart()
        for _ in 0..<4 { try await timed.pass(900_000) }
        let fired = try await timed.journal().filter { $0.kind == .timer }.map(\.at.rawValue)
        #expect(Self.firstDifference(fired, due.sorted()) == nil)
        #expect(try await timed.context("rang", of: "a0") == 100)
        try await timed.stop()
    }
}

/// A SplitMix64 generator, so that a failure can be repeated.
struct SeededNumbers {
    private var state: UInt64

    init(seed: UInt64) {
        state = seed
    }

    mutating func next(below bound: UInt64) -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return (mixed ^ (mixed >> 31)) % bound
    }
}
