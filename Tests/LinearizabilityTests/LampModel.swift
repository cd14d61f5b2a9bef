/// The machine `lamp`, as a reader of its manual would write it: the answer to each request, and the change that it
/// makes.
struct LampModel: SequentialModel {
    /// A request. Its parts are in the order in which the daemon checks them: key, expectation, step.
    enum Action: Hashable, Sendable {
        case read
        case send(Event, expecting: Int64?, key: String?)
    }

    /// An event. `flip` is always accepted, `on` and `off` only in the other state.
    enum Event: String, CaseIterable, Hashable, Sendable {
        case flip, on, off
    }

    /// The position of a lamp.
    struct Place: Hashable, CustomStringConvertible, Sendable {
        var seq: Int64
        var isOn: Bool
        var description: String { "seq \(seq) \(isOn ? "on" : "off")" }
    }

    /// The answer to a request that was processed.
    enum Answer: Hashable, Sendable {
        case isAt(Place)
        /// The event was applied, now or when its key was used first.
        case applied(Place)
        case notAccepted(Place)
        case notExpected(Place)
        case keyReused
    }

    private struct FirstUse: Hashable {
        let event: Event
        let place: Place
    }

    private(set) var place = Place(seq: 1, isOn: false)
    private var keys: [String: FirstUse] = [:]

    var seq: Int64 { place.seq }

    /// Carries out a request.
    mutating func answer(to action: Action) -> Answer {
        guard case .send(let event, let expected, let key) = action else { return .isAt(place) }
        if let key, let first = keys[key] { return first.event == event ? .applied(first.place) : .keyReused }
        if let expected, expected != place.seq { return .notExpected(place) }
        guard event == .flip || (event == .on) != place.isOn else { return .notAccepted(place) }
        place = Place(seq: place.seq + 1, isOn: !place.isOn)
        if let key { keys[key] = FirstUse(event: event, place: place) }
        return .applied(place)
    }

    static func seq(of answer: Answer) -> Int64? {
        if case .applied(let place) = answer { place.seq } else { nil }
    }

    static func key(of action: Action) -> String? {
        if case .send(_, _, let key) = action { key } else { nil }
    }

    /// Hashes without the keys, which would be slow. Equal models have equal hashes all the same.
    func hash(into hasher: inout Hasher) {
        hasher.combine(place)
        hasher.combine(keys.count)
    }
}
