/// What one event did, as far as two implementations must agree.
enum Observation: Equatable {
    /// Why an event was not taken.
    enum Refusal: String, Error {
        case unknownEvent, notAccepted, guardRejected, finished, expressionFailed, livelock
    }

    struct Macrostep: Equatable {
        /// Paths in order over all microsteps; the root is not told, nor what stays for display when the machine ends.
        var exited: [String]
        /// Paths in order over all microsteps, without the root.
        var entered: [String]
        /// The paths of all active states but the root, in document order.
        var configuration: [String]
        var isDone: Bool
        /// JSON.
        var context: String
        /// What each history state remembers, in document order.
        var memory: [String]
    }

    case accepted(Macrostep)
    case refused(Refusal)
}

extension Observation: CustomStringConvertible {
    var description: String {
        switch self {
        case .refused(let reason): return "refused: \(reason.rawValue)"
        case .accepted(let step):
            return """
                accepted, \(step.isDone ? "done" : "running")
                    exited        \(step.exited.joined(separator: ", "))
                    entered       \(step.entered.joined(separator: ", "))
                    configuration \(step.configuration.joined(separator: ", "))
                    context       \(step.context)
                    memory        \(step.memory.joined(separator: "; "))
                """
        }
    }
}
