import IdentityTesting
import Logging
import Statechart
import StoreTesting
import Synchronization
import Testing
import ThreadTesting
import WorkflowEngine
import WorkflowJSON
import WorkflowStore

/// Tests that instances that used much evaluation lately come after those that did not.
@Suite(.onePartition("the order of one lane is observed"))
struct FairOrderTests {
    /// A machine with two expensive events. `burn` uses up the whole budget and is refused; `warm` uses a part of it
    /// and is accepted.
    static let burner = """
        id: burner
        initial: on
        context: {n: 0}
        states:
          on:
            on:
              burn: {actions: {assign: {n: "size(lists.range(10000).map(i, lists.range(10000).map(j, j)))"}}}
              warm: {actions: {assign: {n: "size(lists.range(20000).map(i, i + 1))"}}}
              plain: {actions: {assign: {n: context.n + 1}}}
        """

    /// Several clients burn the budget again and again, and one does not. The waits of a plain send are counted where
    /// answers are given, because the waiting tasks may be resumed late.
    @Test(.timeLimit(.minutes(20))) func aPlainSendWaitsForOneBurningStep() async throws {
        let folder = try StoreFolder(isInMemory: true)
        let running = try await RunningEngine(store: folder.open())
        _ = try await running.engine.apply(Self.burner, syntax: .yaml)
        let names = (0..<6).map { "hot-\($0)" }
        for name in names + ["cold"] {
            _ = try await running.engine.start(StartCommand(machine: "burner", instance: name))
        }
        let load = Load()
        for name in names { Self.burn(name, running.engine, load) }
        // Each instance has burnt, and is known from now on as costly.
        try await eventually("all have burnt") { load.burnt.withLock { $0 } > 2 * names.count }
        var most = 0
        for _ in 0..<20 {
            let waited = await withCheckedContinuation { caller in
                let before = load.burnt.withLock { $0 }
                running.engine.begin(SendCommand(instance: "cold", event: Event(name: "plain"))) { outcome in
                    if case .failure(let rejection) = outcome { Issue.record("it was not taken: \(rejection)") }
                    caller.resume(returning: load.burnt.withLock { $0 } - before)
                }
            }
            most = max(most, waited)
        }
        load.isOver.withLock { $0 = true }
        try await eventually("the last has burnt") { load.ended.withLock { $0 } == names.count }
        // The one that was under way; and one more when the send began between its end and its answer.
        #expect(most <= 2, "a plain send waited for \(most) of \(names.count) that burnt")
        try await running.stop()
    }

    /// Sends the next burning event as soon as one is answered, until the load ends.
    private static func burn(_ name: String, _ engine: Engine, _ load: Load) {
        engine.begin(SendCommand(instance: name, event: Event(name: "burn"))) { outcome in
            switch outcome {
            case .failure(let rejection) where rejection.refused != nil: load.burnt.withLock { $0 += 1 }
            default: Issue.record("it was not refused, but \(outcome)")
            }
            if load.isOver.withLock({ $0 }) { load.ended.withLock { $0 += 1 } } else { burn(name, engine, load) }
        }
    }

    /// Many instances burn for the first time, all at once. As soon as one has burnt, others of its machine are
    /// expected to, including those that accepted plain events before.
    @Test(.timeLimit(.minutes(20)), arguments: [false, true])
    func aPlainSendWaitsForOneOfManyThatNobodyKnows(isWarm: Bool) async throws {
        let folder = try StoreFolder(isInMemory: true)
        let running = try await RunningEngine(store: folder.open())
        _ = try await running.engine.apply(Self.burner, syntax: .yaml)
        let names = (0..<16).map { "hot-\($0)" }
        for name in names {
            _ = try await running.engine.start(StartCommand(machine: "burner", instance: name))
            if isWarm { try await Self.send("plain", to: name, running) }
        }
        try await running.start("lamp-1")
        let load = Load()
        load.isOver.withLock { $0 = true }
        for name in names { Self.burn(name, running.engine, load) }
        let waited = await withCheckedContinuation { caller in
            // On a busy machine some instances have burnt before the event is sent.
            let before = load.burnt.withLock { $0 }
            running.engine.begin(SendCommand(instance: "lamp-1", event: Event(name: "flip"))) { outcome in
                if case .failure(let rejection) = outcome { Issue.record("it was not taken: \(rejection)") }
                caller.resume(returning: load.burnt.withLock { $0 } - before)
            }
        }
        // The one that was under way; and one more when the send began between its end and its answer.
        #expect(waited <= 2, "a plain send waited for \(waited) of \(names.count) that burnt")
        try await eventually("the last has burnt") { load.ended.withLock { $0 } == names.count }
        try await running.stop()
    }

    private static let spinner = """
        id: spinner
        initial: a
        context: {n: 0}
        states:
          a:
            after: {0: {target: a, reenter: true, actions: {assign: {n: "size(lists.range(20000).map(i, i + 1))"}}}}
            on: {stop: b}
          b: {}
        """

