import IdentityTesting
import Statechart
import StoreTesting
import Testing
import ThreadTesting
import WorkflowEngine
import WorkflowJSON
import WorkflowStore

/// Tests timers that are too late, instances that fail on a timer, and chains that are cut.
@Suite struct TimerMisfireTests {
    private static let start: Int64 = 1_700_000_000_000

    private static func kinds(_ rows: [JournalRecord]) -> [String] {
        rows.map { "\($0.kind) \($0.event) \($0.at.rawValue - start)" }
    }

    private static let offer = """
        id: offer
        initial: open
        context: {reminders: 0}
        states:
          open:
            entry: {send: {event: remind, delay: 10s, misfire: {skip: 2s}}}
            after:
              1m: {target: closed, misfire: {skip: 1h}}
            on: {remind: {actions: {assign: {reminders: context.reminders + 1}}}}
          closed: {type: final}
        """

    @Test(.timeLimit(.minutes(20)), arguments: [(12_000, 1), (12_001, 0)])
    func aTimerThatIsTooLateIsRecordedAndChangesNothing(passed: Int64, reminders: Int64) async throws {
        let timed = try await TimedEngine(Self.offer)
        try await timed.start("offer", "o")
        let before = try await timed.record("o")
        try await timed.restart(after: passed)
        try await timed.settle()
        #expect(Self.kinds(try await timed.rows("o")) == ["started init 0", "timer remind 10000"])
        #expect(try await timed.context("reminders", of: "o") == .int(reminders))
        let after = try await timed.record("o")
        #expect(after.state.configuration == before.state.configuration)
        // The timer that fired is gone, and the other one is not.
        #expect(try await timed.engine.timers(of: "o").map(\.event) == ["after.1m.open"])
        try await timed.expectWhole("o")
        try await timed.stop()
    }

    @Test(.timeLimit(.minutes(20))) func twoThatAreLateAreJudgedEachByItsOwnRule() async throws {
        let timed = try await TimedEngine(Self.offer)
        for name in ["o", "p"] { try await timed.start("offer", name) }
        try await timed.pass(3_660_000)
        #expect(try await timed.record("o").status == .done)
        try await timed.start("offer", "q")
        try await timed.pass(3_660_001)
        #expect(try await timed.record("q").status == .running)
        #expect(Self.kinds(try await timed.rows("q")).count == 3)
        #expect(try await timed.engine.timers(of: "q").isEmpty)
        for name in ["o", "q"] {
            #expect(try await timed.context("reminders", of: name) == 0)
            try await timed.expectWhole(name)
        }
        try await timed.stop()
    }

    /// A machine that fails on its first timer until it is corrected.
    private static let faulty = """
        id: faulty
        initial: on
        context: {seen: []}
        guards:
          isMended: event.at > instance.startedAt + duration('10s')
        states:
          on:
            entry:
              - {send: {event: bad, delay: 1s, misfire: {skip: 5s}}}
              - {send: {event: second, delay: 2s}}
              - {send: {event: third, delay: 3s, misfire: {skip: 5s}}}
              - {send: {event: fourth, delay: 1h}}
            on:
              bad: {actions: {assign: {seen: "context.seen + [isMended ? 'bad' : string(1 / 0)]"}}}
              second: {actions: {assign: {seen: "context.seen + ['second']"}}}
              third: {actions: {assign: {seen: "context.seen + ['third']"}}}
              fourth: {}
        """

    @Test(.timeLimit(.minutes(20))) func whileAnInstanceHasFailedItsTimersWait() async throws {
        let timed = try await TimedEngine(Self.faulty)
        try await timed.start("faulty", "f")
        try await timed.pass(1_000)
        #expect(try await timed.record("f").status == .failed)
        try await timed.pass(9_500)
        #expect(Self.kinds(try await timed.rows("f")) == ["started init 0", "failed bad 1000"])
        #expect(try await timed.store.timers(after: nil, limit: 10).isEmpty)
        #expect(
            try await timed.engine.timers(of: "f").map { "\($0.event) \($0.waits)" } == [
                "bad true", "second true", "third true", "fourth true",
            ])
        try await timed.expectWhole("f")
        try await timed.restart(after: 1_000)
        try await timed.settle()
        #expect(try await timed.rows("f").count == 2)

        // The event that it failed on comes first, and is not too late; those that waited come in their order.
        let answer = try await timed.engine.repair(RepairCommand(instance: "f", .retry))
        #expect(answer.event == "bad" && answer.status == .running)
        try await timed.settle()
        #expect(
            Self.kinds(try await timed.rows("f")).dropFirst(2) == [
                "retried bad 11500", "timer second 11500", "timer third 11500",
            ])
        // The third is more than five seconds late.
        #expect(try await timed.context("seen", of: "f") == ["bad", "second"])
        #expect(try await timed.store.timers(after: nil, limit: 10).map(\.timer.event) == ["fourth"])
        try await timed.expectWhole("f")
        try await timed.restart()
        try await timed.pass(3_600_000)
        #expect(try await timed.rows("f").count == 6)
        try await timed.expectWhole("f")
        try await timed.stop()
    }

    private static let endless = """
        id: endless
        initial: on
        context: {n: 0, to: 0}
        states:
          on:
            after: {1s: {actions: {assign: {n: context.n + 1000}}}}
            on:
              go: {actions: [{assign: {to: event.data}}, {send: step}]}
              step:
                - {guard: context.n < context.to, actions: [{assign: {n: context.n + 1}}, {send: step}]}
                - {}
              look: {}
        """

    @Test(.timeLimit(.minutes(20)), arguments: [false, true])
    func aChainThatWasCutGoesOnByItself(isRestarted: Bool) async throws {
        let timed = try await TimedEngine(Self.endless)
        try await timed.start("endless", "e")
        let answer = try await timed.send("go", 450, to: "e")
        #expect(answer.seq.rawValue == 102)
        if isRestarted { try await timed.restart() }
        try await timed.settle()
        let rows = try await timed.rows("e")
        #expect(rows.dropFirst(2).map(\.kind) == Array(repeating: .sent, count: 451))
        #expect(try await timed.context("n", of: "e") == 450)
        try await timed.expectWhole("e")
        try await timed.pass(1_000)
        #expect(try await timed.context("n", of: "e") == 1_450)
        try await timed.stop()
    }

    /// An instance that never becomes stable takes its share of each batch, and no more.
    @Test(.timeLimit(.minutes(20))) func aChainWithoutEndLetsOthersHaveTheirTurn() async throws {
        var limits = EngineLimits()
        limits.brake = nil
        let timed = try await TimedEngine(Self.endless, limits: limits)
        for name in ["e", "other"] { try await timed.start("endless", name) }
        try await timed.send("go", 9_000_000_000, to: "e")
        (timed.clock as? HandClock)?.advance(1_000)
        timed.engine.clockWasMoved()
        try await eventually("the other's timer has fired") { try await timed.record("other").seq.rawValue == 2 }
        #expect(try await timed.send("look", to: "other").seq.rawValue == 3)
        try await timed.send("go", 0, to: "e")
        try await timed.settle()
        try await timed.stop()
    }
}
