/// The location of an instance in its machine, for messages.
package struct InstancePlace: Sendable, Equatable {
    package let name: String
    /// The paths of the active leaves.
    package let paths: [String]
    package let seq: Int64

    package init(name: String, paths: [String], seq: Int64) {
        self.name = name
        self.paths = paths
        self.seq = seq
    }

    /// The text `state 'packing'`, or all leaves of a configuration with several.
    package var states: String {
        let names = paths.map { "'\($0)'" }.joined(separator: ", ")
        return paths.count == 1 ? "state \(names)" : "states \(names)"
    }

    /// The text `order-1042, in state 'packing' (seq 5)`.
    package var text: String { "\(name), in \(states) (seq \(seq))" }
}

extension Refusal {
    /// Returns a message for people with the reason why an instance refused an event.
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