    /// A command to an instance that never becomes stable waits for as much as one step may use, not for a hundred
    /// steps.
    @Test(.timeLimit(.minutes(20))) func whatComesBeforeACommandIsBoundedInCost() async throws {
        let folder = try StoreFolder(isInMemory: true)
        let running = try await RunningEngine(store: folder.open())
        _ = try await running.engine.apply(Self.spinner, syntax: .yaml)
        _ = try await running.engine.start(StartCommand(machine: "spinner", instance: "s"))
        try await Self.send("stop", to: "s", running)
        let rows = running.engine.statistics.counts.largestBatch
        #expect(rows < 60, "\(rows) rows in one batch")
        try await running.stop()
    }

    /// Burning events are carried out, however much plain work there is.
    @Test(.timeLimit(.minutes(20))) func whatBurnsIsNotKeptFromItsTurn() async throws {
        let folder = try StoreFolder(isInMemory: true)
        let running = try await RunningEngine(store: folder.open())
        _ = try await running.engine.apply(Self.burner, syntax: .yaml)
        for name in ["hot", "cold-0", "cold-1", "cold-2", "cold-3"] {
            _ = try await running.engine.start(StartCommand(machine: "burner", instance: name))
        }
        let load = Load()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for name in 0..<4 {
                group.addTask {
                    while !load.isOver.withLock({ $0 }) { try await Self.send("plain", to: "cold-\(name)", running) }
                }
            }
            for _ in 0..<10 { try await Self.send("warm", to: "hot", running) }
            load.isOver.withLock { $0 = true }
            try await group.waitForAll()
        }
        #expect(try await running.engine.instance(named: "hot").record.seq.rawValue == 11)
        try await running.stop()
    }

    /// Events of one instance keep their order, also together with others, whatever the instance used before.
    @Test(.timeLimit(.minutes(20))) func eachInstanceKeepsItsOrder() async throws {
        let folder = try StoreFolder(isInMemory: true)
        let running = try await RunningEngine(store: folder.open())
        _ = try await running.engine.apply(Self.burner, syntax: .yaml)
        for name in ["hot", "cold"] {
            _ = try await running.engine.start(StartCommand(machine: "burner", instance: name))
        }
        var answers: [PendingSends] = []
        for number in 1...200 {
            let event = number % 10 == 1 ? "warm" : "plain"
            let sends = ["hot", "cold"].map {
                SendCommand(instance: $0, event: Event(name: $0 == "hot" ? event : "plain"))
            }
            answers.append(try running.engine.begin(sends))
        }
        for (offset, pending) in answers.enumerated() {
            for outcome in await pending.outcomes() {
                #expect(try outcome.get().seq.rawValue == Int64(offset + 2))
            }
        }
        try await running.stop()
    }

    /// Events that are discarded and applied again keep their order too.
    @Test(.timeLimit(.minutes(20)), arguments: [StoreError.Code.unavailable, .constraint])
    func eachInstanceKeepsItsOrderWhenCommitsFail(code: StoreError.Code) async throws {
        let store = FakeStore()
        let running = try await RunningEngine(store: store)
        _ = try await running.engine.apply(Self.burner, syntax: .yaml)
        let names = (0..<4).map { "hot-\($0)" } + ["cold"]
        for name in names { _ = try await running.engine.start(StartCommand(machine: "burner", instance: name)) }
        store.fail { number, _ in number % 3 == 0 ? StoreError(code, "made to fail") : nil }
        var answers: [PendingSends] = []
        for number in 1...100 {
            let sends = names.enumerated().map { place, name in
                let isWarm = name != "cold" && (number + place) % 10 == 0
                return SendCommand(instance: name, event: Event(name: isWarm ? "warm" : "plain"))
            }
            answers.append(try running.engine.begin(sends))
        }
        var last: [String: Int64] = [:]
        var failed = 0
        for pending in answers {
            for (name, outcome) in zip(names, await pending.outcomes()) {
                guard case .success(let event) = outcome else {
                    failed += 1
                    continue
                }
                // An event that failed left no row.
                #expect(event.seq.rawValue == (last[name] ?? 1) + 1)
                last[name] = event.seq.rawValue
            }
        }
        #expect(failed > 0 && last.count == names.count)
        store.fail { _, _ in nil }
        try await running.stop()
    }

    /// The state that the clients of a load share.
    private final class Load: Sendable {
        let burnt = Mutex(0)
        let ended = Mutex(0)
        let isOver = Mutex(false)
    }

    @discardableResult
    private static func send(
        _ event: String, to name: String, _ running: RunningEngine
    ) async throws(Rejection) -> SendResult {
        try await running.engine.send(SendCommand(instance: name, event: Event(name: event)))
    }
}
