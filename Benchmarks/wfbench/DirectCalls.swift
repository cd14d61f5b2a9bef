import EngineFloor
import Foundation
import Synchronization
import WorkflowEffects
import WorkflowEngine
import WorkflowJSON
import WorkflowStore

/// The daemon's client for requests, without an engine.
struct DirectCalls {
    private let executor: HTTPExecutor

    init() throws {
        executor = try HTTPExecutor(
            allowing: [AddressRange("127.0.0.1/32")].compactMap(\.self), secrets: SecretFolder(nil), authority: nil,
            agent: "wfbench")
    }

    /// Makes requests for a time, a number of them at once. Returns the number of answers.
    func run(_ http: JSONObject, atOnce places: Int, seconds: Double) async throws -> Int {
        let end = ContinuousClock.now + .seconds(seconds)
        return try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<places {
                group.addTask {
                    var count = 0
                    while .now < end {
                        try await call(http)
                        count += 1
                    }
                    return count
                }
            }
            return try await group.reduce(0, +)
        }
    }

    /// Begins requests at a fixed rate for a time, whatever comes back, and waits for the last.
    ///
    /// - Parameter http: Returns the request that is due at a time of the wall clock, in milliseconds.
    func run(_ http: @escaping @Sendable (Int64) -> JSONObject, perSecond rate: Double, seconds: Double) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            let begin = ContinuousClock.now
            for number in 0..<Int(rate * seconds) {
                try await Task.sleep(until: begin + .seconds(Double(number) / rate))
                let now = SystemClock().now().rawValue
                group.addTask { try await call(http(now)) }
            }
            try await group.waitForAll()
        }
    }

    private func call(_ http: JSONObject) async throws {
        var random = SystemRandomNumberGenerator()
        let now = SystemClock().now()
        let id = UniqueID(at: now, random: &random)
        let outcome = await executor.run(
            EffectAttempt(
                queue: "http:127.0.0.1", name: "calling", instance: "i-0", uuid: id, number: 1, key: id, begun: now,
                request: ["http": .object(http)]))
        guard case .done = outcome else { throw BenchmarkError("a request was not answered: \(outcome)") }
    }

    /// Closes the connections.
    func end() async { await executor.shutdown() }
}
