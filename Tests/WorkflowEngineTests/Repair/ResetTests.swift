import IdentityTesting
import Statechart
import StoreTesting
import Testing
import WorkflowEngine
import WorkflowJSON
import WorkflowStore

/// Tests the reset to the state after a seq, by one row that has the complete state.
@Suite(.timeLimit(.minutes(20))) struct ResetTests {
    private static let machine = """
        id: o
        initial: draft
        context: {n: 0, trail: []}
        states:
          draft:
            on: {add: {actions: {assign: {n: context.n + 1}}}, submit: review}
            after: {3d: expired}
          review:
            initial: legal
            states: {legal: {on: {ok: asked}}, asked: {}}
            exit: {assign: {trail: "context.trail + ['left']"}}
            on: {pay: paid, back: draft}
            after: {1h: draft}
          paid: {type: final, output: {n: context.n}}
          expired: {}
        """

    private static func bench() async throws -> TaskBench {
        let bench = try await TaskBench(machine)
        try await bench.timed.start("o", "o")
        return bench
    }

    private static let hour: Int64 = 3_600_000

    @Test func stateAndContextComeBackInOneRow() async throws {
        let bench = try await Self.bench()
        try await bench.timed.send("add", to: "o")
        try await bench.timed.send("submit", to: "o")
        try await bench.timed.send("pay", to: "o")
        #expect(try await bench.timed.record("o").status == .done)
        try await bench.timed.pass(60_000)
        let answer = try await bench.reset("o", to: 2, reason: "OPS-1")
        #expect(answer.event == "reset" && answer.from == ["paid"] && answer.to == ["draft"])
        #expect(answer.status == .running && answer.seq.rawValue == 5 && answer.output == nil)
        #expect(answer.context == ["n": 1, "trail": []])
        let row = try #require(try await bench.timed.rows("o").last)
        #expect(row.kind == .reset && row.event == "reset" && row.from == "paid" && row.to == "draft")
        #expect(row.actor == Caller.test.actor && row.note == #"{"reason":"OPS-1"}"#)
        let armed =
            #"{"due":\#(row.at.rawValue + 3 * 24 * Self.hour),"event":"after.3d.draft","kind":"timer","#
            + #""number":1,"seq":5,"state":"draft"}"#
        #expect(
            row.data == #"{"machine":{"name":"o","version":1},"snapshot":{"armed":[\#(armed)],"configuration":["#
                + #""draft"],"context":{"n":1,"trail":[]},"memory":{},"status":"running"},"to":2}"#)
        let record = try await bench.timed.record("o")
        #expect(record.entered == row.at && record.state.output == nil)
        // It goes on as any other, also after a restart, and can be undone as it was done.
        try await bench.timed.restart()
        try await bench.timed.send("add", to: "o")
        #expect(try await bench.timed.context("n", of: "o") == 2)
        let undone = try await bench.reset("o", to: 4)
        #expect(undone.status == .done && undone.to == ["paid"] && undone.output == ["n": 1])
        #expect(try await bench.timed.store.timers(after: nil, limit: 10).isEmpty)
        try await bench.expectSound("o")
    }

    @Test(arguments: [Reset.Timers.left, .due]) func timersRunForWhatWasLeft(timers: Reset.Timers) async throws {
        let bench = try await Self.bench()
        let start = bench.timed.clock.now().rawValue
        try await bench.timed.pass(Self.hour)
        try await bench.timed.send("add", to: "o")
        try await bench.timed.pass(10 * Self.hour)
        try await bench.timed.send("submit", to: "o")
        let answer = try await bench.reset("o", to: 2, timers: timers)
        let due = try await bench.timed.store.timers(after: nil, limit: 10).map(\.timer.key.due.rawValue)
        let left = 3 * 24 * Self.hour - Self.hour
        #expect(due == [timers == .left ? bench.timed.clock.now().rawValue + left : start + 3 * 24 * Self.hour])
        #expect(answer.reset?.timers.map(\.due.milliseconds) == due && answer.reset?.otherTimers == 0)
        try await bench.timed.pass(due[0] - bench.timed.clock.now().rawValue)
        #expect(try await bench.state("o") == "expired")
        try await bench.expectSound("o")
    }

    /// Overdue timers come at once, after the row.
    @Test func whatWasDueComesAtOnce() async throws {
        let bench = try await Self.bench()
        try await bench.timed.send("submit", to: "o")
        try await bench.timed.pass(Self.hour)
        #expect(try await bench.state("o") == "draft")
        try await bench.reset("o", to: 2, timers: .due)
        try await bench.timed.settle()
        #expect(try await bench.history("o", from: 4) == ["reset reset", "timer after.1h.review"])
        #expect(try await bench.timed.context("trail", of: "o") == ["left"])
        try await bench.expectSound("o")
    }

    @Test func aSuspendedInstanceStaysSuspended() async throws {
        let bench = try await Self.bench()
        try await bench.timed.send("submit", to: "o")
        try await bench.repair("o", .suspend)
        #expect(try await bench.reset("o", to: 1).status == .suspended)
        #expect(try await bench.timed.store.timers(after: nil, limit: 10).isEmpty)
        try await bench.expectSound("o")
        #expect(try await bench.repair("o", .resume).status == .running)
        // An instance that was suspended then is suspended again.
        #expect(try await bench.reset("o", to: 3).status == .suspended)
        try await bench.repair("o", .resume)
        #expect(try await bench.timed.store.timers(after: nil, limit: 10).count == 1)
        try await bench.expectSound("o")
    }

    @Test func whatItHadFailedOnComesBack() async throws {
        let bench = try await TaskBench(
            """
            id: f
            initial: a
            context: {by: 0, n: 0}
            states:
              a: {on: {poke: {actions: {send: count}}, count: {actions: {assign: {n: 1 / context.by}}}}}
            """)
        try await bench.timed.start("f", "f")
        try await bench.timed.send("poke", to: "f")
        let failure = try await bench.timed.engine.instance(named: "f").failure
        #expect(failure?.reason.event == "count")
        try await bench.repair("f", .skip)
        #expect(try await bench.reset("f", to: 3).status == .failed)
        let again = try await bench.timed.engine.instance(named: "f").failure
        #expect(again?.reason == failure?.reason && again?.seq.rawValue == 5)
        try await bench.expectSound("f")
        try await bench.timed.restart()
        try await bench.set("f", ["by": 1])
        #expect(try await bench.repair("f", .retry).status == .running)
        #expect(try await bench.timed.context("n", of: "f") == 1)
        // The reset goes to before it failed: the event that it sent to itself comes again, and fails again.
        try await bench.reset("f", to: 2)
        #expect(try await bench.history("f", from: 8) == ["reset reset", "failed count"])
        try await bench.expectSound("f")
    }

    // MARK: What is wrong

    @Test func badSeqsAreTold() async throws {
        let bench = try await Self.bench()
        for seq in [-1, 0, 2] as [Int64] {
            #expect(
                await bench.toldOfReset("o", to: seq)
                    == "seqNotFound: Instance 'o' has no seq \(seq) (latest is 1)")
        }
        #expect(await bench.toldOfReset("none", to: 1) == "instanceNotFound: There is no instance 'none'")
        #expect(
            await bench.toldOfReset("o", to: 1, seq: 7)
                == "preconditionFailed: o, in state 'draft' (seq 1), is not at seq 7")
        #expect(
            await bench.toldOfReset("o", to: nil)
                == "notUndoable: The last that happened to 'o' is 'init' (seq 1, started), and no migration: only that "
                + "can be undone")
        #expect(try await bench.timed.record("o").seq.rawValue == 1)
    }

    /// A person who wants to undo an event is told how to go back before it.
    @Test func anUndoOfAnEventTellsTheWayOn() async throws {
        let bench = try await Self.bench()
        try await bench.timed.send("submit", to: "o")
        #expect(
            await bench.toldOfReset("o", to: nil)
                == "notUndoable: The last that happened to 'o' is 'submit' (seq 2, event), and no migration: only that "
                + "can be undone; 'wfctl reset o --to 1' goes back before it")
        try await bench.reset("o", to: 1)
        #expect(try await bench.timed.record("o").state.configuration == "draft")
    }

    @Test func aDryRunChangesNothingAndAKeyIsUsedOnce() async throws {
        let bench = try await Self.bench()
        try await bench.timed.send("submit", to: "o")
        let before = try await bench.timed.record("o")
        let trial = try await bench.reset("o", to: 1, isDryRun: true, key: "k")
        #expect(trial.isDryRun && trial.to == ["draft"] && trial.reset?.timers.map(\.event) == ["after.3d.draft"])
        #expect(try await bench.timed.record("o") == before)
        let first = try await bench.reset("o", to: 1, key: "k")
        try await bench.timed.restart(after: 60_000)
        let last = try await bench.timed.record("o")
        let again = try await bench.reset("o", to: 1, key: "k")
        #expect(again.isRepeated && again.seq == first.seq && again.from == first.from && again.to == first.to)
        #expect(again.reset == first.reset && again.context == first.context)
        #expect(await bench.toldOfReset("o", to: 2, key: "k").hasPrefix("keyReused: "))
        #expect(try await bench.timed.record("o") == last)
        try await bench.expectSound("o")
    }

    /// The restored state is the same on every way to a seq.
    @Test func everySeqOfALongHistoryCanBeHadAgain() async throws {
        let bench = try await Self.bench()
        for number in 1...300 { try await bench.timed.send(number % 7 == 0 ? "submit" : "add", to: "o", ifTaken: true) }
        let last = try await bench.timed.record("o").seq.rawValue
        for seq in stride(from: last - 1, to: 1, by: -29) {
            let then = try #require(try await bench.engine.instance(named: "o", after: Seq(rawValue: seq)))
            try await bench.reset("o", to: seq)
            let now = try await bench.timed.record("o")
            #expect(now.state.configuration == then.record.state.configuration, "seq \(seq)")
            #expect(now.state.context == then.record.state.context && now.status == then.record.status)
        }
        try await bench.expectSound("o")
    }
}

extension TimedEngine {
    /// Sends an event, whether it is accepted or not.
    fileprivate func send(_ event: String, to name: String, ifTaken: Bool) async throws {
        do throws(Rejection) {
            try await send(event, to: name)
        } catch {
            try #require(error.code == .notAccepted)
        }
    }
}
