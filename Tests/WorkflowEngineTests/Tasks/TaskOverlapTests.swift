import IdentityTesting
import Statechart
import StoreTesting
import Synchronization
import Testing
import WorkflowEngine
import WorkflowJSON
import WorkflowStore

/// Tests tasks in batches that are applied while others are committed, and in batches that are not written.
@Suite(.timeLimit(.minutes(20))) struct TaskOverlapTests {
    private static let machine = """
        id: job
        initial: a
        states: {a: {invoke: {task: q}, on: {stop: b, done.invoke.a: c}}, b: {on: {again: a}}, c: {type: final}}
        """

    private static func engine(on store: FakeStore) async throws -> RunningEngine {
        var limits = EngineLimits()
        limits.batchRows = 4
        limits.batchesTogether = 1
        limits.batchApplying = .seconds(60)
        let running = try await RunningEngine(store: store, limits: limits)
        try await running.engine.apply(machine, syntax: .yaml)
        return running
    }

    private static func lease(_ engine: Engine, _ max: Int = 1) async throws -> [LeasedTask] {
        try await engine.lease(
            LeaseTasksCommand(queue: "q", max: max, milliseconds: 60_000, worker: "w", by: .test), wait: .zero)
    }

    /// Many workers act at once. Each task has one worker, a completed task is gone, and each is done once, whatever
    /// fails.
    @Test(arguments: [0, 2, 5, 9])
    func everyTaskIsDoneOnce(failing: Int) async throws {
        let store = FakeStore()
        let running = try await Self.engine(on: store)
        let count = 60
        for number in 0..<count {
            _ = try await running.engine.start(StartCommand(machine: "job", instance: "j-\(number)"))
        }
        if failing > 0 {
            store.fail { number, _ in number % failing == 1 ? StoreError(.unavailable, "full") : nil }
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<16 {
                group.addTask {
                    while true {
                        do {
                            let tasks = try await Self.lease(running.engine, 3)
                            for task in tasks {
                                let command = EndTaskCommand(task: task.token, report: .completed(1), by: .test)
                                while true {
                                    do {
                                        try await running.engine.report(command)
                                        break
                                    } catch let error as Rejection where error.code == .storageUnavailable {}
                                }
                            }
                            if tasks.isEmpty, store.content.withLock({ $0.effects.isEmpty }) { return }
                        } catch let error as Rejection where error.code == .storageUnavailable {}
                    }
                }
            }
            try await group.waitForAll()
        }
        let journal = store.content.withLock { $0.journal }
        #expect(journal.count { $0.kind == .result } == count)
        #expect(Set(journal.filter { $0.kind == .result }.map(\.instanceID)).count == count)
        try await running.stop()
    }

    /// Exits, entries, leases and completions wait together.
    @Test func whatIsLeftWhileItIsLeasedIsLost() async throws {
        let store = FakeStore()
        let running = try await Self.engine(on: store)
        _ = try await running.engine.start(StartCommand(machine: "job", instance: "j"))
        let task = try #require(try await Self.lease(running.engine).first)
        async let told = running.engine.send(
            ["stop", "again", "stop", "again"].map { SendCommand(instance: "j", event: Event(name: $0)) })
        let report = EndTaskCommand(task: task.token, report: .completed(1), by: .test)
        // The report comes before the first of the events, or is refused.
        do throws(Rejection) {
            try await running.engine.report(report)
        } catch {
            #expect(error.code == .leaseLost)
        }
        _ = try await told
        let (effects, journal) = store.content.withLock { ($0.effects, $0.journal) }
        let isDone = journal.contains { $0.kind == .result }
        #expect(effects.count == (isDone ? 0 : 1))
        try await running.stop()
    }
}
