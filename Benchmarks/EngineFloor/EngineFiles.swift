package import Foundation
import Statechart
package import WorkflowEngine
import WorkflowJSON
import WorkflowStore

/// Two copies of one file with the instances of a workload, for the engine and for the floor, and the events for both.
/// Each side gets the same events in the same order.
package struct EngineFiles {
    /// The path of the engine's file.
    package let ours: String
    /// The path of the floor's file.
    package let floor: String
    private let workload: Workload
    private var planner: FloorPlanner
    private var oursTraffic: Traffic
    private var floorTraffic: Traffic
    /// The data in the form of commands.
    private let data: [JSONValue]

    /// Makes both files. An existing file of the engine must be one that `fill` made.
    package init(_ workload: Workload, in folder: URL) async throws {
        self.workload = workload
        ours = Self.path(in: folder)
        floor = folder.appending(path: "floor.db").path
        if !FileManager.default.fileExists(atPath: ours) { try await Self.fill(workload, in: folder) }
        try FileManager.default.copyItem(atPath: ours, toPath: floor)
        data = try workload.data.map { try JSONReader.value(from: $0) }
        let start = SystemClock().now()
        planner = try FloorPlanner(workload, at: start)
        oursTraffic = Traffic(workload, at: start)
        floorTraffic = oursTraffic
    }

    /// Makes the engine's file with the instances.
    package static func fill(_ workload: Workload, in folder: URL) async throws {
        let running = try RunningEngine(path: path(in: folder))
        let machine = try await running.engine.apply(workload.source, syntax: .yaml, by: .bench).0.record.name
        try await OrderedSender(running.engine).start(workload.instances, of: machine)
        try await running.stop()
    }

    /// Returns the path of the engine's file.
    static func path(in folder: URL) -> String { folder.appending(path: "ours.db").path }

    /// Returns the number of events in a measurement of some seconds.
    package func events(in seconds: Double) -> Int {
        max(1, Int(seconds * Double(workload.eventsPerSecond)) / workload.batch) * workload.batch
    }

    /// Returns an event for every instance, after which all are in the engine's cache.
    package mutating func firstCommands() -> [[SendCommand]] { lists(oursTraffic.everyInstance()) }

    /// Returns the same events for the floor.
    package mutating func firstPlan() throws -> FloorPlan { try planner.plan(floorTraffic.everyInstance()) }

    /// Returns the next events, in requests.
    package mutating func commands(_ count: Int) -> [[SendCommand]] { lists(oursTraffic.next(count)) }

    /// Returns the next events for the floor.
    package mutating func plan(_ count: Int) throws -> FloorPlan { try planner.plan(floorTraffic.next(count)) }

    private func lists(_ picks: [Traffic.Pick]) -> [[SendCommand]] {
        stride(from: 0, to: picks.count, by: workload.batch).map { first in
            picks[first..<min(first + workload.batch, picks.count)].map { pick in
                SendCommand(
                    instance: InstanceName(rawValue: "i-\(pick.instance)"),
                    event: Event(name: workload.event, data: pick.data.map { data[$0] }), key: pick.key, by: .bench)
            }
        }
    }
}

extension SQLiteFloorFile {
    /// Writes in batches with the given number of events, and with as many bytes as the engine's may have.
    package func run(_ plan: FloorPlan, batch: Int = Workload.usualBatch) throws {
        try run(plan, batch: batch, bytes: EngineLimits().batchBytes)
    }
}
