import EngineFloor
import Foundation

/// The service that effects call, with what it tells.
struct CalledService {
    private let process: ServerProcess
    /// Where it answers at once, as `127.0.0.1:40001`.
    let quick: String
    /// Where it answers after two seconds.
    let slow: String

    /// Starts it.
    init(in folder: URL) async throws {
        process = try await .calls(in: folder)
        let ports = try process.ask(HTTPRequestText.get("/ports")).split(separator: " ")
        guard ports.count == 2 else { throw BenchmarkError("the service does not tell its ports") }
        quick = "127.0.0.1:\(ports[0])"
        slow = "127.0.0.1:\(ports[1])"
    }

    /// How many requests have come.
    func count() throws -> Int { Int(try process.ask(HTTPRequestText.get("/count"))) ?? 0 }

    /// From the times in their paths to when they came: of all that came since this was asked last.
    func delays() throws -> Latencies {
        var delays = Latencies()
        for text in try process.ask(HTTPRequestText.get("/delays")).split(separator: " ") {
            // The clock of all is one, but it may be set.
            delays.record(UInt64(max(0, Int(text) ?? 0)) * 1_000)
        }
        return delays
    }

    /// Waits until nothing has come for a while; gives how many have.
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

    /// Ends it in order.
    func stop() throws { try process.stop() }
}
