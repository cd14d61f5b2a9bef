import Spelling
import Statechart
import WorkflowAPI
import WorkflowEngine
import WorkflowStore

extension Problem {
    /// What a caller is told about a command that was not carried out.
    init(_ rejection: Rejection) {
        switch rejection {
        case .machineNotFound(let name, nil, _):
            self.init(.machineNotFound, detail: "There is no machine '\(name)'", machine: name)
        case .machineNotFound(let name, let version?, let latest):
            let known = latest.map { "Machine '\(name)' has no version \(version) (latest is \($0))" }
            self.init(.machineNotFound, detail: known ?? "There is no machine '\(name)'", machine: name)
        case .instanceNotFound(let name):
            self.init(.instanceNotFound, detail: "There is no instance '\(name)'", instance: name)
        case .instanceExists(let name):
            self.init(.instanceExists, detail: "Instance '\(name)' exists already", instance: name)
        case .invalidDefinition(let error):
            self.init(error)
        case .invalidName(let message): self.init(.invalidName, detail: message)
        case .invalidData(let message): self.init(.invalidData, detail: message)
        case .reservedEvent(let name):
            let prefixes = EventName.reservedPrefixes.map { "'\($0)'" }.joined(separator: ", ")
            self.init(
                .reservedEvent,
                detail: "The event name '\(name)' is reserved: names under \(prefixes) belong to the engine")
        case .refused(let refusal, let event, let machine, let facts):
            self.init(refusal, event: event, machine: machine, facts: facts)
        case .finished(let facts):
            self.init(.instanceFinished, facts, detail: "\(facts.place), is \(facts.status) and accepts no more events")
        case .failed(let facts):
            self.init(
                .instanceFailed, facts,
                detail: "\(facts.place), has failed and waits for an operator")
        case .notFailed(let facts):
            self.init(.instanceNotFailed, facts, detail: "\(facts.place), is \(facts.status) and needs no retry")
        case .explained(let rejection, let candidates):
            self.init(rejection)
            self.candidates = candidates.map(Candidate.init)
        case .together(let offset, let rejection):
            self.init(rejection)
            line = Int64(offset + 1)
            if offset > 0 { detail += "; so the lines before it would have left it, but none was applied" }
        case .tooMuchTogether(let message): self.init(.payloadTooLarge, detail: message)
        case .preconditionFailed(let expected, let facts):
            self.init(.preconditionFailed, facts, detail: "\(facts.place), is not at \(expected)")
        case .keyReused, .keyExpired, .keyAhead: self.init(key: rejection)
        case .realClock:
            self.init(
                .clockNotVirtual, detail: "The daemon runs on the machine's clock; only 'wfd --clock virtual' is moved")
        case .invalidTime(let message): self.init(.invalidTime, detail: message)
        case .overloaded, .draining, .storageUnavailable, .outcomeUnknown, .fault, .backupUnderWay, .backupFailed:
            self.init(unavailable: rejection)
        }
    }

    private init(key rejection: Rejection) {
        func text(_ time: Timestamp) -> String { WireTime(milliseconds: time.rawValue).text }
        switch rejection {
        case .keyReused(let key):
            self.init(.keyReused, detail: "Key '\(key)' was used for another request; nothing was changed")
        case .keyExpired(let key, let time):
            self.init(
                .keyExpired,
                detail:
                    "Key '\(key)' is of \(text(time)), and keys that old are forgotten: nobody knows whether it was "
                    + "used; look at the history")
        case .keyAhead(let key, let time, let now):
            self.init(
                .keyAhead,
                detail: "Key '\(key)' is of \(text(time)), but it is only \(text(now)) here: one of the clocks is wrong"
            )
        default: preconditionFailure("every other rejection has its own message")
        }
    }

    private init(unavailable rejection: Rejection) {
        switch rejection {
        case .overloaded:
            self.init(.overloaded, detail: "Too many requests are waiting; nothing was changed")
        case .draining: self.init(.draining, detail: "The daemon is stopping; nothing was changed")
        case .storageUnavailable(let reason): self.init(.storageUnavailable, detail: "Nothing was changed: \(reason)")
        case .outcomeUnknown:
            self.init(
                .outcomeUnknown,
                detail: "The commit failed and its outcome is unknown: after a restart the change may be there or not; "
                    + "send again with the same key")
        case .backupUnderWay:
            self.init(
                .backupRunning,
                detail: "A backup is made already, or waits to be fetched, for a minute at most; there is one at a time"
            )
        case .backupFailed(let message): self.init(.storageUnavailable, detail: message)
        case .fault(let message): self.init(.internalError, detail: message)
        default: preconditionFailure("every other rejection has its own message")
        }
    }

    private init(_ error: DefinitionError) {
        let count = error.diagnostics.count { $0.severity == .error }
        self.init(
            .invalidDefinition,
            detail: count == 1 ? "The definition has a mistake" : "The definition has \(count) mistakes",
            diagnostics: error.diagnostics.map(DefinitionDiagnostic.init))
    }

    private init(_ type: ProblemType, _ facts: InstanceFacts, detail: String) {
        self.init(
            type, detail: detail, instance: facts.name, machine: facts.machine, state: facts.configuration,
            seq: facts.seq.rawValue)
    }

    private init(_ refusal: Refusal, event: String, machine: Machine, facts: InstanceFacts?) {
        let message = refusal.message(for: event, in: machine)
        switch refusal {
        case .unknownEvent:
            self.init(.unknownEvent, detail: message)
            suggestion = Spelling.closest(to: event, among: machine.events)
        case .notAccepted:
            let facts = facts.map { "\($0.name) does not accept '\(event)' in \($0.states) (seq \($0.seq.rawValue))" }
            self.init(.eventNotAccepted, detail: facts ?? message)
        case .guardRejected(let findings):
            let place = facts.map { "\($0.place): " } ?? ""
            self.init(.guardRejected, detail: place + message)
            candidates = findings.map { Candidate($0, of: machine) }
        case .finished: self.init(.instanceFinished, detail: message)
        case .failed: self.init(.instanceFailed, detail: message)
        case .expressionFailed: self.init(.expressionFailed, detail: message)
        case .livelock: self.init(.livelock, detail: message)
        case .invalidData: self.init(.invalidData, detail: message)
        }
        self.machine = machine.name
        instance = facts?.name
        state = facts?.configuration
        seq = facts?.seq.rawValue
        accepted = facts?.accepted
    }
}

extension InstanceFacts {
    /// `state 'packing'`, or all states of a configuration with several leaves.
    fileprivate var states: String {
        let names = configuration.map { "'\($0)'" }.joined(separator: ", ")
        return configuration.count == 1 ? "state \(names)" : "states \(names)"
    }

    /// `order-1042, in state 'packing' (seq 5)`.
    fileprivate var place: String { "\(name), in \(states) (seq \(seq.rawValue))" }
}

extension DefinitionDiagnostic {
    /// The wire form of what the definition reader says.
    init(_ diagnostic: Diagnostic) {
        self.init(
            severity: diagnostic.severity == .error ? .error : .warning, line: diagnostic.line,
            column: diagnostic.column, message: diagnostic.message)
    }
}
