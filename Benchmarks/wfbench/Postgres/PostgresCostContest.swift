import EngineFloor
import Foundation

/// The computing time of the server's processes for an event, while 64 clients send to a daemon. The floor writes the
/// same events without a daemon.
struct PostgresCostContest: Contest {
    /// The way in which the floor writes.
    enum Floor {
        /// 64 events, of whatever partitions, in each transaction.
        case oneTransaction
        /// One event in each transaction, over 64 connections.
        case rowLocks
    }

    private static let clients = 64
    private var databases: PostgresDatabases
    private let daemon: ServerProcess
    private let load: ClosedLoad
    private let loop: PostgresFloorLoop
    private let kind: Floor
    private let seconds: Double

    init(_ setting: Setting, floor kind: Floor, partitions: Int64 = 16) async throws {
        self.kind = kind
        // The kernel counts in hundredths of a second.
        seconds = max(1, setting.seconds)
        let workload = Workload.sends
        databases = try await PostgresDatabases(workload, partitions: partitions, setting)
        loop = try databases.floor()
        daemon = try await .daemon(at: databases.cluster.url(PostgresDatabases.ours), in: setting.folder)
        load = try ClosedLoad(
            socket: daemon.socket, clients: Self.clients, book: RequestBook(flips: workload.instances))
        // Nobody's first events count.
        _ = try load.run(seconds: 1)
        try write(2_000)
    }

    func ours() async throws -> Sample {
        let before = try databases.cluster.computed()
        let transactions = try transactions()
        let begin = ContinuousClock.now
        let outcome = try load.run(seconds: seconds)
        let events = Double(outcome.latencies.count)
        let computed = try databases.cluster.computed() - before
        let each = events / max(1, try self.transactions() - transactions)
        return Sample(
            value: computed / events * 1e6,
            note: "\(Int(outcome.perSecond)) sends/s, \(each.text(1)) events a transaction, "
                + "\((computed / ((.now - begin) / .seconds(1))).text(2)) cores, " + outcome.latencies.percentilesText)
    }

    mutating func floor() async throws -> Sample? {
        // About as long as ours.
        let events = Int(seconds * (kind == .oneTransaction ? 20_000 : 4_000))
        let plan = try databases.events.plan(events)
        let before = try databases.cluster.computed()
        try write(plan)
        return Sample(value: (try databases.cluster.computed() - before) / Double(events) * 1e6)
    }

    private mutating func write(_ events: Int) throws { try write(databases.events.plan(events)) }

    private func write(_ plan: FloorPlan) throws {
        switch kind {
        case .oneTransaction: try loop.run(plan, batch: Self.clients)
        case .rowLocks: try loop.runLocking(plan, connections: Self.clients)
        }
    }

    /// Returns the number of transactions so far that wrote, on the whole server.
    private func transactions() throws -> Double {
        let sql = "SELECT pg_snapshot_xmax(pg_current_snapshot())"
        return Double(try databases.cluster.run(sql, in: PostgresDatabases.ours).first ?? "") ?? 0
    }

    func end() async throws {
        load.close()
        loop.close()
        try daemon.stop()
    }
}

extension Workload {
    /// The instances that get sends over HTTP.
    static let sends: Workload = {
        var workload = Workload.flat(10_000)
        workload.data = [#"{"amount":250}"#]
        return workload
    }()
}
