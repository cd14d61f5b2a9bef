import DaemonTesting
import JSON
import WorkflowClient

/// One connection that starts an instance of its own and sends events to it and to shared ones, until the daemon dies.
struct CrashClient {
    let address: Address
    /// Unique in the file.
    let number: Int64
    let shared: [String]
    var random: SeededRandom

    /// Runs to the death of the daemon; says `acknowledged` after each event that was.
    mutating func run(acknowledged: () -> Void) throws -> [Attempt] {
        let own = "own-\(number)"
        var attempts: [Attempt] = []
        // A daemon that is dead already is what this test is about.
        guard let connection = try? RawConnection(to: address) else { return [] }
        let start = RawRequest.post("/v1/instances", #"{"machine": "walk", "instance": "\#(own)"}"#)
        attempts.append(Attempt(instance: own, marker: nil))
        while let answer = try? connection.answer(to: attempts.count == 1 ? start : event(for: &attempts, own: own)) {
            attempts[attempts.count - 1].outcome = try outcome(of: answer)
            if case .accepted = attempts[attempts.count - 1].outcome { acknowledged() }
            attempts.append(Attempt(instance: own, marker: nil))
            guard attempts.count < 100_000 else { throw TestingError("the daemon lives for ever") }
        }
        return attempts
    }

    /// The next event; it takes the place of the last attempt, which says nothing yet.
    private mutating func event(for attempts: inout [Attempt], own: String) -> RawRequest {
        let marker = Marker(client: number, number: Int64(attempts.count))
        let instance = Bool.random(using: &random) ? own : shared.randomElement(using: &random) ?? own
        let event = ["step", "turn", "resume"].randomElement(using: &random) ?? "step"
        attempts[attempts.count - 1] = Attempt(instance: instance, marker: marker)
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
