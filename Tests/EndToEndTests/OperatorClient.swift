import DaemonTesting
import Foundation
import WorkflowClient
import WorkflowJSON

/// A request with a key, and what it was told.
struct KeyedRequest: Sendable {
    let key: String
    /// Below `/v1/instances/`, as `order-1/migrate`; a `DELETE` has nothing behind the name.
    let target: String
    /// Nil for a `DELETE`.
    let body: String?
    /// Nil when the connection ended before an answer came.
    var told: Told?

    struct Told: Sendable, Equatable {
        let status: Int
        let text: String

        var isAccepted: Bool { status == 200 }
        /// Whether the engine decided; else it was at its end, or too busy.
        var isDecided: Bool { status < 500 }
    }

    /// The name of the instance.
    var instance: String { String(target.prefix { $0 != "/" && $0 != "?" }) }

    /// As it goes over the wire, each time the same.
    var request: RawRequest {
        let key = [(name: "Idempotency-Key", value: "\"\(key)\"")]
        guard let body else { return RawRequest("DELETE", "/v1/instances/" + target, headers: key) }
        return .post("/v1/instances/" + target, body, headers: key)
    }
}

/// One connection that sends requests with keys until the daemon dies.
struct OperatorClient {
    let address: Address
    /// Unique in the file: the keys begin with it.
    let number: Int
    var random: SeededRandom

    /// Runs to the death of the daemon; tells of each step: a request written, an answer read.
    mutating func run(
        next: (inout SeededRandom) -> (target: String, body: String?), step: () -> Void
    ) throws -> [KeyedRequest] {
        var requests: [KeyedRequest] = []
        // A daemon that is dead already is what such a test is about; so is a connection that ends.
        guard let connection = try? RawConnection(to: address) else { return [] }
        while requests.count < 10_000 {
            let (target, body) = next(&random)
            requests.append(KeyedRequest(key: "\(number)-\(requests.count)", target: target, body: body))
            guard (try? connection.write(requests[requests.count - 1].request.bytes)) != nil else { return requests }
            step()
            guard let answer = try? connection.readAnswer() else { return requests }
            requests[requests.count - 1].told = KeyedRequest.Told(status: answer.status, text: answer.text)
            step()
        }
        throw TestingError("the daemon lives for ever")
    }
}

extension Daemon {
    /// Lets clients send at random until a random moment, at which it is killed.
    func killed(
        round: Int, seed: UInt64, clients: Int, mostSteps: Int,
        next: @escaping @Sendable (inout SeededRandom) -> (target: String, body: String?)
    ) async throws -> [KeyedRequest] {
        var random = SeededRandom(seed: seed, round)
        // Short delays are likelier: what is just answered could be missing on the disk.
        let share = Double.random(in: 0...1, using: &random)
        let last = Int.random(in: 2...mostSteps, using: &random)
        let kill = RandomKill(of: self, atStep: last, after: .milliseconds(2) * (share * share))
        return try await withThrowingTaskGroup(of: [KeyedRequest].self) { group in
            for client in 0..<clients {
                group.addTask { [address] in
                    try await onOwnThread {
                        var client = OperatorClient(
                            address: address, number: round * clients + client,
                            random: SeededRandom(seed: seed, round, client))
                        return try client.run(next: next) { kill.step() }
                    }
                }
            }
            do {
                let end = try await program.result().end
                guard end == .killed(by: SIGKILL) else { throw TestingError("the daemon ended by itself: \(end)") }
            } catch {
                // The clients end with it.
                program.signal(SIGKILL)
                throw error
            }
            return try await group.reduce(into: []) { $0 += $1 }
        }
    }

    /// Sends requests again, each with its key: whatever was accepted is told again, to the letter, and what got no
    /// answer is carried out once. Gives them with what they were told now.
    ///
    /// - Parameter isSame: Whether an answer to a request may follow the one before.
    func repeated(
        _ requests: [KeyedRequest],
        isSame: @escaping @Sendable (KeyedRequest, KeyedRequest.Told) -> Bool = { $0.told == $1 }
    ) async throws -> (requests: [KeyedRequest], mistakes: [String]) {
        try await onOwnThread { [address] in
            let connection = try RawConnection(to: address)
            var mistakes: [String] = []
            let all = try requests.map { request in
                if let told = request.told, told.isDecided, !told.isAccepted { return request }
                var again = request
                for _ in 0..<2 {
                    let answer = try connection.answer(to: request.request)
                    let told = KeyedRequest.Told(status: answer.status, text: answer.text)
                    if let before = again.told, before.isAccepted, !isSame(again, told) {
                        mistakes.append("\(request.target) (key \(request.key)) was told \(before), and then \(told)")
                    }
                    if again.told?.isAccepted != true { again.told = told }
                    if !told.isAccepted { break }
                }
                return again
            }
            return (all, mistakes)
        }
    }
}
