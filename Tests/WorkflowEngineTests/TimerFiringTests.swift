import IdentityTesting
import Statechart
import StoreTesting
import Testing
import WorkflowEngine
import WorkflowJSON
import WorkflowStore

/// Tests when timers fire, and the content of their rows.
@Suite struct TimerFiringTests {
    private static let start: Int64 = 1_700_000_000_000

    /// A machine that ticks each second and counts.
    private static let ticker = """
        id: ticker
        initial: on
        context: {n: 0, at: ''}
        states:
          on:
            after: {1s: {target: on, reenter: true, actions: {assign: {n: context.n + 1, at: event.at}}}}
            on: {look: {}, stop: off}
          off: {on: {go: on}}
        """

    /// Returns the times of rows, counted from the clock's beginning.
    private static func times(_ rows: [JournalRecord]) -> [String] {
        rows.map { row in
            let real = row.real.map { " real \($0.rawValue - start)" } ?? ""
            return "\(row.kind) \(row.event) \(row.at.rawValue - start)\(real)"
        }
    }

    @Test(.timeLimit(.minutes(20))) func atIsTheDueTimeAndTheRealTimeIsRecordedWhenItDiffers() async throws {
        let timed = try await TimedEngine(Self.ticker)
        try await timed.start("ticker", "t")
        try await timed.pass(999)
        #expect(try await timed.record("t").seq.rawValue == 1)
        try await timed.pass(1)
        try await timed.pass(1_250)
        #expect(
            Self.times(try await timed.rows("t")) == [
                "started init 0", "timer after.1s.on 1000", "timer after.1s.on 2000 real 2250",
            ])
        #expect(try await timed.context("at", of: "t") == "2023-11-14T22:13:22Z")
        try await timed.expectWhole("t")
        try await timed.stop()
    }

    @Test(.timeLimit(.minutes(20))) func ticksThatFellDueDuringAnOutageFireEachAtItsOwnTimeAndOnce() async throws {
        let timed = try await TimedEngine(Self.ticker)
        try await timed.start("ticker", "t")
        try await timed.pass(1_000)
        try await timed.restart(after: 3_600)
        try await timed.settle()
        #expect(
            Self.times(try await timed.rows("t")).dropFirst() == [
                "timer after.1s.on 1000", "timer after.1s.on 2000 real 4600", "timer after.1s.on 3000 real 4600",
                "timer after.1s.on 4000 real 4600",
            ])
        for _ in 0..<3 {
            try await timed.restart()
            try await timed.settle()
        }
        #expect(try await timed.rows("t").count == 5)
        try await timed.expectWhole("t")
        try await timed.pass(400)
        #expect(Self.times(try await timed.rows("t")).last == "timer after.1s.on 5000")
        try await timed.stop()
    }

    /// There are more timers than one batch takes of one instance.
    @Test(.timeLimit(.minutes(20))) func aLongOutageIsCaughtUpWholly() async throws {
        var limits = EngineLimits()
        // However slow this machine is, a batch is not closed before its time.
        limits.batchApplying = .seconds(60)
        let timed = try await TimedEngine(Self.ticker, limits: limits)
        try await timed.start("ticker", "t")
        try await timed.pass(350_000)
        let rows = try await timed.rows("t")
        #expect(rows.count == 351)
        #expect(rows.map { $0.at.rawValue - Self.start } == (0...350).map { $0 * 1_000 })
        try await timed.expectWhole("t")
        try await timed.pass(1_000)
        #expect(try await timed.rows("t").count == 352)
        try await timed.stop()
    }

    @Test(.timeLimit(.minutes(20))) func pastTheLimitOfLateFiringsTheTimeIsTheClocks() async throws {
        var limits = EngineLimits()
        limits.lateFirings = 3
        let timed = try await TimedEngine(Self.ticker, limits: limits)
        try await timed.start("ticker", "t")
        try await timed.pass(100_500)
        // The fourth late one is at the clock's time, and what it arms is not late any more.
        #expect(
            Self.times(try await timed.rows("t")) == [
                "started init 0", "timer after.1s.on 1000 real 100500", "timer after.1s.on 2000 real 100500",
                "timer after.1s.on 3000 real 100500", "timer after.1s.on 100500",
            ])
        try await timed.pass(1_000)
        #expect(Self.times(try await timed.rows("t")).last == "timer after.1s.on 101500")
        // A timer that fired in time is counted anew.
        try await timed.pass(3_700)
        #expect(
            Self.times(try await timed.rows("t")).suffix(3) == [
                "timer after.1s.on 102500 real 105200", "timer after.1s.on 103500 real 105200",
                "timer after.1s.on 104500 real 105200",
            ])
        try await timed.expectWhole("t")
        try await timed.stop()
    }

    @Test(.timeLimit(.minutes(20))) func afterEndsWithItsState() async throws {
        let timed = try await TimedEngine(Self.ticker)
        try await timed.start("ticker", "t")
        try await timed.pass(900)
        try await timed.send("stop", to: "t")
        #expect(try await timed.store.timers(after: nil, limit: 10).isEmpty)
        try await timed.pass(10_000)
        #expect(try await timed.rows("t").count == 2)
        try await timed.send("go", to: "t")
        try await timed.pass(1_000)
        #expect(Self.times(try await timed.rows("t")).last == "timer after.1s.on 11900")
        try await timed.expectWhole("t")
        try await timed.stop()
    }

    private static let sender = """
        id: sender
        initial: idle
        context: {seen: []}
        states:
          idle:
            on:
              arm: {actions: {send: {event: later, data: {n: event.data}, delay: 5s, id: x}}}
              rearm: {actions: [{cancel: x}, {send: {event: later, data: {n: event.data}, delay: 5s, id: x}}]}
              drop: {actions: {cancel: x}}
              move: other
              later: {actions: {assign: {seen: "context.seen + [event.data.n]"}}}
              end: end
          other: {on: {later: {actions: {assign: {seen: "context.seen + [-1]"}}}}}
          end: {type: final}
        """

    @Test(.timeLimit(.minutes(20))) func aDelayedSendOutlivesItsStateAndEndsWithCancelAndWithTheInstance() async throws
    {
        let timed = try await TimedEngine(Self.sender)
        for name in ["moves", "drops", "ends"] {
            try await timed.start("sender", name)
            try await timed.send("arm", 1, to: name)
        }
        #expect(try await timed.store.timers(after: nil, limit: 10).map(\.instance) == ["moves", "drops", "ends"])
        try await timed.send("move", to: "moves")
        try await timed.send("drop", to: "drops")
        try await timed.send("end", to: "ends")
        #expect(try await timed.store.timers(after: nil, limit: 10).map(\.instance) == ["moves"])
        try await timed.pass(60_000)
        #expect(try await timed.context("seen", of: "moves") == [-1])
        #expect(try await timed.rows("drops").count == 3)
        #expect(try await timed.rows("ends").count == 3)
        for name in ["moves", "drops", "ends"] { try await timed.expectWhole(name) }
        try await timed.stop()
    }

    @Test(.timeLimit(.minutes(20))) func cancelAndArmAgainInOneMacrostepIsOneTimer() async throws {
        let timed = try await TimedEngine(Self.sender)
        try await timed.start("sender", "s")
        try await timed.send("arm", 1, to: "s")
        try await timed.pass(4_000)
        try await timed.send("rearm", 2, to: "s")
        try await timed.expectWhole("s")
        try await timed.pass(4_999)
        #expect(try await timed.context("seen", of: "s") == [])
        try await timed.pass(1)
        #expect(try await timed.context("seen", of: "s") == [2])
        try await timed.pass(60_000)
        #expect(try await timed.rows("s").count == 4)
        try await timed.expectWhole("s")
        try await timed.stop()
    }

    @Test(.timeLimit(.minutes(20))) func whatIsDueFiresBeforeACommandOnTheSameInstance() async throws {
        // A batch has no room for all that is due: the command does not wait for its instance's turn.
        var limits = EngineLimits()
        limits.batchRows = 2
        let timed = try await TimedEngine(
            """
            id: gate
            initial: open
            states:
              open: {after: {1s: shut}, on: {pass: done}}
              shut: {after: {1s: locked}, on: {pass: missed}}
              locked: {on: {knock: {}}}
              done: {}
              missed: {}
            """, limits: limits)
        for name in ["w", "x", "y", "z", "a", "b"] { try await timed.start("gate", name) }
        // The writer is not woken: it is the command that finds them.
        (timed.clock as? HandClock)?.advance(1_500)
        let answer = try await timed.send("pass", to: "a")
        #expect(answer.from == ["shut"] && answer.fromSeq.rawValue == 2 && answer.seq.rawValue == 3)
        #expect(Self.times(try await timed.rows("a")).last == "event pass 1500")
        // All that was due has fired; what comes due then is found by a command that is refused, and stays.
        try await timed.settle()
        (timed.clock as? HandClock)?.advance(1_500)
        #expect(
            await timed.rejection { () async throws(Rejection) in try await timed.send("pass", to: "b") }
                == "notAccepted")
        #expect(
            Self.times(try await timed.rows("b")) == [
                "started init 0", "timer after.1s.open 1000 real 1500", "timer after.1s.shut 2000 real 3000",
            ])
        try await timed.stop()
    }

    @Test(.timeLimit(.minutes(20))) func aDryRunSeesWhatIsDueAndFiresNothing() async throws {
        let timed = try await TimedEngine(Self.ticker)
        try await timed.start("ticker", "t")
        // The writer has looked at the clock, and waits.
        try await timed.settle()
        let before = try await timed.record("t")
        (timed.clock as? HandClock)?.advance(1_000)
        let asked = try await timed.send("stop", to: "t", isDryRun: true)
        #expect(asked.context["n"] == 1 && asked.to == ["off"])
        #expect(asked.fromSeq.rawValue >= 2)
        try await timed.pass(0)
        #expect(try await timed.rows("t").count == 2)
        #expect(before.seq.rawValue == 1)
        try await timed.stop()
    }

    @Test(.timeLimit(.minutes(20))) func aClockThatJumpsLosesNothingAndFiresNothingTwice() async throws {
        let timed = try await TimedEngine(Self.ticker, Self.sender)
        try await timed.start("ticker", "t")
        try await timed.start("sender", "s")
        try await timed.send("arm", 1, to: "s")
        try await timed.pass(2_000)
        // Back by an hour: nothing fires, and what happens is not before what happened.
        try await timed.pass(-3_600_000)
        #expect(try await timed.rows("t").count == 3)
        try await timed.send("look", to: "t")
        #expect(Self.times(try await timed.rows("t")).last == "event look 2000 real -3598000")
        try await timed.restart()
        try await timed.settle()
        #expect(try await timed.rows("t").count == 4)
        // Forward to where it was, and on.
        try await timed.pass(3_600_000)
        #expect(try await timed.rows("t").count == 4)
        try await timed.pass(1_000)
        #expect(try await timed.rows("t").count == 5)
        try await timed.pass(2_000)
        #expect(
            Self.times(try await timed.rows("t")).suffix(2) == [
                "timer after.1s.on 4000 real 5000", "timer after.1s.on 5000",
            ])
        #expect(Self.times(try await timed.rows("s")).last == "timer later 5000")
        for name in ["t", "s"] {
            let times = try await timed.rows(name).map(\.at)
            #expect(times == times.sorted())
            try await timed.expectWhole(name)
        }
        try await timed.stop()
    }
}
