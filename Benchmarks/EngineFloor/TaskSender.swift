import Statechart
import WorkflowEngine
import WorkflowJSON
import WorkflowStore

/// Workers of an engine in this process, in one order and with several requests under way: an actor's turn lasts until
/// its requests are in the engine's queue.
actor TaskSender {
    private let engine: Engine
    private let result: JSONValue
    private var place = 0

    init(_ engine: Engine) throws {
        self.engine = engine
        result = try JSONReader.value(from: TaskPlanner.result)
    }

    /// Begins tasks, leases all of them and completes them, one step after another. In each step, as many requests are
    /// under way as there are lists.
    func run(_ lists: [[SendCommand]]) async throws {
        try await OrderedSender(engine).send(lists, atOnce: lists.count)
        try await complete(try await lease(lists.map(\.count)))
    }

    /// Leases tasks, a given number with each request.
    func lease(_ counts: [Int]) async throws -> [[LeasedTask]] {
        place = 0
        return try await withThrowingTaskGroup(of: (Int, [LeasedTask]).self) { group in
            for _ in counts { group.addTask { try await self.leaseNext(counts) } }
            var tasks: [[LeasedTask]] = Array(repeating: [], count: counts.count)
            for try await (number, list) in group { tasks[number] = list }
            return tasks
        }
    }

    private func leaseNext(_ counts: [Int]) async throws -> (Int, [LeasedTask]) {
        let number = place
        place += 1
        let command = LeaseTasksCommand(
            queue: Workload.taskQueue, max: counts[number], milliseconds: TaskPlanner.leaseMilliseconds,
            worker: TaskPlanner.worker, by: .bench)
        let tasks = try await engine.lease(command, wait: .zero)
        guard tasks.count == counts[number] else { throw BenchmarkError("tasks are missing") }
        return (number, tasks)
    }

    private func complete(_ lists: [[LeasedTask]]) async throws {
        place = 0
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in lists { group.addTask { try await self.completeNext(lists) } }
            try await group.waitForAll()
        }
    }

    private func completeNext(_ lists: [[LeasedTask]]) async throws {
        let tasks = lists[place]
        place += 1
        let commands = tasks.map { EndTaskCommand(task: $0.token, report: .completed(result), by: .bench) }
        for answer in await engine.report(commands) { _ = try answer.get() }
    }
}
