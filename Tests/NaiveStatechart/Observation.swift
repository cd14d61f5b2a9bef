/// What one event did, as far as two implementations must agree.
package enum Observation: Equatable {
    /// Why an event was not taken.
    package enum Refusal: String, Error {
        case unknownEvent, notAccepted, guardRejected, finished, expressionFailed, livelock
        /// The macrostep passes the bound on its work, which the appendix does not know.
        case tooMuch
        /// A plan speaks of what there is not.
        case mistake
        /// What a row records, or what is asked of the world, is not what was done.
        case notRecorded
    }

    /// What it did.
    package struct Macrostep: Equatable {
        /// Paths in order over all microsteps; the root is not told, nor what stays for display when the machine ends.
        package var exited: [String]
        /// Paths in order over all microsteps, without the root.
        package var entered: [String]
        /// The paths of all active states but the root, in document order.
        package var configuration: [String]
        /// `running`, `done`, `failed`, `suspended` or `cancelled`.
        package var status: String
        /// JSON.
        package var context: String
        /// What each history state remembers, in document order.
        package var memory: [String]
        /// What comes by itself, in the order in which it was armed.
        package var pending: [PendingText]
        /// What is asked of the world: ids of invocations, with what they are given.
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
    /// The instance is in another version of its machine; what a person is told of it, line by line.
    case migrated(Macrostep, told: [String])
    /// What has no place in another version.
    case misfits([String])
}

extension Observation {
    /// What it did; nil when it was not taken.
    package var macrostep: Macrostep? {
        switch self {
        case .accepted(let step), .migrated(let step, _): step
        case .refused, .misfits: nil
        }
    }
}

/// An event that came by itself, and what it did.
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
