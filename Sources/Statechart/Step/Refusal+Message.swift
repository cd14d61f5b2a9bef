extension Refusal {
    /// Why the event was refused, for people; says nothing of the instance, which the machine does not know.
    package func message(for event: String, in machine: Machine) -> String {
        switch self {
        case .unknownEvent: return "Machine '\(machine.name)' has no event '\(event)'"
        case .notAccepted: return "'\(event)' is not accepted in this state"
        case .finished: return "The instance has finished and accepts no more events"
        case .expressionFailed(let failure):
            let path = machine[failure.state].path
            let place = path.isEmpty ? "machine '\(machine.name)'" : "state '\(path)'"
            return "'\(event)' was undone: '\(failure.expression)' of \(place), line \(failure.line), failed: "
                + failure.message
        case .livelock(let states):
            let names = machine.paths(of: states).map { "'\($0)'" }.joined(separator: ", ")
            return "'\(event)' was undone: machine '\(machine.name)' did not settle within \(StepLimits.work) steps; "
                + "these states went round: \(names)"
        case .invalidData(let message): return message
        }
    }
}
