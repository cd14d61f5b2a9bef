import EngineFloor
import Foundation

/// A daemon on PostgreSQL and a server without an engine, with one client at each.
struct OneClient {
    let daemon: ServerProcess
    let empty: ServerProcess
    let load: ClosedLoad
    let emptyLoad: ClosedLoad

    init(_ databases: PostgresDatabases, in folder: URL) async throws {
        daemon = try await .daemon(at: databases.cluster.url(PostgresDatabases.ours), in: folder, name: "owner")
        empty = try await .empty(in: folder)
        let book = RequestBook(flips: Workload.sends.instances)
        load = try ClosedLoad(socket: daemon.socket, clients: 1, book: book)
        emptyLoad = try ClosedLoad(socket: empty.socket, clients: 1, book: book)
        for one in [load, emptyLoad] { _ = try one.run(seconds: 0.3) }
    }

    /// Returns the median time of a round trip to the server without an engine, in milliseconds.
    func roundTrip(seconds: Double) throws -> Double { try emptyLoad.run(seconds: seconds).latencies.milliseconds(50) }

    func end() throws {
        load.close()
        emptyLoad.close()
        try daemon.stop()
        try empty.stop()
    }
}

/// One client with one request under way, at the daemon that owns the data. The floor is the unavoidable part: its rows
/// committed by the loop over libpq, and a round trip to the same server without an engine.
struct PostgresLatencyContest: Contest {
    private var databases: PostgresDatabases
    private let client: OneClient
    private let loop: PostgresFloorLoop
    private let seconds: Double

    init(_ setting: Setting, partitions: Int64 = 16) async throws {
        seconds = setting.seconds
        databases = try await PostgresDatabases(.sends, partitions: partitions, setting)
        loop = try databases.floor()
        client = try await OneClient(databases, in: setting.folder)
    }

    func ours() async throws -> Sample {
        let latencies = try client.load.run(seconds: seconds).latencies
        return Sample(value: latencies.milliseconds(50), note: latencies.percentilesText)
    }

    mutating func floor() async throws -> Sample? {
        var latencies = Latencies()
        let end = nanoseconds() + UInt64(seconds / 2 * 1e9)
        repeat {
            let plan = try databases.events.plan(1)
            let begin = nanoseconds()
            try loop.run(plan, batch: 1)
            latencies.record(nanoseconds() - begin)
        } while nanoseconds() < end
        return Sample(value: latencies.milliseconds(50) + (try client.roundTrip(seconds: seconds / 2)))
    }

    func end() async throws {
        loop.close()
        try client.end()
    }
}

/// One client at the daemon that stands by, less the same client at the owner. The floor is a round trip to the same
/// server without an engine.
struct PostgresForwardContest: Contest {
    private let databases: PostgresDatabases
    private let client: OneClient
    private let standby: ServerProcess
    private let standbyLoad: ClosedLoad
    private let seconds: Double

    init(_ setting: Setting) async throws {
        seconds = setting.seconds
        databases = try await PostgresDatabases(.sends, partitions: 16, setting)
        client = try await OneClient(databases, in: setting.folder)
        standby = try await .daemon(
            at: databases.cluster.url(PostgresDatabases.ours), in: setting.folder, name: "standby")
        standbyLoad = try ClosedLoad(
            socket: standby.socket, clients: 1, book: RequestBook(flips: Workload.sends.instances))
        _ = try standbyLoad.run(seconds: 0.3)
    }

    func ours() async throws -> Sample {
        // In turns, because the time of a commit moves.
        var (there, here) = (Latencies(), Latencies())
        for _ in 0..<4 {
            there.add(try standbyLoad.run(seconds: seconds / 4).latencies)
            here.add(try client.load.run(seconds: seconds / 4).latencies)
        }
        let (through, owner) = (there.milliseconds(50), here.milliseconds(50))
        return Sample(
            value: through - owner, note: "\(through.text(3)) ms through the standby, \(owner.text(3)) at the owner")
    }

    func floor() async throws -> Sample? { Sample(value: try client.roundTrip(seconds: seconds / 2)) }

    func end() async throws {
        standbyLoad.close()
        try standby.stop()
        try client.end()
    }
}
