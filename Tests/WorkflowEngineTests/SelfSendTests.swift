import IdentityTesting
import NaiveStatechart
import SQLiteStore
import Statechart
import Testing
import WorkflowEngine
import WorkflowJSON
import WorkflowStore

/// Tests events that an instance sends to itself: each has its own row in the same transaction. Nobody can be told that
/// one failed, so the instance keeps the failure.
@Suite struct SelfSendTests {
    private static let worker = """
        id: worker
        initial: idle
        context: {done: 0, divisor: 0}
        states:
          idle:
            on:
              work: {target: busy, actions: [{send: step}, {send: {event: report, data: {n: context.done}}}]}
              divide: {actions: [{send: {event: bad}}, {send: step}]}
              bad: {actions: {assign: {done: 10 / context.divisor}}}
              set: {actions: {assign: {divisor: event.data}}}
              step: {actions: {assign: {done: context.done + 1}}}
              run: {actions: {send: run}}
              finish: {target: end, actions: {send: step}}
          busy:
            on:
              step: {actions: {assign: {done: context.done + 1}}}
              report: idle
          end: {type: final, output: {done: context.done}}
        """

    private func running() async throws -> (RunningEngine, StoreFolder) {
        let folder = try StoreFolder()
        let running = try await RunningEngine(store: folder.open())
        _ = try await running.engine.apply(Self.worker, syntax: .yaml)
        _ = try await running.engine.start(StartCommand(machine: "worker", instance: "w"))
        return (running, folder)
    }

    private func send(_ event: String, _ data: JSONValue? = nil, dryRun: Bool = false, to running: RunningEngine)
        async throws(Rejection) -> SendResult
    {
        try await running.engine.send(
            SendCommand(instance: "w", event: Event(name: event, data: data), isDryRun: dryRun))
    }

    private func history(_ engine: Engine) async throws -> [JournalRecord] {
        let record = try await engine.instance(named: "w").record
        return try await engine.history(
            HistoryQuery(
                instance: record.id, head: record.head, headSeq: record.seq, seqs: 1...record.seq.rawValue,
                isReversed: false), of: record, by: .test)
    }

