import EngineFloor
import Foundation

/// The service that effects call, and its reports.
struct CalledService {
    private let process: ServerProcess
    /// The address that answers at once, as `127.0.0.1:40001`.
    let quick: String
    /// The address that answers after two seconds.
    let slow: String

    /// Starts the service.
    init(in folder: URL) async throws {
        process = try await .calls(in: folder)
        let ports = try process.ask(HTTPRequestText.get("/ports")).split(separator: " ")
        guard ports.count == 2 else { throw BenchmarkError("the service does not tell its ports") }
        quick = "127.0.0.1:\(ports[0])"
        slow = "127.0.0.1:\(ports[1])"
    }

    /// Returns the number of received requests.
    func count() throws -> Int { Int(try process.ask(HTTPRequestText.get("/count"))) ?? 0 }

    /// Returns the delays from the times in the paths to the arrivals, for all requests since the last call.
    func delays() throws -> Latencies {
        var delays = Latencies()
        for text in try process.ask(HTTPRequestText.get("/delays")).split(separator: " ") {
            // The clock of all is one, but it may be set.
            delays.record(UInt64(max(0, Int(text) ?? 0)) * 1_000)
        }
        return delays
    }

    /// Waits until nothing has come for a while. Returns the number of requests.
    func settled() async throws -> Int {
        let deadline = ContinuousClock.now + .seconds(30)
        var last = try count()
        while true {
            try await Task.sleep(for: .milliseconds(50))
            let now = try count()
            if now == last { return now }
            guard .now < deadline else { throw BenchmarkError("requests come without end") }
            last = now
        }
    }

    /// Stops the service properly.
    func stop() throws { try process.stop() }
}
