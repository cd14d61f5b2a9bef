import DaemonTesting
import WorkflowClient
import WorkflowJSON

/// A connection that starts an instance of its own, and sends events to it and to shared ones until the daemon dies.
struct CrashClient {
    let address: Address
    /// The client's number, unique in the file.
    let number: Int64
    let shared: [String]
    var random: SeededRandom

    /// Runs until the daemon dies. Reports each step: a written request, a read answer.
    mutating func run(step: () -> Void) throws -> [Attempt] {
        let own = "own-\(number)"
        var attempts: [Attempt] = []
        // A daemon that is dead already is what this test is about; so is a connection that ends.
        guard let connection = try? RawConnection(to: address) else { return [] }
        while attempts.count < 100_000 {
            let request = next(&attempts, own: own)
            guard (try? connection.write(request.bytes)) != nil else { return attempts }
            step()
            guard let answer = try? connection.readAnswer() else { return attempts }
            attempts[attempts.count - 1].outcome = try outcome(of: answer)
            step()
        }
        throw TestingError("the daemon lives for ever")
    }

    /// Adds an attempt: first the start of the client's own instance, then events.
    private mutating func next(_ attempts: inout [Attempt], own: String) -> RawRequest {
        guard !attempts.isEmpty else {
            attempts.append(Attempt(instance: own, marker: nil))
            return .post("/v1/instances", #"{"machine": "walk", "instance": "\#(own)"}"#)
        }
        let marker = Marker(client: number, number: Int64(attempts.count))
        let instance = Bool.random(using: &random) ? own : shared.randomElement(using: &random) ?? own
        let event = ["step", "turn", "resume"].randomElement(using: &random) ?? "step"
        attempts.append(Attempt(instance: instance, marker: marker))
        let data = #"{"client": \#(marker.client), "number": \#(marker.number)}"#
        return .post("/v1/instances/\(instance)/events", #"{"event": "\#(event)", "data": \#(data)}"#)
    }

    private func outcome(of answer: RawAnswer) throws -> Attempt.Outcome {
        switch (answer.status, try answer.object["seq"]) {
        case (200, .int(let seq)?), (201, .int(let seq)?): return .accepted(seq)
        case (409, _) where try answer.object["type"] == "event-not-accepted": return .refused
        default: throw TestingError("client \(number) was told: \(answer.text)")
        }
    }
}
