import DaemonTesting
import Synchronization
import WorkflowClient
import WorkflowJSON

/// A clock for all clients: each point is later than all points that were read before.
final class EventClock: Sendable {
    private let points = Atomic(0)

    func now() -> Int { points.add(1, ordering: .sequentiallyConsistent).newValue }
}

/// A client of some lamps. It sends with and without expectations and keys, reads, and repeats requests without an
/// answer, with their keys.
struct LampClient: RecordingClient {
    /// A request with a key.
    private struct Keyed: Sendable {
        let lamp: String
        let event: LampModel.Event
        let expected: Int64?
        let key: String
    }

    let number: Int
    let lamps: [String]
    let clock: EventClock
    /// True if the client may be told that the owner of the data changes, and that nobody knows an outcome.
    var hasSeveralDaemons = false
    private var random: SeededRandom
    private var seqs: [String: Int64] = [:]
    private var unanswered: [Keyed] = []
    private var used: [Keyed] = []
    private var keys = 0
    /// The operations of the client, by lamp.
    var history: [String: [Operation<LampModel>]] = [:]

    init(number: Int, lamps: [String], clock: EventClock, random: SeededRandom) {
        self.number = number
        self.lamps = lamps
        self.clock = clock
        self.random = random
    }

    mutating func run(_ address: Address, requests: Int, step: () -> Void) throws {
        // A daemon that is dead already is what this test is about; so is a connection that ends.
        guard let connection = try? RawConnection(to: address) else { return }
        for _ in 0..<requests {
            let (lamp, action, keyed) = next()
            let begin = clock.now()
            guard (try? connection.write(Self.request(lamp, action).bytes)) != nil else {
                return note(lamp, action, keyed, from: begin, nil)
            }
            step()
            guard let answer = try? connection.readAnswer() else { return note(lamp, action, keyed, from: begin, nil) }
            try take(answer, lamp, action, keyed, from: begin)
            step()
        }
    }

    private mutating func next() -> (String, LampModel.Action, Keyed?) {
        if let keyed = unanswered.popLast() { return (keyed.lamp, Self.action(keyed), keyed) }
        let lamp = lamps.randomElement(using: &random) ?? ""
        let event = LampModel.Event.allCases.randomElement(using: &random) ?? .flip
        let known = seqs[lamp]
        switch Int.random(in: 0..<10, using: &random) {
        case 0..<2: return (lamp, .read, nil)
        case 2: return (lamp, .send(event, expecting: nil, key: nil), nil)
        case 3..<6: return (lamp, .send(event, expecting: known, key: nil), nil)
        case 6:
            // An old request once more, or another one with its key.
            guard let old = used.randomElement(using: &random) else { return (lamp, .read, nil) }
            let again = Keyed(
                lamp: old.lamp, event: Bool.random(using: &random) ? old.event : event, expected: nil, key: old.key)
            return (again.lamp, Self.action(again), again)
        default:
            let keyed = Keyed(
                lamp: lamp, event: event, expected: Bool.random(using: &random) ? known : nil, key: makeKey())
            used.append(keyed)
            return (lamp, Self.action(keyed), keyed)
        }
    }

    /// Returns a text or a version 4 UUID.
    private mutating func makeKey() -> String {
        keys += 1
        guard keys % 2 == 0 else { return "client-\(number)-\(keys)" }
        var digits = Array(String(repeating: "0", count: 32))
        for index in digits.indices {
            digits[index] = Character(String(Int.random(in: 0..<16, using: &random), radix: 16))
        }
        digits[12] = "4"
        digits[16] = "8"
        let parts = [0..<8, 8..<12, 12..<16, 16..<20, 20..<32].map { String(digits[$0]) }
        return parts.joined(separator: "-")
    }

    private static func action(_ keyed: Keyed) -> LampModel.Action {
        .send(keyed.event, expecting: keyed.expected, key: keyed.key)
    }

    private static func request(_ lamp: String, _ action: LampModel.Action) -> RawRequest {
        guard case .send(let event, let expected, let key) = action else { return .get("/v1/instances/\(lamp)") }
        let expectation = expected.map { #", "expect": {"seq": \#($0)}"# } ?? ""
        return .post(
            "/v1/instances/\(lamp)/events", #"{"event": "\#(event.rawValue)"\#(expectation)}"#,
            headers: key.map { [(name: "Idempotency-Key", value: $0)] } ?? [])
    }

    private mutating func take(
        _ answer: RawAnswer, _ lamp: String, _ action: LampModel.Action, _ keyed: Keyed?, from begin: Int
    ) throws {
        let object = try answer.object
        func place(_ states: String) throws -> LampModel.Place {
            guard case .int(let seq)? = object["seq"], let states = object[states] else {
                throw TestingError("client \(number) was told: \(answer.text)")
            }
            return LampModel.Place(seq: seq, isOn: states == ["on"])
        }
        switch (answer.status, object["type"]) {
        case (200, _):
            let isRead = action == .read
            note(
                lamp, action, keyed, from: begin, isRead ? .isAt(try place("configuration")) : .applied(try place("to"))
            )
        case (_, "event-not-accepted"): note(lamp, action, keyed, from: begin, .notAccepted(try place("state")))
        case (_, "precondition-failed"): note(lamp, action, keyed, from: begin, .notExpected(try place("state")))
        case (_, "key-reused"): note(lamp, action, keyed, from: begin, .keyReused)
        case (503, "outcome-unknown") where hasSeveralDaemons: note(lamp, action, keyed, from: begin, nil)
        // Nothing was changed.
        case (503, _) where hasSeveralDaemons: if let keyed { unanswered.append(keyed) }
        default: throw TestingError("client \(number) was told: \(answer.text)")
        }
    }

    private mutating func note(
        _ lamp: String, _ action: LampModel.Action, _ keyed: Keyed?, from begin: Int, _ answer: LampModel.Answer?
    ) {
        let end = answer == nil ? nil : clock.now()
        history[lamp, default: []].append(Operation(action: action, call: begin, end: end, answer: answer))
        switch answer {
        case .isAt(let place)?, .applied(let place)?, .notAccepted(let place)?, .notExpected(let place)?:
            seqs[lamp] = max(seqs[lamp] ?? 0, place.seq)
        case .keyReused?: break
        case nil: if let keyed { unanswered.append(keyed) }
        }
    }
}
