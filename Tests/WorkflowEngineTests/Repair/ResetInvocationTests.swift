import IdentityTesting
import Statechart
import StoreTesting
import Testing
import WorkflowEngine
import WorkflowJSON
import WorkflowStore

/// Tests the effect of a reset on work outside: no deed is undone, and none is done twice unless the request says so.
@Suite(.timeLimit(.minutes(20))) struct ResetInvocationTests {
    private static func paying() async throws -> TaskBench {
        let bench = try await TaskBench()
        try await bench.timed.start("order", "o")
        return bench
    }

    @Test func whatLivesInBothGoesOn() async throws {
        let bench = try await TaskBench(
            """
            id: two
            initial: a
            context: {n: 0}
            states:
              a:
                invoke: {id: i, task: one, timeout: 10m}
                initial: x
                states: {x: {invoke: {id: j, task: two}, on: {go: y}}, y: {invoke: {id: k, task: three}}}
                on: {add: {actions: {assign: {n: context.n + 1}}}, done.invoke.i: b}
              b: {}
            """)
        try await bench.timed.start("two", "o")
        try await bench.timed.send("add", to: "o")
        let task = try await bench.task("one", seconds: 600)
        let effect = try await bench.effects().first { $0.name == "i" }
        try await bench.timed.pass(60_000)
        try await bench.timed.send("go", to: "o")
        #expect(
            await bench.toldOfReset("o", to: 1)
                == "invocationsUndecided: o, in state 'a.y' (seq 3), does not wait any more for what it waited for "
                + "after seq 1: 'j' (no result came); say with '--invocations' whether these begin again, or have the "
                + "answer that came")
        #expect(
            await bench.toldOfReset("o", to: 1, invocations: .answer)
                == "invocationsUndecided: o, in state 'a.y' (seq 3), does not wait any more for what it waited for "
                + "after seq 1: 'j' (no result came); what has no result can only begin again")
        let answer = try await bench.reset("o", to: 1, invocations: .again)
        #expect(
            answer.reset?.invocations.map { "\($0.id) \($0.fate)" } == ["k cancelled", "i stays", "j again"])
        let effects = try await bench.effects()
        #expect(effects.map(\.name) == ["i", "j"] && effects[0] == effect)
        #expect(effects[1].seq.rawValue == 4 && effects[1].number == 1 && effects[1].state == .ready)
        // The timeout of the kept invocation is kept with it: it has run since the invocation began.
        #expect(answer.reset?.timers.map(\.due.milliseconds) == [bench.timed.clock.now().rawValue + 540_000])
        try await bench.expectSound("o")
        try await bench.timed.restart()
        try await bench.report(.completed(1), task)
        #expect(try await bench.state("o") == "b")
        #expect(try await bench.timed.context("n", of: "o") == 0)
        try await bench.expectSound("o")
    }

    @Test func againBeginsAnewWithAnotherKeyAndItsWholeTimeout() async throws {
        let bench = try await Self.paying()
        let first = try #require(try await bench.effects().first)
        try await bench.report(.completed(["id": 7]), try await bench.task("charge"))
        #expect(try await bench.state("o") == "packing")
        try await bench.timed.pass(3_600_000)
        let answer = try await bench.reset("o", to: 1, invocations: .again)
        #expect(
            answer.reset?.invocations.map { "\($0.id) \($0.fate)" }
                == ["pack cancelled", "label cancelled", "paying again"])
        let again = try #require(try await bench.effects().first)
        let due = bench.timed.clock.now().rawValue + 600_000
        #expect(again.seq.rawValue == 3 && again.request.contains(#""deadline":\#(due),"#))
        #expect(again.request != first.request && again.queue == first.queue && again.attempts == 0)
        #expect(answer.reset?.timers.map(\.due.milliseconds) == [due])
        try await bench.expectSound("o")
        // The service acts twice, and its result is taken once.
        try await bench.report(.completed(["id": 8]), try await bench.task("charge"))
        #expect(try await bench.timed.context("receipt", of: "o") == ["id": 8])
        try await bench.expectSound("o")
    }

    @Test func answerGivesTheResultThatCame() async throws {
        let bench = try await Self.paying()
        try await bench.report(.completed(["id": 7]), try await bench.task("charge"))
        let before = try await bench.timed.record("o")
        let trial = try await bench.reset("o", to: 1, invocations: .answer, isDryRun: true)
        #expect(trial.reset?.invocations.last.map { "\($0.id) \($0.fate)" } == "paying answered")
        #expect(try await bench.timed.record("o") == before)
        try await bench.reset("o", to: 1, invocations: .answer, key: "k")
        #expect(try await bench.history("o", from: 3) == ["reset reset", "result done.invoke.paying"])
        #expect(try await bench.state("o") == "packing")
        #expect(try await bench.timed.context("receipt", of: "o") == ["id": 7])
        #expect(try await bench.effects().map(\.name) == ["pack", "label"])
        #expect(try await bench.effects().allSatisfy { $0.seq.rawValue == 4 })
        try await bench.expectSound("o")
        #expect(try await bench.reset("o", to: 1, invocations: .answer, key: "k").isRepeated)
    }

    /// A timeout is an answer too, and the answer to a suspended instance waits.
    @Test func anAnswerWaitsWhileTheInstanceIsSuspended() async throws {
        let bench = try await Self.paying()
        try await bench.timed.pass(600_000)
        #expect(try await bench.state("o") == "rejected")
        try await bench.repair("o", .suspend)
        try await bench.reset("o", to: 1, invocations: .answer)
        #expect(try await bench.effects().map(\.state) == [.answered])
        try await bench.expectSound("o")
        try await bench.timed.restart(after: 3_600_000)
        try await bench.repair("o", .resume)
        #expect(
            try await bench.history("o", from: 4)
                == ["reset reset", "resumed resume", "result error.invoke.paying"])
        #expect(try await bench.state("o") == "rejected")
        #expect(try await bench.effects().isEmpty)
        try await bench.expectSound("o")
    }

    /// An invocation of the same name that timed out later is a different one.
    @Test func theAnswerOfAnotherOfTheSameNameIsNotTaken() async throws {
        let bench = try await Self.paying()
        try await bench.timed.send("stop", to: "o")
        try await bench.timed.send("again", to: "o")
        try await bench.timed.pass(600_000)
        #expect(try await bench.history("o", from: 4) == ["timer error.invoke.paying"])
        #expect(await bench.toldOfReset("o", to: 1, invocations: .answer).contains("'paying' (no result came)"))
        try await bench.reset("o", to: 3, invocations: .answer)
        #expect(try await bench.history("o", from: 5) == ["reset reset", "result error.invoke.paying"])
        try await bench.expectSound("o")
    }

    /// The invocation that the instance failed on has ended: its result comes again, and the instance fails on it
    /// again.
    @Test func whatItFailedOnIsAnAnswer() async throws {
        let bench = try await TaskBench()
        try await bench.timed.start("strict", "o")
        try await bench.fail(try await bench.task("y"), canRetry: false)
        #expect(try await bench.timed.record("o").status == .failed)
        #expect(await bench.toldOfReset("o", to: 1).hasPrefix("invocationsUndecided: "))
        try await bench.reset("o", to: 1, invocations: .answer)
        #expect(try await bench.history("o", from: 3) == ["reset reset", "failed error.invoke.two"])
        try await bench.expectSound("o")
        // It had failed then, and has now: it waits as it did, with its effect.
        try await bench.set("o", ["n": 5])
        #expect(try await bench.reset("o", to: 4).status == .failed)
        #expect(try await bench.timed.context("n", of: "o") == 0)
        #expect(try await bench.effects().map(\.state) == [.ready, .failed])
        try await bench.expectSound("o")
        #expect(try await bench.repair("o", .skip).status == .running)
        // The effect that it had failed on is gone now: it can only begin again, and then nothing has failed.
        try await bench.reset("o", to: 4, invocations: .again)
        #expect(try await bench.timed.record("o").status == .running)
        try await bench.expectSound("o")
    }

    /// A result that waits for a failed instance comes when the instance continues.
    @Test func aResultThatWaitsComesBehindTheRow() async throws {
        let bench = try await TaskBench()
        try await bench.timed.start("strict", "o")
        try await bench.timed.send("bad", to: "o")
        try await bench.report(.completed(1), try await bench.task("x"))
        #expect(try await bench.timed.record("o").status == .failed)
        try await bench.reset("o", to: 1)
        #expect(try await bench.history("o", from: 4) == ["reset reset", "result done.invoke.one"])
        #expect(try await bench.timed.context("n", of: "o") == 1)
        try await bench.expectSound("o")
    }
}
