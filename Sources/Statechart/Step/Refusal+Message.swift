import WorkflowJSON

extension Refusal {
    /// Returns a message for people with the reason of the refusal. The message does not name the instance, which the
    /// machine does not know.
    package func message(for event: String, in machine: Machine) -> String {
        switch self {
        case .unknownEvent: return "Machine '\(machine.name)' has no event '\(event)'"
        case .notAccepted: return "'\(event)' is not accepted in this state"
        case .guardRejected(let findings):
            let told = findings.map { $0.message(in: machine) }.joined(separator: "; ")
            return "'\(event)' was rejected: \(told)"
        case .failed: return "The instance has failed and takes no events until it is retried"
        case .suspended: return "The instance is suspended and takes no events until it is resumed"
        case .finished: return "The instance has finished and accepts no more events"
        case .expressionFailed(let failure):
            let path = machine[failure.state].path
            let place = path.isEmpty ? "machine '\(machine.name)'" : "state '\(path)'"
            return "'\(event)' was undone: '\(failure.expression)' of \(place), line \(failure.line), failed: "
                + failure.message
        case .livelock(let states): return "'\(event)' was undone: " + Self.livelock(of: states, in: machine)
        case .invalidData(let message): return message
        }
    }
}

extension Refusal {
    /// Returns the reason why a machine does not settle.
    package static func livelock(of states: [StateIndex], in machine: Machine) -> String {
        let names = machine.paths(of: states).map { $0.isEmpty ? "the root" : "'\($0)'" }.joined(separator: ", ")
        return "machine '\(machine.name)' did not settle within \(StepLimits.work) steps; "
            + (states.isEmpty ? "it raises events that nothing takes" : "these states went round: \(names)")
    }
}

extension GuardFinding {
    /// Returns the reason why a guard rejected an event: `guard 'amount > 0' on line 7 is false (amount = 0)`.
    package func message(in machine: Machine) -> String {
        let what = failure.map { "failed: \($0)" } ?? "is false"
        let values = reads.isEmpty ? "" : " (\(reads.map(\.message).joined(separator: ", ")))"
        return "guard '\(expression)' on line \(machine[transition].line) \(what)\(values)"
    }
}

extension ValueRead {
    /// The text `context.amount = 250`, truncated if long.
    package var message: String {
        guard let value else { return "\(text) cannot be read" }
        let written = JSONWriter.string(value)
        let limit = 80
        return "\(text) = \(written.count > limit ? written.prefix(limit) + "…" : written)"
    }
}
