import EngineFloor
import Foundation

/// The sends of one client while 64 others use up the budget of their steps, each on its own instance. The floor is one
/// of those steps alone.
///
/// The expensive instances are new each time, so that their first round is measured too, in which their cost is
/// unknown.
struct BurningContest: Contest {
    private static let burners = 64
    private static let burner = """
        {"id": "burner", "initial": "on", "context": {"n": 0}, "states": {"on": {"on": {"burn": {"actions": {"assign":
        {"n": "size(lists.range(10000).map(i, lists.range(10000).map(j, j)))"}}}}}}}
        """

    private let daemon: ServerProcess
    private let plain: ClosedLoad
    private let seconds: Double
    private var started = 0

    init(_ setting: Setting) async throws {
        // The 99th percentile of less than two seconds says nothing: a burning step takes milliseconds.
        seconds = max(setting.seconds, 2)
        daemon = try await .daemon(in: setting.folder)
        try daemon.prepare(instances: 1)
        plain = try ClosedLoad(socket: daemon.socket, clients: 1, book: RequestBook(flips: 1))
        let connection = try LoadConnection(socket: daemon.socket)
        defer { connection.close() }
        try connection.exchange(HTTPRequestText.post("/v1/machines", Self.burner), status: 201)
    }

    mutating func ours() async throws -> Sample {
        let load = try burners(Self.burners)
        defer { load.close() }
        let work = BackgroundWork([{ try load.run() }])
        let latencies = try plain.run(seconds: seconds).latencies
        _ = try work.stop()
        return Sample(
            value: latencies.milliseconds(99),
            note: "\(latencies.percentilesText), max \(latencies.milliseconds(100).text(3)) ms")
    }

    mutating func floor() async throws -> Sample? {
        let load = try burners(1)
        defer { load.close() }
        let latencies = try load.run(seconds: seconds / 2).latencies
        return Sample(value: latencies.milliseconds(50), note: latencies.percentilesText)
    }

    /// Returns clients of instances that are started now.
    private mutating func burners(_ count: Int) throws -> RefusedLoad {
        let connection = try LoadConnection(socket: daemon.socket)
        defer { connection.close() }
        var book = RequestBook()
        for number in started..<started + count {
            let body = #"{"machine":"burner","instance":"b-\#(number)"}"#
            try connection.exchange(HTTPRequestText.post("/v1/instances", body), status: 201)
            book.add(post: "/v1/instances/b-\(number)/events", #"{"event":"burn"}"#)
        }
        started += count
        return try RefusedLoad(socket: daemon.socket, clients: count, book: book)
    }

    mutating func end() async throws {
        plain.close()
        try daemon.stop()
    }
}
