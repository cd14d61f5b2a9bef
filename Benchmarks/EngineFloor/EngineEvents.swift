import Statechart
package import WorkflowEngine
import WorkflowJSON
import WorkflowStore

/// The events of a workload, for the engine and for the floor. Each side gets the same events in the same order.
package struct EngineEvents {
    private let workload: Workload
    private var planner: FloorPlanner
    private var oursTraffic: Traffic
    private var floorTraffic: Traffic
    /// The data in the form of commands.
    private let data: [JSONValue]

    /// Creates the events for instances that have just started.
    package init(_ workload: Workload) throws {
        self.workload = workload
        data = try workload.data.map { try JSONReader.value(from: $0) }
        let start = SystemClock().now()
        planner = try FloorPlanner(workload, at: start)
        oursTraffic = Traffic(workload, at: start)
        floorTraffic = oursTraffic
    }

    /// Returns the number of events in a measurement of some seconds.
    package func count(in seconds: Double) -> Int {
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

extension RunningEngine {
    /// Stores the machine of a workload, and starts its instances.
    package func start(_ workload: Workload) async throws {
        let machine = try await engine.apply(workload.source, syntax: .yaml, by: .bench).0.record.name
        try await OrderedSender(engine).start(workload.instances, of: machine)
    }
}
