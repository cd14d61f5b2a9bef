import EngineFloor
import Foundation

/// Atomic batches of 16 events, each for an instance of another partition, one after another. The floor is single sends
/// to the same daemon.
struct PostgresAtomicContest: Contest {
    private let daemon: ServerProcess
    private let load: ClosedLoad
    private let connection: LineConnection
    private let request: [UInt8]
    private let seconds: Double

    init(_ setting: Setting) async throws {
        seconds = setting.seconds
        let databases = try await PostgresDatabases(.sends, partitions: 16, setting)
        let names = try databases.cluster.run(
            "SELECT DISTINCT ON (id >> 48) name FROM instance ORDER BY id >> 48, id", in: PostgresDatabases.ours)
        let lines = names.map { #"{"instance":"\#($0)","event":"flip","data":{"amount":250}}"# + "\n" }
        request = HTTPRequestText.post("/v1/events?atomic=true", lines.joined(), type: "application/x-ndjson")
        daemon = try await .daemon(at: databases.cluster.url(PostgresDatabases.ours), in: setting.folder)
        connection = try LineConnection(socket: daemon.socket)
        load = try ClosedLoad(
            socket: daemon.socket, clients: 1, book: RequestBook(flips: Workload.sends.instances))
        _ = try load.run(seconds: 0.3)
        _ = try batches(until: nanoseconds() + 300_000_000)
    }

    func ours() async throws -> Sample {
        let latencies = try batches(until: nanoseconds() + UInt64(seconds * 1e9))
        return Sample(value: latencies.milliseconds(50), note: latencies.percentilesText)
    }

    func floor() async throws -> Sample? {
        Sample(value: try load.run(seconds: seconds).latencies.milliseconds(50))
    }

    private func batches(until end: UInt64) throws -> Latencies {
        var latencies = Latencies()
        repeat {
            let begin = nanoseconds()
            var applied = 0
            try request.withUnsafeBytes { bytes in
                try connection.exchange(bytes) { line in
                    if String(decoding: line, as: UTF8.self).contains(#""seq""#) { applied += 1 }
                }
            }
            guard applied == 16 else { throw BenchmarkError("\(applied) of 16 events were applied") }
            latencies.record(nanoseconds() - begin)
        } while nanoseconds() < end
        return latencies
    }

    func end() async throws {
        load.close()
        connection.close()
        try daemon.stop()
    }
}
