/// Where an instance is, in messages.
package struct InstancePlace: Sendable, Equatable {
    package let name: String
    /// Paths of the active leaves.
    package let paths: [String]
    package let seq: Int64

    package init(name: String, paths: [String], seq: Int64) {
        self.name = name
        self.paths = paths
        self.seq = seq
    }

    /// `state 'packing'`, or all states of a configuration with several leaves.
    package var states: String {
        let names = paths.map { "'\($0)'" }.joined(separator: ", ")
        return paths.count == 1 ? "state \(names)" : "states \(names)"
    }

    /// `order-1042, in state 'packing' (seq 5)`.
    package var text: String { "\(name), in \(states) (seq \(seq))" }
}

extension Refusal {
    /// Why an instance refused an event, for people.
    package func message(for event: String, in machine: Machine, at place: InstancePlace) -> String {
        let message = message(for: event, in: machine)
        return switch self {
        case .notAccepted: "\(place.name) does not accept '\(event)' in \(place.states) (seq \(place.seq))"
        case .guardRejected: "\(place.text): \(message)"
        case .finished: "\(place.text), is done and accepts no more events"
        case .failed: "\(place.text), has failed and waits for an operator"
        case .suspended: "\(place.text), is suspended and takes no events until it is resumed"
        case .unknownEvent, .expressionFailed, .livelock, .invalidData: message
        }
    }
}
