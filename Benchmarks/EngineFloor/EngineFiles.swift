package import Foundation
package import WorkflowEngine

/// Two copies of one file with the instances of a workload, for the engine and for the floor, and the events for both.
package struct EngineFiles {
    /// The path of the engine's file.
    package let ours: String
    /// The path of the floor's file.
    package let floor: String
    private var events: EngineEvents

    /// Makes both files. An existing file of the engine must be one that `fill` made.
    package init(_ workload: Workload, in folder: URL) async throws {
        ours = Self.path(in: folder)
        floor = folder.appending(path: "floor.db").path
        if !FileManager.default.fileExists(atPath: ours) { try await Self.fill(workload, in: folder) }
        try FileManager.default.copyItem(atPath: ours, toPath: floor)
        events = try EngineEvents(workload)
    }

    /// Makes the engine's file with the instances.
    package static func fill(_ workload: Workload, in folder: URL) async throws {
        let running = try RunningEngine(path: path(in: folder))
        try await running.start(workload)
        try await running.stop()
    }

    /// Returns the path of the engine's file.
    static func path(in folder: URL) -> String { folder.appending(path: "ours.db").path }

    /// Returns the number of events in a measurement of some seconds.
    package func events(in seconds: Double) -> Int { events.count(in: seconds) }

    /// Returns an event for every instance, after which all are in the engine's cache.
    package mutating func firstCommands() -> [[SendCommand]] { events.firstCommands() }

    /// Returns the same events for the floor.
    package mutating func firstPlan() throws -> FloorPlan { try events.firstPlan() }

    /// Returns the next events, in requests.
    package mutating func commands(_ count: Int) -> [[SendCommand]] { events.commands(count) }

    /// Returns the next events for the floor.
    package mutating func plan(_ count: Int) throws -> FloorPlan { try events.plan(count) }
}

extension SQLiteFloorFile {
    /// Writes in batches with the given number of events, and with as many bytes as the engine's may have.
    package func run(_ plan: FloorPlan, batch: Int = Workload.usualBatch) throws {
        try run(plan, batch: batch, bytes: EngineLimits().batchBytes)
    }
}
