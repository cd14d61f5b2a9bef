package import WorkflowAPI
import WorkflowClient

/// The reason why a verb failed, as a person reads it.
package struct CommandFailure: Error, Equatable {
    package let exitStatus: CommandExit
    /// The operation, its object, the reason and the remedy; `nil` if everything was already printed.
    package let message: String?
    /// The lines to print below the message, indented.
    package let notes: [String]

    package init(_ exitStatus: CommandExit, _ message: String?, notes: [String] = []) {
        self.exitStatus = exitStatus
        self.message = message
        self.notes = notes
    }
}

extension CommandFailure {
    /// Converts an error of any layer to a failure for the user.
    ///
    /// - Parameter event: The event that was sent, if any.
    init(_ error: any Error, event: String? = nil) {
        switch error {
        case let failure as CommandFailure: self = failure
        case let error as ClientError: self.init(error, event: event)
        case let error as AddressError: self.init(.usage, error.description)
        case let error as ClientAccessError:
            self.init(error.isFileUnreadable ? .fileUnreadable : .badData, error.description)
        default: self.init(.other, "\(error)")
        }
    }

    private init(_ error: ClientError, event: String?) {
        if let problem = error.problem {
            let mistake = Self.mistake(inCondition: problem.detail)
            self.init(
                mistake == nil ? problem.type.exitStatus : .usage,
                mistake ?? Self.message(of: problem, event: event), notes: Self.notes(of: problem))
        } else if error.code == .unreachable {
            self.init(
                error.exitStatus, error.description,
                notes: ["is wfd running? --address or WFCTL_ADDRESS sets another address"])
        } else {
            self.init(error.exitStatus, error.description)
        }
    }

    /// Returns the message about the expression of '--where'; `nil` for a problem with something else. The daemon names
    /// the place in its request, which is a parameter of a list, and a field of a run.
    private static func mistake(inCondition detail: String) -> String? {
        ["Parameter 'where'", "Field 'select.where'"].first(where: detail.hasPrefix).map { place in
            "'--where'" + detail.dropFirst(place.count)
        }
    }

    /// Returns the message of a problem. For a refusal, the message is built from the problem's fields, because the
    /// fields are stable.
    private static func message(of problem: Problem, event: String?) -> String {
        guard let event, let instance = problem.instance, let state = problem.state, let seq = problem.seq else {
            return problem.detail
        }
        let place = "'\(event)' in \(StateText.named(state)) (seq \(seq))"
        switch problem.type {
        case .eventNotAccepted: return "\(instance) does not accept \(place)"
        // The notes have the guards and the values that they read.
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
            notes.append("'wfctl show \(name)' shows the reason, 'wfctl retry \(name)' goes on")
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
        if problem.type == .queueNotFound { notes.append("'--new' accepts the name") }
        // The daemon says so itself for the rest of a batch.
        let isLater = problem.type == .overloaded || problem.type == .draining
        if isLater, !problem.detail.contains("again later") { notes.append("send it again later") }
        if let suggestion = problem.suggestion { notes.append("did you mean '\(suggestion)'?") }
        return notes
    }
}
