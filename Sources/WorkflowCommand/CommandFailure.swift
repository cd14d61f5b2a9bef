package import WorkflowAPI
import WorkflowClient

/// Why a verb did not do what it was asked, as a person reads it.
package struct CommandFailure: Error, Equatable {
    package let exitStatus: CommandExit
    /// What failed, on which thing, why and what to do; nil when all was said already.
    package let message: String?
    /// More lines, shown below the message and indented.
    package let notes: [String]

    package init(_ exitStatus: CommandExit, _ message: String?, notes: [String] = []) {
        self.exitStatus = exitStatus
        self.message = message
        self.notes = notes
    }
}

extension CommandFailure {
    /// The failure that an error of any layer is to the caller.
    ///
    /// - Parameter event: The event that was sent, where there was one.
    init(_ error: any Error, event: String? = nil) {
        switch error {
        case let failure as CommandFailure: self = failure
        case let error as ClientError: self.init(error, event: event)
        case let error as AddressError: self.init(.usage, error.description)
        default: self.init(.other, "\(error)")
        }
    }

    private init(_ error: ClientError, event: String?) {
        if let problem = error.problem {
            self.init(
                problem.type.exitStatus, Self.message(of: problem, event: event), notes: Self.notes(of: problem))
        } else if error.code == .unreachable {
            self.init(
                error.exitStatus, error.description,
                notes: ["is wfd running? --address or WFCTL_ADDRESS names another place"])
        } else {
            self.init(error.exitStatus, error.description)
        }
    }

    /// What happened. A refusal is told from the problem's fields, because those are what stays the same.
    private static func message(of problem: Problem, event: String?) -> String {
        guard let event, let instance = problem.instance, let state = problem.state, let seq = problem.seq else {
            return problem.detail
        }
        let place = "'\(event)' in \(StateText.named(state)) (seq \(seq))"
        switch problem.type {
        case .eventNotAccepted: return "\(instance) does not accept \(place)"
        // Which guards, and what they read, is in the notes.
        case .guardRejected where problem.candidates != nil: return "\(instance): no guard lets \(place) pass"
        default: return problem.detail
        }
    }

    private static func notes(of problem: Problem) -> [String] {
        var notes = (problem.diagnostics ?? []).map {
            "\($0.line):\($0.column): \($0.severity.rawValue): \($0.message)"
        }
        notes += SendText.candidates(problem.candidates ?? [])
        if let accepted = problem.accepted {
            notes.append("accepted now: \(accepted.isEmpty ? "nothing" : accepted.joined(separator: ", "))")
        }
        if problem.type == .instanceFailed, let name = problem.instance {
            notes.append("'wfctl show \(name)' tells why, 'wfctl retry \(name)' goes on")
        }
        if problem.type == .instanceSuspended, let name = problem.instance {
            notes.append("'wfctl resume \(name)' lets it go on")
        }
        if problem.type == .machineSuspended, let machine = problem.machine {
            notes.append("'wfctl resume --machine \(machine)' lets it go on")
        }
        if problem.type == .invocationsUndecided, problem.instance != nil {
            notes.append("'--invocations again' begins them anew: their services act twice")
            notes.append("'--invocations answer' gives them the results that came")
        }
        if problem.type == .queueNotFound { notes.append("'--new' sets it all the same") }
        // The daemon says it itself of the rest of a batch.
        let isLater = problem.type == .overloaded || problem.type == .draining
        if isLater, !problem.detail.contains("again later") { notes.append("send it again later") }
        if let suggestion = problem.suggestion { notes.append("did you mean '\(suggestion)'?") }
        return notes
    }
}