    /// Expects that the rows lead to the stored row, by the engine's fold and by the naive interpreter.
    private func expectFolds(_ engine: Engine, _ definition: String = worker) async throws {
        let record = try await engine.instance(named: "w").record
        let machine = try DefinitionReader.read(definition).machine
        var fold = Fold(of: record)
        for row in try await history(engine) { try fold.apply(row, machine: machine, version: 1) }
        #expect(fold.snapshot.map { machine.text(of: $0) } == record.unplacedState)
        #expect(fold.snapshot?.status.rawValue == record.status.rawValue)
        var naive = try NaiveHistory(of: record, machine: machine, version: 1)
        for row in try await history(engine) { #expect(try naive.follow(row) == nil) }
        #expect(try naive.differences(from: record.state) == [])
        #expect(naive.status == record.status.rawValue)
    }

    @Test(.timeLimit(.minutes(20))) func theAnswerTellsOfTheWholeChainAndEachEventHasItsRow() async throws {
        let (running, folder) = try await running()
        defer { withExtendedLifetime(folder) {} }
        let preview = try await send("work", dryRun: true, to: running)
        let answer = try await send("work", to: running)
        for answer in [preview, answer] {
            #expect(answer.fromSeq.rawValue == 1 && answer.seq.rawValue == 4)
            #expect(answer.from == ["idle"] && answer.to == ["idle"])
            #expect(answer.exited == ["idle", "busy"] && answer.entered == ["busy", "idle"])
            #expect(answer.context["done"] == 1)
        }
        let rows = try await history(running.engine)
        #expect(rows.map(\.kind) == [.started, .event, .sent, .sent])
        #expect(rows.map(\.event) == ["init", "work", "step", "report"])
        #expect(rows.last?.data == #"{"n":0}"#)
        try await expectFolds(running.engine)
        try await running.stop()
    }

    @Test(.timeLimit(.minutes(20))) func anEventThatNobodyIsToldOfFailsTheInstanceUntilItIsRetried() async throws {
        let (running, folder) = try await running()
        let answer = try await send("divide", to: running)
        #expect(answer.status == .failed && answer.seq.rawValue == 3)
        let view = try await running.engine.instance(named: "w")
        #expect(view.record.status == .failed && view.failure?.reason.event == "bad")
        let refused = try await rejection { try await send("step", to: running) }
        #expect(refused == "failed")
        #expect(try await running.engine.repair(RepairCommand(instance: "w", .retry)).status == .failed)
        #expect(try await history(running.engine).map(\.kind) == [.started, .event, .failed, .failed])
        try await expectFolds(running.engine)
        try await running.stop()

        // The event that waits is in the file: another daemon goes on with it, here with a definition that no longer
        // fails.
        let again = try await RunningEngine(store: folder.open())
        #expect(try await again.engine.instance(named: "w").record.status == .failed)
        try await again.stop()
    }

    @Test(.timeLimit(.minutes(20))) func aRetryAppliesTheEventAndThenWhatWaitedBehindIt() async throws {
        let folder = try StoreFolder()
        let clock = HandClock()
        let store = try SQLiteFileStore.open(at: folder.path + "/wfd.db", clock: clock.now())
        let running = try await RunningEngine(store: store, clock: clock)
        // The definition fails at the time of the start, and not afterwards.
        let definition = """
            id: worker
            initial: idle
            context: {seen: []}
            states:
              idle:
                on:
                  go: {actions: [{send: {event: bad, data: {n: 1}}}, {send: behind}]}
                  bad: {actions: {assign: {seen: "context.seen + [event.at > instance.startedAt ? event.data.n : 1 / 0]"}}}
                  behind: {actions: {assign: {seen: "context.seen + ['behind']"}}}
            """
        _ = try await running.engine.apply(definition, syntax: .yaml)
        _ = try await running.engine.start(StartCommand(machine: "worker", instance: "w"))
        #expect(try await retryRejection(running) == "notFailed")
        let failed = try await send("go", to: running)
        #expect(failed.status == .failed)
        clock.advance(5)
        let answer = try await running.engine.repair(RepairCommand(instance: "w", .retry))
        #expect(answer.event == "bad" && answer.status == .running)
        #expect(answer.fromSeq.rawValue == 3 && answer.seq.rawValue == 5)
        #expect(answer.context["seen"] == [1, "behind"])
        #expect(try await history(running.engine).map(\.kind) == [.started, .event, .failed, .retried, .sent])
        try await expectFolds(running.engine, definition)
        try await running.stop()
    }

    private static let counter = """
        id: counter
        initial: counting
        context: {left: 0}
        states:
          counting:
            on:
              count: {actions: [{assign: {left: event.data}}, {send: next}]}
              next: [{guard: context.left > 0, actions: [{assign: {left: context.left - 1}}, {send: next}]}, done]
              look: {}
              stop: done
          done: {type: final}
        """

    /// Waits until the instance is done.
    private func expectDone(_ engine: Engine) async throws -> Int64 {
        let id = try await engine.instance(named: "w").record.id
        let changes = try #require(engine.feed.changes(of: id))
        var news = changes.makeAsyncIterator()
        while try await engine.instance(named: "w").record.status == .running { await news.next() }
        return try await engine.instance(named: "w").record.seq.rawValue
    }

    @Test(.timeLimit(.minutes(20))) func aLongChainGoesOnInLaterBatchesAndAfterARestart() async throws {
        let folder = try StoreFolder()
        var running = try await RunningEngine(store: folder.open())
        _ = try await running.engine.apply(Self.counter, syntax: .yaml)
        _ = try await running.engine.start(StartCommand(machine: "counter", instance: "w"))
        let answer = try await send("count", 1_000, to: running)
        #expect(answer.seq.rawValue == 102 && answer.status == .running)
        try await running.stop()
        running = try await RunningEngine(store: folder.open())
        // init, count, and 1,001 times next
        #expect(try await expectDone(running.engine) == 1_003)
        try await running.stop()
    }

    @Test(.timeLimit(.minutes(20))) func aChainWithoutEndCanBeStopped() async throws {
        let folder = try StoreFolder()
        let clock = HandClock()
        let store = try SQLiteFileStore.open(at: folder.path + "/wfd.db", clock: clock.now())
        var limits = EngineLimits()
        limits.brake = nil
        let running = try await RunningEngine(store: store, limits: limits, clock: clock)
        _ = try await running.engine.apply(Self.counter, syntax: .yaml)
        _ = try await running.engine.start(StartCommand(machine: "counter", instance: "w"))
        _ = try await send("count", 9_000_000_000_000, to: running)
        _ = try await send("stop", dryRun: true, to: running)
        clock.advance(1_000)
        _ = try await send("look", to: running)
        let answer = try await send("stop", to: running)
        #expect(answer.status == .done)
        // The event that waited behind an event from outside does not turn the time back.
        let rows = try await history(running.engine)
        #expect(rows.map(\.at) == rows.map(\.at).sorted())
        #expect(try await running.engine.instance(named: "w").record.state.armed == "[]")
        try await running.stop()
    }

    @Test(.timeLimit(.minutes(20))) func aFinishedInstanceHasItsOutputAndNothingThatWaits() async throws {
        let (running, folder) = try await running()
        defer { withExtendedLifetime(folder) {} }
        let answer = try await send("finish", to: running)
        #expect(answer.status == .done && answer.output == ["done": 0] && answer.seq.rawValue == 2)
        let record = try await running.engine.instance(named: "w").record
        #expect(record.state.output == #"{"done":0}"# && record.state.armed == "[]")
        try await expectFolds(running.engine)
        try await running.stop()
    }

    private func retryRejection(_ running: RunningEngine) async throws -> String {
        try await rejection { try await running.engine.repair(RepairCommand(instance: "w", .retry)) }
    }

    private func rejection(_ body: () async throws -> SendResult) async throws -> String {
        do {
            _ = try await body()
            return "none"
        } catch let rejection as Rejection {
            return rejection.kind
        }
    }
}
