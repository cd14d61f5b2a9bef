/// The effects of one event on which two implementations must agree.
package enum Observation: Equatable {
    /// The reason why an event was refused.
    package enum Refusal: String, Error {
        case unknownEvent, notAccepted, guardRejected, finished, expressionFailed, livelock
        /// The macrostep exceeds the limit on its work, which the appendix does not have.
        case tooMuch
        /// The plan names states or keys that do not exist.
        case mistake
        /// The row, or the requests to the outside, differ from what was done.
        case notRecorded
    }

    /// The effects of a macrostep.
    package struct Macrostep: Equatable {
        /// The paths of exited states in order, over all microsteps. Left out are the root, and states that stay for
        /// display when the machine ends.
        package var exited: [String]
        /// The paths of entered states in order, over all microsteps, without the root.
        package var entered: [String]
        /// The paths of all active states but the root, in document order.
        package var configuration: [String]
        /// `running`, `done`, `failed`, `suspended` or `cancelled`.
        package var status: String
        /// The context as JSON.
        package var context: String
        /// The states that each history state remembers, in document order.
        package var memory: [String]
        /// The items that come by themselves, in the order in which they were armed.
        package var pending: [PendingText]
        /// The requests to the outside: ids of invocations, with their inputs.
        package var begun: [String]

        package init(
            exited: [String], entered: [String], configuration: [String], status: String, context: String,
            memory: [String], pending: [PendingText], begun: [String]
        ) {
            self.exited = exited
            self.entered = entered
            self.configuration = configuration
            self.status = status
            self.context = context
            self.memory = memory
            self.pending = pending
            self.begun = begun
        }
    }

    case accepted(Macrostep)
    case refused(Refusal)
    /// The instance is in another version of its machine. `told` has the lines that a person reads about it.
    case migrated(Macrostep, told: [String])
    /// The parts that have no place in another version.
    case misfits([String])
}

extension Observation {
    /// The macrostep; `nil` if the event was refused.
    package var macrostep: Macrostep? {
        switch self {
        case .accepted(let step), .migrated(let step, _): step
        case .refused, .misfits: nil
        }
    }
}

/// An event that came by itself, and its effects.
package struct OwnObservation: Equatable {
    package let event: String
    package let observation: Observation

    package init(event: String, observation: Observation) {
        self.event = event
        self.observation = observation
    }
}

extension Observation: CustomStringConvertible {
    package var description: String {
        switch self {
        case .refused(let reason): return "refused: \(reason.rawValue)"
        case .misfits(let places): return "misfits: \(places.joined(separator: "; "))"
        case .migrated(let step, let told):
            return "\(Observation.accepted(step))" + told.map { "\n        \($0)" }.joined()
        case .accepted(let step):
            return """
                accepted, \(step.status)
                    exited        \(step.exited.joined(separator: ", "))
                    entered       \(step.entered.joined(separator: ", "))
                    configuration \(step.configuration.joined(separator: ", "))
                    context       \(step.context)
                    memory        \(step.memory.joined(separator: "; "))
                    pending       \(step.pending.map(\.description).joined(separator: "; "))
                    begun         \(step.begun.joined(separator: "; "))
                """
        }
    }
}

extension OwnObservation: CustomStringConvertible {
    package var description: String { "'\(event)' by itself, \(observation)" }
}
