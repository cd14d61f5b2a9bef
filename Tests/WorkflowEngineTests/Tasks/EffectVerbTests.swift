import IdentityTesting
import Statechart
import Testing
import WorkflowEngine
import WorkflowJSON
import WorkflowStore

/// Tests a person's decisions about effects: retry, skip and cancel.
@Suite(.timeLimit(.minutes(20))) struct EffectVerbTests {
    /// A machine in which the error of `two` fails the instance, and a timer is due later.
    private static let job = """
        id: job
        initial: a
        context: {got: null}
        states:
          a:
            invoke: {id: two, task: y, retry: {attempts: 2, first: 10s, jitter: 0}, timeout: 1h}
            after: {2h: late}
            on: {done.invoke.two: {target: b, actions: {assign: {got: event.data}}}, stop: late}
          b: {on: {stop: late}}
          late: {type: final}
        """

    private static func command(
        _ verb: EffectVerbCommand.Verb, _ effect: String = "two", of name: String = "j", seq: Int64? = nil,
        reason: String? = nil, isDryRun: Bool = false, key: String? = nil
    ) -> EffectVerbCommand {
        EffectVerbCommand(
            instance: InstanceName(rawValue: name), effect: effect, expectedSeq: seq.map(Seq.init), verb: verb,
            reason: reason, isDryRun: isDryRun, key: key.flatMap(RequestKey.init(text:)),
            by: Caller("ana", namespace: .default))
    }

    private static func rejection(_ bench: TaskBench, _ command: EffectVerbCommand) async -> String {
        let engine = bench.engine
        return await bench.timed.rejection { () throws(Rejection) in _ = try await engine.effect(command) }
    }

    /// Returns an instance that has failed on the error of `two`.
    private static func failed() async throws -> (TaskBench, LeasedTask) {
        let bench = try await TaskBench(job)
        try await bench.timed.start("job", "j")
        let task = try await bench.task("y")
        try await bench.fail(task, canRetry: false)
        #expect(try await bench.timed.record("j").status == .failed)
        return (bench, task)
    }

    /// Verifies and replays the instance, backtests it with the same definition, and folds it with the second
    /// implementation.
    private static func expectWhole(_ bench: TaskBench, _ name: String = "j") async throws {
        try await bench.expectWhole()
        let record = try await bench.timed.record(name)
        let machine = try await bench.engine.loadedMachine(record.machineID).machine
        let verdict = try await bench.engine.backtest(record, with: machine, by: .test) { _ in }
        #expect("\(verdict)" == "\(TrialVerdict.same)")
        for seq in 1...record.seq.rawValue {
            _ = try await bench.engine.instance(named: name, after: Seq(rawValue: seq))
        }
    }

    @Test func aRetryReplacesTheErrorThatTheInstanceFailedOn() async throws {
        let (bench, task) = try await Self.failed()
        let verdict = try await bench.engine.effect(Self.command(.retry(newKey: false), reason: "the bank is back"))
        #expect(verdict.seq.rawValue == 3 && verdict.from == ["a"] && verdict.to == ["a"] && !verdict.hasFailed)
        let record = try await bench.timed.record("j")
        #expect(record.status == .running && record.failure == nil)
        let row = try #require(try await bench.timed.rows("j").last)
        #expect(row.kind == .effect && row.event == "retry" && row.actor == "ana")
        #expect(
            row.data == #"{"id":"two","invoke":{"number":1,"seq":1}}"# || row.data?.contains(#""id":"two""#) == true)
        #expect(row.note == #"{"reason":"the bank is back"}"#)
        try await Self.expectWhole(bench)
        // The same key, and two attempts anew, without a timeout.
        let again = try await bench.task("y")
        #expect(again.key == task.key && again.attempt == 2 && again.deadline == nil && task.deadline != nil)
        try await bench.fail(again)
        #expect(try await bench.timed.record("j").status == .running)
        try await bench.timed.restart(after: 10_000)
        try await bench.report(.completed("r"), try await bench.task("y"))
        #expect(try await bench.state("j") == "b")
        try await Self.expectWhole(bench)
    }

    /// A dry run tells the states and the status that the verb leads to, writes nothing, and uses no key.
    @Test func aDryRunTellsTheOutcomeAndChangesNothing() async throws {
        let (bench, _) = try await Self.failed()
        let rows = try await bench.timed.rows("j")
        for (verb, to, status) in [
            (EffectVerbCommand.Verb.retry(newKey: false), "a", InstanceStatus.running),
            (.skip(result: ["receipt": "r-7"]), "b", .running), (.cancel, "a", .failed),
        ] {
            let verdict = try await bench.engine.effect(Self.command(verb, isDryRun: true, key: "once"))
            #expect(verdict.from == ["a"] && verdict.to == [to] && verdict.seq.rawValue == 3, "\(verb)")
            #expect(verdict.status == status && verdict.hasFailed == (status == .failed), "\(verb)")
        }
        #expect(try await bench.timed.rows("j") == rows)
        #expect(try await bench.timed.record("j").status == .failed)
        let refused = await Self.rejection(bench, Self.command(.cancel, "none", isDryRun: true))
        #expect(refused == "effectNotFound")
        // The key is free, and the verb does what the dry run told.
        let done = try await bench.engine.effect(Self.command(.skip(result: ["receipt": "r-7"]), key: "once"))
        #expect(done.to == ["b"] && done.status == .running && !done.isRepeated)
        try await Self.expectWhole(bench)
    }

    @Test func anotherKeyIsMadeOnlyWhenAskedFor() async throws {
        let (bench, task) = try await Self.failed()
        _ = try await bench.engine.effect(Self.command(.retry(newKey: true)))
        let again = try await bench.task("y")
        #expect(again.key != task.key && again.traceparent != task.traceparent)
        #expect(again.traceparent.split(separator: "-")[1] == task.traceparent.split(separator: "-")[1])
        try await Self.expectWhole(bench)
    }

    /// The timer is due by then, and comes after the consequences of the result.
    @Test func aSkipGivesTheResultInThePlaceOfTheError() async throws {
        let (bench, _) = try await Self.failed()
        try await bench.timed.pass(3 * 3_600_000)
        let verdict = try await bench.engine.effect(Self.command(.skip(result: ["receipt": "r-7"])))
        #expect(verdict.from == ["a"] && verdict.to == ["b"] && !verdict.hasFailed)
        #expect(try await bench.timed.context("got", of: "j") == ["receipt": "r-7"])
        let rows = try await bench.timed.rows("j").suffix(2)
        #expect(rows.map(\.kind) == [.effect, .result] && rows.map(\.event) == ["skip", "done.invoke.two"])
        #expect(try await bench.effects().isEmpty)
        try await Self.expectWhole(bench)
        try await bench.timed.expectEnd("j")
    }

    @Test func aCancelIsAnErrorThatTheMachineMayTake() async throws {
        let bench = try await TaskBench()
        try await bench.timed.start("order", "o")
        let task = try await bench.task("charge")
        _ = try await bench.engine.effect(Self.command(.cancel, "paying", of: "o", reason: "a fraud"))
        #expect(try await bench.state("o") == "rejected")
        #expect(
            try await bench.timed.context("why", of: "o")
                == ["attempts": 1, "message": "a fraud", "type": "cancelled"])
        #expect(await bench.rejection(of: .completed(1), task) == "leaseLost")
        try await Self.expectWhole(bench, "o")
    }

    /// No transition takes the error: the instance fails on it, and the decision can be replaced.
    @Test func aCancelMayFailTheInstance() async throws {
        let (bench, _) = try await Self.failed()
        let verdict = try await bench.engine.effect(Self.command(.cancel))
        #expect(verdict.hasFailed)
        #expect(try await bench.effects().map(\.state) == [.failed])
        try await Self.expectWhole(bench)
        _ = try await bench.engine.effect(Self.command(.skip(result: 1)))
        #expect(try await bench.state("j") == "b")
        try await Self.expectWhole(bench)
    }

    @Test func aRetryMakesAWaitingAttemptDueAndCountsAnew() async throws {
        let bench = try await TaskBench()
        try await bench.timed.start("order", "o")
        for _ in 1...2 {
            try await bench.fail(try await bench.task("charge"))
            #expect(try await bench.lease("charge").isEmpty)
            _ = try await bench.engine.effect(Self.command(.retry(newKey: false), "paying", of: "o"))
        }
        // Three more, and the pauses begin anew.
        for pause in [10_000, 20_000] {
            try await bench.fail(try await bench.task("charge"))
            try await bench.timed.pass(Int64(pause) - 1)
            #expect(try await bench.lease("charge").isEmpty)
            try await bench.timed.pass(1)
        }
        try await bench.fail(try await bench.task("charge"))
        #expect(try await bench.state("o") == "rejected")
        try await Self.expectWhole(bench, "o")
    }

    @Test func whatIsNotMeantIsRefused() async throws {
        let bench = try await TaskBench()
        try await bench.timed.start("order", "o")
        let retry = EffectVerbCommand.Verb.retry(newKey: false)
        let unknown = Self.command(retry, "payin", of: "o")
        do throws(Rejection) {
            _ = try await bench.engine.effect(unknown)
            Issue.record("there is no such effect")
        } catch {
            #expect(error.message == "'o' waits for no effect 'payin'; it waits for 'paying'")
            guard case .effect("payin", _, ["paying"])? = error.subject else {
                Issue.record("it does not say which there are")
                return
            }
        }
        for name in ["call.1.1", "call.9.1", "call.1.99999999", "call.x.1", ""] {
            #expect(await Self.rejection(bench, Self.command(retry, name, of: "o")) == "effectNotFound")
        }
        #expect(await Self.rejection(bench, Self.command(retry, "paying", of: "none")) == "instanceNotFound")
        #expect(await Self.rejection(bench, Self.command(retry, "paying", of: "o", seq: 2)) == "preconditionFailed")
        _ = try await bench.engine.effect(Self.command(retry, "paying", of: "o", seq: 1))
        _ = try await bench.task("charge")
        #expect(await Self.rejection(bench, Self.command(retry, "paying", of: "o")) == "effectNotWaiting")
        #expect(try await bench.timed.record("o").seq.rawValue == 2)
    }

    @Test func theSameKeyIsTheSameWord() async throws {
        let (bench, _) = try await Self.failed()
        let skip = Self.command(.skip(result: [1]), key: "k-1")
        let first = try await bench.engine.effect(skip)
        let second = try await bench.engine.effect(skip)
        #expect(!first.isRepeated && second.isRepeated)
        #expect(second.seq == first.seq && second.from == first.from && second.to == first.to && !second.hasFailed)
        for other in [
            Self.command(.skip(result: [2]), key: "k-1"), Self.command(.cancel, key: "k-1"),
            Self.command(.skip(result: [1]), "one", key: "k-1"),
        ] {
            #expect(await Self.rejection(bench, other) == "keyReused")
        }
        #expect(
            await bench.timed.rejection { () throws(Rejection) in
                try await bench.timed.send("stop", to: "j", key: "k-1")
            } == "keyReused")
        try await Self.expectWhole(bench)
    }

    /// The instance has failed on something else, and stays failed.
    @Test func aWordOnAnotherEffectLeavesTheInstanceFailed() async throws {
        let bench = try await TaskBench()
        try await bench.timed.start("strict", "s")
        try await bench.timed.send("bad", to: "s")
        let failure = try await bench.timed.record("s").failure
        #expect(failure != nil)
        _ = try await bench.engine.effect(Self.command(.retry(newKey: false), "one", of: "s"))
        let record = try await bench.timed.record("s")
        #expect(record.status == .failed && record.failure == failure)
        #expect(try await bench.engine.instance(named: "s").failure?.seq.rawValue == 3)
        _ = try await bench.engine.effect(Self.command(.skip(result: 7), "one", of: "s"))
        #expect(try await bench.effects().map(\.state) == [.answered, .ready])
        #expect(await Self.rejection(bench, Self.command(.cancel, "one", of: "s")) == "effectNotWaiting")
        try await bench.expectWhole()
        try await bench.timed.restart()
        #expect(try await bench.timed.record("s").failure == failure)
    }
}

extension TimedEngine {
    /// Expects that an instance waits for nothing but the end of its machine.
    fileprivate func expectEnd(_ name: String) async throws {
        _ = try await send("stop", to: name)
        #expect(try await record(name).status == .done)
    }
}
