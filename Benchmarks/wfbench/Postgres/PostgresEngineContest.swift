import EngineFloor
import WorkflowEngine

/// Batches of events through the engine on PostgreSQL, beside the loop over libpq that writes the same rows into a copy
/// of the same database of the same server. There is one partition, so that both write in one order.
struct PostgresEngineContest: Contest {
    private var databases: PostgresDatabases
    private let running: RunningEngine
    private let loop: PostgresFloorLoop
    private let workload: Workload
    private let events: Int

    /// Fills both databases, and warms up both sides.
    ///
    /// - Parameter isCold: True for an engine that keeps next to no instance in memory, and so reads each from the
    ///   server.
    init(_ workload: Workload, _ setting: Setting, isCold: Bool = false) async throws {
        self.workload = workload
        databases = try await PostgresDatabases(workload, partitions: 1, setting)
        loop = try databases.floor()
        var limits = EngineLimits()
        limits.batchRows = min(limits.batchRows, workload.batch)
        if isCold { limits.cachedInstanceBytes = 64 << 10 }
        running = try PostgresDatabases.engine(on: databases.cluster, limits: limits)
        events = databases.events.count(in: setting.seconds)
        try await running.send(databases.events.firstCommands(), atOnce: workload.requestsAtOnce)
        try loop.run(databases.events.firstPlan(), batch: workload.batch)
        try check()
    }

    mutating func ours() async throws -> Sample {
        try await running.measure(databases.events.commands(events), atOnce: workload.requestsAtOnce)
    }

    mutating func floor() async throws -> Sample? {
        let plan = try databases.events.plan(events)
        let work = Stopwatch()
        try loop.run(plan, batch: workload.batch)
        return Sample(events: events, work)
    }

    mutating func end() async throws {
        try await running.stop()
        loop.close()
        try check()
    }

    private func check() throws {
        try PostgresRows.check(PostgresDatabases.ours, PostgresDatabases.floors, on: databases.cluster)
    }
}

/// One hot instance, beside 1,000 instances of the same machine in another database of the same server.
struct PostgresHotContest: Contest {
    private struct Side {
        let workload: Workload
        var databases: PostgresDatabases
        let running: RunningEngine

        init(_ workload: Workload, _ setting: Setting, _ name: String) async throws {
            self.workload = workload
            databases = try await PostgresDatabases(workload, partitions: 1, setting, name: name)
            running = try PostgresDatabases.engine(on: databases.cluster, name)
            try await running.send(databases.events.commands(20_000), atOnce: workload.requestsAtOnce)
        }

        mutating func measure(_ events: Int) async throws -> Sample {
            try await running.measure(databases.events.commands(events), atOnce: workload.requestsAtOnce)
        }
    }

    private var hot: Side
    private var many: Side
    private let events: Int

    init(_ setting: Setting) async throws {
        hot = try await Side(.flat(1).with(batch: 512), setting, PostgresDatabases.ours)
        many = try await Side(.flat(1_000).with(batch: 512), setting, "many")
        events = hot.databases.events.count(in: setting.seconds)
    }

    mutating func ours() async throws -> Sample { try await hot.measure(events) }

    mutating func floor() async throws -> Sample? { try await many.measure(events) }

    mutating func end() async throws {
        try await hot.running.stop()
        try await many.running.stop()
    }
}
