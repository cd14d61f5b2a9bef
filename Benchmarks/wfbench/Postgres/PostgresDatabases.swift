import EngineFloor
import Foundation
import PostgresStore
import WorkflowEngine
import WorkflowStore

/// A database of the engine on the private server, which has the instances of a workload, copies of it for floors, and
/// the events for both sides.
struct PostgresDatabases {
    let cluster: PostgresCluster
    var events: EngineEvents
    private let workload: Workload
    private let template: String

    /// Makes the database of the engine or the daemon.
    ///
    /// - Parameter more: SQL that adds to the rows of the engine; `nil` for none.
    init(
        _ workload: Workload, partitions: Int64, _ setting: Setting, name: String = ours, more: String? = nil
    ) async throws {
        self.workload = workload
        cluster = try .shared(beside: setting.folder)
        template = try await cluster.template("\(workload) \(partitions) \(more ?? "")") { [cluster] name in
            try StoreSchema(PostgresAddress(cluster.url(name))).create(Self.newID(), partitions: partitions)
            let running = try Self.engine(on: cluster, name)
            try await running.start(workload)
            try await running.stop()
            if let more { try cluster.run(more, in: name) }
        }
        try cluster.copy(template, to: name)
        events = try EngineEvents(workload)
    }

    /// The name of the database of the engine or the daemon.
    static let ours = "ours"

    /// Returns an engine on the database of a name.
    static func engine(
        on cluster: PostgresCluster, _ name: String = ours, limits: EngineLimits = EngineLimits()
    ) throws -> RunningEngine {
        RunningEngine(try PostgresDatabase.open(PostgresAddress(cluster.url(name)), owner: newID()), limits: limits)
    }

    /// The name of the floor's database.
    static let floors = "floor"

    /// Makes a database with the same rows for a floor, and connects the floor.
    func floor() throws -> PostgresFloorLoop {
        try cluster.copy(template, to: Self.floors)
        return try PostgresFloorLoop(url: cluster.url(Self.floors))
    }

    private static func newID() -> UniqueID {
        var random = SystemRandomNumberGenerator()
        return UniqueID(at: SystemClock().now(), random: &random)
    }
}
