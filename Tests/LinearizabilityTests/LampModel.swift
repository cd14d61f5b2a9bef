/// The machine `lamp` as a reader of its manual would write it: what is told about each request, and what it changes.
struct LampModel: SequentialModel {
    /// In the order in which the daemon looks at the parts: key, expectation, step.
    enum Action: Hashable, Sendable {
        case read
        case send(Event, expecting: Int64?, key: String?)
    }

    /// `flip` is always taken, `on` and `off` only by the other state.
    enum Event: String, CaseIterable, Hashable, Sendable {
        case flip, on, off
    }

    /// Where a lamp is.
    struct Place: Hashable, CustomStringConvertible, Sendable {
        var seq: Int64
        var isOn: Bool
        var description: String { "seq \(seq) \(isOn ? "on" : "off")" }
    }

    /// What is told about a request that was looked at.
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

    /// Carries a request out.
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

    /// Equal models hash equally; the keys themselves would make it slow.
    func hash(into hasher: inout Hasher) {
        hasher.combine(place)
        hasher.combine(keys.count)
    }
}
