import DaemonTesting
import Foundation
import WorkflowClient
import WorkflowJSON

/// A request with a key, and its answer.
struct KeyedRequest: Sendable {
    let key: String
    /// The path below `/v1/instances/`, as `order-1/migrate`; only the name for a `DELETE`.
    let target: String
    /// The body; `nil` for a `DELETE`.
    let body: String?
    /// The answer; `nil` if the connection ended before it came.
    var told: Told?

    struct Told: Sendable, Equatable {
        let status: Int
        let text: String

        var isAccepted: Bool { status == 200 }
        /// True if the engine decided; otherwise it was stopping or too busy.
        var isDecided: Bool { status < 500 }
    }

    /// The name of the instance.
    var instance: String { String(target.prefix { $0 != "/" && $0 != "?" }) }

    /// The request as it is sent, the same each time.
    var request: RawRequest {
        let key = [(name: "Idempotency-Key", value: "\"\(key)\"")]
        guard let body else { return RawRequest("DELETE", "/v1/instances/" + target, headers: key) }
        return .post("/v1/instances/" + target, body, headers: key)
    }
}

/// A connection that sends requests with keys until the daemon dies.
struct OperatorClient {
    let address: Address
    /// The client's number, unique in the file; the keys begin with it.
    let number: Int
    var random: SeededRandom

    /// Runs until the daemon dies. Reports each step: a written request, a read answer.
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
    /// Lets clients send at random, and kills the daemon at a random moment.
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

    /// Sends requests again, each with its key. An accepted request gets its answer again, to the letter, and a request
    /// without an answer is carried out once. Returns the requests with the present answers.
    ///
    /// - Parameter isSame: Returns true if an answer to a request may follow the one before.
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
