import IdentityTesting
import Statechart
import StoreTesting
import Testing
import WorkflowEngine
import WorkflowJSON
import WorkflowStore

/// Tests an operator's actions on one instance: each has a row with the person and the reason.
@Suite(.timeLimit(.minutes(20))) struct RepairTests {
    private static let pot = """
        id: pot
        initial: idle
        context: {n: 0, by: 0, trail: []}
        states:
          idle:
            exit: {assign: {trail: "context.trail + ['idle']"}}
            on:
              poke: {actions: [{send: count}, {send: note}]}
              count: {actions: {assign: {n: 1 / context.by}}}
              note: {actions: {assign: {trail: "context.trail + ['note']"}}}
              go: busy
            always: {target: rich, guard: context.n > 1000}
          busy: {after: {2h: idle}, exit: {assign: {n: 1 / context.by}}}
          rich: {}
        """

    private static func bench() async throws -> TaskBench {
        let bench = try await TaskBench(pot)
        try await bench.timed.start("pot", "p")
        return bench
    }

    private static func failed() async throws -> TaskBench {
        let bench = try await bench()
        try await bench.timed.send("poke", to: "p")
        #expect(try await bench.timed.record("p").status == .failed)
        return bench
    }

    // MARK: cancel

    @Test func aCancelIsARowWithItsReason() async throws {
        let bench = try await Self.bench()
        try await bench.timed.send("go", to: "p")
        let answer = try await bench.repair("p", .cancel(runsActions: true), reason: "OPS-1")
        #expect(answer.status == .cancelled && answer.from == ["busy"] && answer.to == ["busy"])
        let row = try #require(try await bench.timed.rows("p").last)
        #expect(row.kind == .cancelled && row.event == "cancel" && row.data == nil && row.actor == Caller.test.actor)
        let exit =
            #"{"event":"cancel","expression":"assign n: 1 / context.by","line":13,"message":"division by zero","#
            + #""state":"busy","type":"expression-failed"}"#
        #expect(row.note == #"{"exit":\#(exit),"reason":"OPS-1"}"#)
        let record = try await bench.timed.record("p")
        #expect(record.status == .cancelled && record.failure == nil && record.state.armed == "[]")
        #expect(try await bench.timed.store.timers(after: nil, limit: 10).isEmpty)
        try await bench.expectSound("p")
        // Nothing follows the cancellation, also after a restart.
        try await bench.timed.restart(after: 3 * 3_600_000)
        #expect(await bench.told("p", .resume).hasPrefix("notSuspended"))
        #expect(
            await bench.told("p", .cancel(runsActions: true))
                == "finished: p, in state 'busy' (seq 3), is cancelled and cannot be changed any more")
        let sent = await bench.timed.rejection { () throws(Rejection) in try await bench.timed.send("go", to: "p") }
        #expect(sent == "finished")
        #expect(try await bench.timed.record("p") == record)
    }

    @Test func aCancelEndsInvocationsAndLetsCallsBegin() async throws {
        let bench = try await TaskBench(
            """
            id: c
            initial: a
            states: {a: {invoke: {id: i, task: one}, exit: [{call: {task: two}}]}}
            """)
        try await bench.timed.start("c", "c")
        let task = try await bench.task("one")
        try await bench.repair("c", .cancel(runsActions: true))
        #expect(await bench.rejection(of: .completed(1), task) == "leaseLost")
        #expect(try await bench.effects().map(\.queue) == ["task:two"])
        try await bench.report(.completed(1), try await bench.task("two"))
        #expect(try await bench.effects().isEmpty)
        try await bench.expectSound("c")
    }

    // MARK: retry, skip

    @Test func aSkipGoesOnBehindWhatIsDropped() async throws {
        let bench = try await Self.failed()
        let answer = try await bench.repair("p", .skip, reason: "by hand")
        #expect(answer.status == .running && answer.fromSeq.rawValue == 3 && answer.seq.rawValue == 5)
        #expect(try await bench.history("p", from: 4) == ["skipped skip", "sent note"])
        let row = try await bench.timed.rows("p")[3]
        #expect(row.data == #"{"event":"count"}"# && row.note == #"{"reason":"by hand"}"#)
        #expect(try await bench.timed.record("p").failure == nil)
        try await bench.expectSound("p")
    }

    @Test func aSetLeavesAnInstanceFailedAndItsRetrySettles() async throws {
        let bench = try await Self.failed()
        let failure = try await bench.timed.record("p").failure
        try await bench.set("p", ["n": 2000])
        let record = try await bench.timed.record("p")
        #expect(record.status == .failed && record.failure == failure && failure != nil)
        try await bench.expectSound("p")
        try await bench.timed.restart()
        #expect(try await bench.timed.engine.instance(named: "p").failure?.reason.event == "count")
        let answer = try await bench.repair("p", .retry, reason: nil)
        #expect(answer.to == ["rich"] && answer.status == .running)
        try await bench.expectSound("p")
    }

    @Test func aRetryThatFailsAgainAfterASetSaysSo() async throws {
        let bench = try await Self.failed()
        try await bench.set("p", ["trail": ["x"]])
        let answer = try await bench.repair("p", .retry, reason: "again", key: "k")
        #expect(answer.status == .failed)
        let row = try #require(try await bench.timed.rows("p").last)
        #expect(row.kind == .failed && row.note?.contains(#""reason":"again""#) == true)
        #expect(try await bench.repair("p", .retry, reason: "again", key: "k").isRepeated)
        try await bench.set("p", ["by": 1])
        #expect(try await bench.repair("p", .retry).status == .running)
        #expect(try await bench.timed.context("trail", of: "p") == ["x", "note"])
        try await bench.expectSound("p")
    }

    // MARK: set

    @Test func aSetOfARunningInstanceSettlesInItsRow() async throws {
        let bench = try await Self.bench()
        let answer = try await bench.set("p", ["n": 2000, "by": 1])
        #expect(answer.from == ["idle"] && answer.to == ["rich"] && answer.context["trail"] == ["idle"])
        let row = try #require(try await bench.timed.rows("p").last)
        #expect(row.kind == .set && row.event == "set" && row.data == #"{"set":{"by":1,"n":2000}}"#)
        try await bench.expectSound("p")
    }

    @Test func whatDoesNotFitIsTold() async throws {
        let bench = try await Self.bench()
        #expect(
            await bench.told("p", .set(ContextChange(set: ["trai": 1], unset: [])))
                == "invalidData: p: The context of 'pot' has no key 'trai'; did you mean 'trail'?")
        let large = JSONValue.string(String(repeating: "x", count: 2 << 20))
        #expect(
            await bench.told("p", .set(ContextChange(set: ["trail": [large]], unset: [])))
                == "invalidData: p: The context would be larger than 1048576 bytes or nested deeper than 120 levels")
        #expect(try await bench.timed.record("p").seq.rawValue == 1)
    }

    // MARK: All of them

    private static let verbs: [RepairCommand.Verb] = [
        .cancel(runsActions: true), .retry, .skip, .set(ContextChange(set: ["n": 1], unset: [])), .suspend, .resume,
    ]

    @Test(arguments: verbs.indices) func aRefusedVerbWritesNothing(number: Int) async throws {
        let verb = Self.verbs[number]
        let bench = try await Self.failed()
        let before = try await bench.timed.record("p")
        let refusal = verb == .suspend ? "failed" : verb == .resume ? "notSuspended" : "preconditionFailed"
        #expect(await bench.told("p", verb, seq: 2).hasPrefix(refusal + ": p, in state 'idle' (seq 3), "))
        #expect(await bench.told("nobody", verb) == "instanceNotFound: There is no instance 'nobody'")
        #expect(try await bench.timed.record("p") == before)
        try await bench.expectSound("p")
    }

    @Test(arguments: verbs.indices) func aDryRunChangesNothing(number: Int) async throws {
        let verb = Self.verbs[number]
        let bench = verb == .suspend ? try await Self.bench() : try await Self.failed()
        if verb == .resume {
            try await bench.repair("p", .skip)
            try await bench.repair("p", .suspend)
        }
        let before = try await bench.timed.record("p")
        let answer = try await bench.repair("p", verb, isDryRun: true, key: "k")
        #expect(answer.isDryRun && answer.seq > before.seq)
        #expect(try await bench.timed.record("p") == before)
        // The key is not used up.
        #expect(try await bench.repair("p", verb, key: "k").isRepeated == false)
        try await bench.expectSound("p")
    }

    /// The first answer is rebuilt from the journal, whatever has happened since.
    @Test(arguments: verbs.indices) func theSameKeyGivesTheFirstAnswer(number: Int) async throws {
        let verb = Self.verbs[number]
        let bench = verb == .suspend ? try await Self.bench() : try await Self.failed()
        if verb == .resume {
            try await bench.repair("p", .skip)
            try await bench.repair("p", .suspend)
        }
        let first = try await bench.repair("p", verb, key: "k")
        if verb != .cancel(runsActions: true) { try await bench.repair("p", .cancel(runsActions: false)) }
        try await bench.timed.restart(after: 60_000)
        let last = try await bench.timed.record("p")
        let again = try await bench.repair("p", verb, key: "k")
        #expect(again.isRepeated && again.seq == first.seq && again.fromSeq == first.fromSeq)
        #expect(again.status == first.status && again.from == first.from && again.to == first.to)
        #expect(again.context == first.context && again.event == first.event)
        #expect(try await bench.timed.record("p") == last)
        // Another request with it is a mistake, and so is another reason.
        let other = Self.verbs[(number + 1) % Self.verbs.count]
        #expect(await bench.told("p", other, key: "k").hasPrefix("keyReused"))
        await #expect(throws: Rejection.self) { try await bench.repair("p", verb, reason: "another", key: "k") }
        let sent = await bench.timed.rejection { () throws(Rejection) in
            try await bench.timed.send("go", to: "p", key: "k")
        }
        #expect(sent == "keyReused")
    }

    @Test func eachVerbIsForItsStatus() async throws {
        let bench = try await Self.bench()
        #expect(await bench.told("p", .retry) == "notFailed: p, in state 'idle' (seq 1), is running and needs no retry")
        #expect(await bench.told("p", .skip) == "notFailed: p, in state 'idle' (seq 1), is running and needs no skip")
        #expect(
            await bench.told("p", .resume) == "notSuspended: p, in state 'idle' (seq 1), is running and not suspended")
        try await bench.repair("p", .suspend)
        #expect(await bench.told("p", .suspend) == "suspended: p, in state 'idle' (seq 2), is suspended already")
        #expect(await bench.told("p", .retry).hasSuffix("is suspended and needs no retry"))
        try await bench.repair("p", .resume)
        try await bench.timed.send("poke", to: "p")
        #expect(
            await bench.told("p", .suspend)
                == "failed: p, in state 'idle' (seq 5), has failed: what comes waits already, until it is retried")
        try await bench.expectSound("p")
    }
}
