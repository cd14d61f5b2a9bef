import JSON
import Logging
import Statechart
import Synchronization
import Testing
import WorkflowEngine
import WorkflowStore

/// Who used much evaluation lately stands behind who did not.
@Suite struct FairOrderTests {
    /// `burn` uses up the whole budget and is refused; `warm` uses a part of it and is taken.
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

    /// 64 clients that burn the budget, and one that does not: with one burning macrostep between any two plain sends
    /// at most, there are at least as many answers of the one as of all the others together, or nearly so.
    @Test(.timeLimit(.minutes(5))) func aPlainSendWaitsForOneBurningStep() async throws {
        let folder = try StoreFolder(isInMemory: true)
        let running = try await RunningEngine(store: folder.open())
        _ = try await running.engine.apply(Self.burner, syntax: .yaml)
        let names = (0..<16).map { "hot-\($0)" }
        for name in names + ["cold"] {
            _ = try await running.engine.start(StartCommand(machine: "burner", instance: name))
        }
        let load = Load()
        var most = 0
        try await withThrowingTaskGroup(of: Void.self) { group in
            for name in names {
                group.addTask {
                    while !load.isOver.withLock({ $0 }) {
                        let refused = await Self.kind { () async throws(Rejection) in
                            try await Self.send("burn", to: name, running)
                        }
                        if refused != "refused" { Issue.record("it was not refused, but \(refused)") }
                        load.burnt.withLock { $0 += 1 }
                    }
                }
            }
            // Each has burnt once: from now on it is known.
            try await eventually("all have burnt") { load.burnt.withLock { $0 } > 2 * names.count }
            for _ in 0..<20 {
                let before = load.burnt.withLock { $0 }
                try await Self.send("plain", to: "cold", running)
                most = max(most, load.burnt.withLock { $0 } - before)
            }
            load.isOver.withLock { $0 = true }
            try await group.waitForAll()
        }
        // One that is under way, one whose answer was on its way when the send began.
        #expect(most <= 3, "a plain send waited for \(most) of \(names.count) that burnt")
        try await running.stop()
    }

    /// However much plain work there is, what burns is done.
    @Test(.timeLimit(.minutes(5))) func whatBurnsIsNotKeptFromItsTurn() async throws {
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

    /// Events of one instance keep their order, also those together with others, whatever it used before.
    @Test(.timeLimit(.minutes(5))) func eachInstanceKeepsItsOrder() async throws {
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

    /// What clients under way share.
    private final class Load: Sendable {
        let burnt = Mutex(0)
        let isOver = Mutex(false)
    }

    @discardableResult
    private static func send(
        _ event: String, to name: String, _ running: RunningEngine
    ) async throws(Rejection) -> SentEvent {
        try await running.engine.send(SendCommand(instance: name, event: Event(name: event)))
    }

    private static func kind(_ body: () async throws(Rejection) -> SentEvent) async -> String {
        do throws(Rejection) {
            _ = try await body()
            return "none"
        } catch {
            return error.kind
        }
    }
}
