package import Foundation
import Statechart
import WorkflowEngine
import WorkflowStore

/// Tasks that are begun, leased and completed in batches of 100 through the engine. The floor is the loop over sqlite3
/// that writes the same rows into a copy of the same file. The loop commits every batch; the engine commits all waiting
/// batches together. Both flush every commit.
package struct TaskContest: Contest {
    private var files: TaskFiles
    private let running: RunningEngine
    private let sender: TaskSender
    private let loop: SQLiteFloorFile
    private let rounds: Int

    /// Makes both files with the instances, and warms up both sides.
    package init(_ setting: Setting, instances: Int = 10_000) async throws {
        files = try await TaskFiles(.tasks(instances), in: setting.folder)
        var limits = EngineLimits()
        // A batch that begins or ends tasks has two rows for each.
        limits.batchRows = min(limits.batchRows, 2 * files.workload.batch)
        running = try RunningEngine(path: files.ours, limits: limits)
        sender = try TaskSender(running.engine)
        loop = try SQLiteFloorFile(path: files.floor)
        rounds = files.rounds(in: setting.seconds)
        // Every instance is in the engine's cache then.
        let first = instances / files.tasksOfRound + 1
        try await running.compileMachines()
        for lists in files.commands(rounds: first) { try await sender.run(lists) }
        try loop.run(files.plan(rounds: first), batch: files.workload.batch)
    }

    package mutating func ours() async throws -> Sample {
        let commands = files.commands(rounds: rounds)
        let before = running.engine.statistics.counts.commits
        let work = Stopwatch()
        for lists in commands { try await sender.run(lists) }
        let tasks = rounds * files.tasksOfRound
        let sample = Sample(events: tasks, work)
        let commits = running.engine.statistics.counts.commits - before
        let mean = Double(3 * tasks) / Double(max(1, commits))
        return sample.noting("\(mean.text(0)) begins, leases and ends a commit")
    }

    package mutating func floor() async throws -> Sample? {
        let plan = try files.plan(rounds: rounds)
        let work = Stopwatch()
        try loop.run(plan, batch: files.workload.batch)
        return Sample(events: rounds * files.tasksOfRound, work)
    }

    package mutating func end() async throws {
        // Tasks that wait and tasks that a worker has are compared too.
        let rest = try files.rest()
        try await OrderedSender(running.engine).send(rest.commands, atOnce: rest.commands.count)
        _ = try await sender.lease([rest.leased])
        try loop.run(rest.plan, batch: files.workload.batch)
        try await running.stop()
        loop.close()
        try SameRows.check(files.ours, files.floor, hasSameKeys: false)
    }
}

/// Two copies of one file with instances that request tasks, for the engine and for the floor, and the work of both.
/// Each side gets the same in the same order.
package struct TaskFiles {
    /// The number of requests of each kind that are under way at once.
    private static let requestsAtOnce = 16

    let ours: String
    /// The path of the floor's file.
    package let floor: String
    /// The work of both sides.
    package let workload: Workload
    private var planner: TaskPlanner
    private var oursOrder: InstanceOrder
    private var floorOrder: InstanceOrder

    /// Makes both files with the instances.
    package init(_ workload: Workload, in folder: URL) async throws {
        self.workload = workload
        ours = EngineFiles.path(in: folder)
        floor = folder.appending(path: "floor.db").path
        try await EngineFiles.fill(workload, in: folder)
        try FileManager.default.copyItem(atPath: ours, toPath: floor)
        planner = try TaskPlanner(workload, at: SystemClock().now())
        oursOrder = InstanceOrder(workload.instances)
        floorOrder = oursOrder
        guard tasksOfRound <= workload.instances else { throw BenchmarkError("an instance has one task at a time") }
    }

    /// The number of tasks that are begun before the first of them is leased.
    package var tasksOfRound: Int { Self.requestsAtOnce * workload.batch }

    /// Returns the number of rounds in a measurement of some seconds.
    package func rounds(in seconds: Double) -> Int {
        max(1, Int(seconds * Double(workload.eventsPerSecond)) / tasksOfRound)
    }

    /// Returns the events that begin the tasks of rounds, in requests.
    mutating func commands(rounds: Int) -> [[[SendCommand]]] {
        (0..<rounds).map { _ in (0..<Self.requestsAtOnce).map { _ in commands(oursOrder.next(workload.batch)) } }
    }

    /// Returns the same rounds for the floor.
    package mutating func plan(rounds: Int) throws -> FloorPlan {
        var plan = FloorPlan()
        for _ in 0..<rounds {
            let instances = floorOrder.next(tasksOfRound)
            try planner.begin(instances, to: &plan)
            try planner.lease(instances, to: &plan)
            try planner.complete(instances, to: &plan)
        }
        return plan
    }

    /// Returns events for tasks of which some are leased and none is completed.
    mutating func rest() throws -> (commands: [[SendCommand]], leased: Int, plan: FloorPlan) {
        let begun = (0..<2).map { _ in oursOrder.next(workload.batch) }
        var plan = FloorPlan()
        for instances in begun { try planner.begin(instances, to: &plan) }
        try planner.lease(begun[0], to: &plan)
        return (begun.map(commands), workload.batch, plan)
    }

    private func commands(_ instances: [Int]) -> [SendCommand] {
        instances.map { instance in
            SendCommand(
                instance: InstanceName(rawValue: "i-\(instance)"), event: Event(name: workload.event), by: .bench)
        }
    }
}

/// The instances in a random order, again and again, which is the same for both sides.
private struct InstanceOrder {
    private let order: [Int]
    private var place = 0

    init(_ instances: Int) {
        var random = Generator(seed: 1)
        order = (0..<instances).shuffled(using: &random)
    }

    mutating func next(_ count: Int) -> [Int] {
        defer { place = (place + count) % order.count }
        return (place..<place + count).map { order[$0 % order.count] }
    }
}
