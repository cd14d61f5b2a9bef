import Foundation
import JSON
import Statechart
import WorkflowEngine
import WorkflowStore

/// Batches of 500 events through the engine, beside the loop over sqlite3 that writes the same rows into a copy of the
/// same file. Both flush every batch.
struct EngineContest: Contest {
    /// Events in one request.
    static let batch = 500

    private let workload: Workload
    private let paths: (ours: String, floor: String)
    private let running: RunningEngine
    private let loop: SQLiteFloorFile
    private let events: Int
    private let limits = EngineLimits()
    private var planner: FloorPlanner
    private var oursTraffic: Traffic
    private var floorTraffic: Traffic
    /// The data as the commands carry it.
    private let data: [JSONValue]

    /// Makes both files, with the instances, and lets both sides become warm.
    init(_ workload: Workload, _ setting: Setting) async throws {
        self.workload = workload
        paths = (setting.folder.appending(path: "ours.db").path, setting.folder.appending(path: "floor.db").path)
        try await Self.fill(paths.ours, workload)
        try FileManager.default.copyItem(atPath: paths.ours, toPath: paths.floor)
        events = max(1, Int(setting.seconds * Double(workload.eventsPerSecond)) / Self.batch) * Self.batch
        data = try workload.data.map { try JSONReader.value(from: $0) }
        let start = SystemClock().now()
        planner = try FloorPlanner(workload, at: start)
        oursTraffic = Traffic(workload, at: start)
        floorTraffic = oursTraffic
        running = try RunningEngine(path: paths.ours)
        loop = try SQLiteFloorFile(path: paths.floor)
        try await warmUp()
    }

    private static func fill(_ path: String, _ workload: Workload) async throws {
        let running = try RunningEngine(path: path)
        let machine = try await running.engine.apply(workload.source, syntax: .yaml).0.record.name
        try await OrderedSender(running.engine).start(workload.instances, of: machine)
        try await running.stop()
    }

    /// Every instance is in the cache then, and the log as long as it becomes.
    private mutating func warmUp() async throws {
        let more = min(events, 20_000)
        let picks = oursTraffic.everyInstance() + oursTraffic.next(more)
        try await OrderedSender(running.engine).send(lists(picks))
        try write(planner.plan(floorTraffic.everyInstance() + floorTraffic.next(more)))
    }

    mutating func ours() async throws -> Sample {
        let lists = lists(oursTraffic.next(events))
        let sender = OrderedSender(running.engine)
        let before = running.engine.statistics.counts
        let begin = ContinuousClock.now
        try await sender.send(lists)
        let seconds = (ContinuousClock.now - begin) / .seconds(1)
        let after = running.engine.statistics.counts
        guard after.events - before.events == events else { throw BenchmarkError("events are missing") }
        let mean = events / max(1, after.batches - before.batches)
        return Sample(value: Double(events) / seconds, note: "\(perEvent(seconds)), \(mean) events a commit")
    }

    mutating func floor() async throws -> Sample? {
        let plan = try planner.plan(floorTraffic.next(events))
        let begin = ContinuousClock.now
        try write(plan)
        let seconds = (ContinuousClock.now - begin) / .seconds(1)
        return Sample(value: Double(events) / seconds, note: perEvent(seconds))
    }

    mutating func end() async throws {
        try await running.stop()
        loop.close()
        try SameRows.check(paths.ours, paths.floor)
    }

    private func write(_ plan: FloorPlan) throws {
        try loop.run(plan, batch: Self.batch, bytes: limits.batchBytes)
    }

    private func perEvent(_ seconds: Double) -> String {
        (seconds / Double(events) * 1e6).text(2) + " µs"
    }

    private func lists(_ picks: [Traffic.Pick]) -> [[SendCommand]] {
        stride(from: 0, to: picks.count, by: Self.batch).map { first in
            picks[first..<min(first + Self.batch, picks.count)].map { pick in
                SendCommand(
                    instance: "i-\(pick.instance)",
                    event: Event(name: workload.event, data: pick.data.map { data[$0] }),
                    key: pick.key)
            }
        }
    }
}
