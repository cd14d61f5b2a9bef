package import Statechart
import WorkflowStore

// Rejections of commands about machines and instances: what failed, in the words that a caller reads.

extension Rejection {
    static func machineNotFound(
        name: MachineName, version: MachineVersion?, latest: MachineVersion?
    ) -> Rejection {
        Rejection(
            .machineNotFound,
            version.flatMap { version in
                latest.map { "Machine '\(name)' has no version \(version) (latest is \($0))" }
            } ?? "There is no machine '\(name)'", subject: .machine(name))
    }

    static func instanceNotFound(_ name: InstanceName) -> Rejection {
        Rejection(.instanceNotFound, "There is no instance '\(name)'", subject: .instance(name))
    }

    static func instanceExists(_ name: InstanceName) -> Rejection {
        Rejection(.instanceExists, "Instance '\(name)' exists already", subject: .instance(name))
    }

    /// Rejects a definition with mistakes.
    package static func invalidDefinition(_ error: DefinitionError) -> Rejection {
        let count = error.diagnostics.count { $0.severity == .error }
        return Rejection(
            .invalidDefinition,
            count == 1 ? "The definition has a mistake" : "The definition has \(count) mistakes",
            diagnostics: error.diagnostics)
    }

    static func invalidName(_ message: String) -> Rejection { Rejection(.invalidName, message) }

    static func invalidData(_ message: String) -> Rejection { Rejection(.invalidData, message) }

    static func reservedEvent(_ name: String) -> Rejection {
        Rejection(
            .reservedEvent,
            "The event name '\(name)' is reserved: names under "
                + EventName.reservedPrefixes.map { "'\($0)'" }.joined(separator: ", ") + " belong to the engine")
    }

    /// Rejects an event that the machine refused; without facts, the event of a start.
    static func refused(
        _ refusal: Refusal, event: String, machine: Machine, facts: InstanceFacts?
    ) -> Rejection {
        let message =
            facts.map { refusal.message(for: event, in: machine, at: $0.place) }
            ?? refusal.message(for: event, in: machine)
        return Rejection(
            Code(refusal), message, facts: facts,
            refused: RefusedEvent(refusal: refusal, event: event, machine: machine))
    }

    /// The message without values of the instance, because the message is stored, and no redaction would find values
    /// there.
    var lastingMessage: String {
        switch (code, refused?.refusal) {
        case (.guardRejected, .guardRejected(let findings)?):
            guard let refused else { return message }
            let silent = Refusal.guardRejected(findings.map(\.withoutValues))
            return Rejection.refused(silent, event: refused.event, machine: refused.machine, facts: facts).message
        case (.expressionFailed, let refusal):
            let place = facts.map { $0.place.text + ": " } ?? ""
            guard let refused, let refusal,
                let failure = RecordedFailure(refusal, of: refused.event, in: refused.machine)
            else { return place + "an expression failed; ask for it alone to be told which" }
            return place + failure.detail(machine: MachineName(rawValue: refused.machine.name))
        default: return message
        }
    }

    static func finished(_ facts: InstanceFacts) -> Rejection {
        Rejection(.finished, "\(facts.place.text), is \(facts.status) and accepts no more events", facts: facts)
    }

    static func failed(_ facts: InstanceFacts) -> Rejection {
        Rejection(.failed, "\(facts.place.text), has failed and waits for an operator", facts: facts)
    }

    static func suspended(_ facts: InstanceFacts) -> Rejection {
        Rejection(
            .suspended, "\(facts.place.text), is suspended and takes no events until it is resumed", facts: facts)
    }

    /// - Parameter facts: The facts of the instance that received the event.
    static func machineSuspended(_ facts: InstanceFacts, _ suspension: MachineSuspension) -> Rejection {
        Rejection(
            .machineSuspended,
            "\(facts.place.text), takes no events: machine '\(facts.machine)' is suspended until it is resumed"
                + suspension.said, facts: facts)
    }

    /// - Parameter machine: The machine of the instance that was to start.
    static func machineSuspended(_ machine: MachineName, _ suspension: MachineSuspension) -> Rejection {
        Rejection(
            .machineSuspended,
            "Machine '\(machine)' is suspended: nothing starts until it is resumed" + suspension.said,
            subject: .machine(machine))
    }

    /// Rejects a change of an instance that has finished.
    static func unchangeable(_ facts: InstanceFacts) -> Rejection {
        Rejection(.finished, "\(facts.place.text), is \(facts.status) and cannot be changed any more", facts: facts)
    }

    /// - Parameter verb: `retry` or `skip`.
    static func notFailed(_ verb: String, _ facts: InstanceFacts) -> Rejection {
        Rejection(.notFailed, "\(facts.place.text), is \(facts.status) and needs no \(verb)", facts: facts)
    }

    /// Rejects a retry because a migration led to a version without the event that the instance had failed on.
    static func forgotten(_ event: String, _ facts: InstanceFacts) -> Rejection {
        Rejection(
            .unknownEvent,
            "\(facts.place.text), has failed on '\(event)', which its version does not know any more: 'skip' drops it",
            facts: facts)
    }

    static func notSuspended(_ facts: InstanceFacts) -> Rejection {
        Rejection(.notSuspended, "\(facts.place.text), is \(facts.status) and not suspended", facts: facts)
    }

    /// Rejects suspending an instance that does not run.
    static func restsAlready(_ facts: InstanceFacts) -> Rejection {
        facts.status == .suspended
            ? Rejection(.suspended, "\(facts.place.text), is suspended already", facts: facts)
            : Rejection(
                .failed, "\(facts.place.text), has failed: what comes waits already, until it is retried", facts: facts)
    }

    /// Rejects a verb whose macrostep would fail and be undone.
    ///
    /// - Parameter hint: The remedy.
    static func undone(
        _ refusal: Refusal, verb: String, machine: Machine, _ facts: InstanceFacts, hint: String
    ) -> Rejection {
        Rejection(Code(refusal), refusal.message(for: verb, in: machine, at: facts.place) + hint, facts: facts)
    }

    /// Rejects a repeated request because the instance that the key was used for is deleted.
    static func purged(_ key: RequestKey?) -> Rejection {
        Rejection(.purged, "Key '\(key?.text ?? "")' was used for an instance that is deleted; nothing was changed")
    }

    /// Rejects a migration because parts of the instance have no place in another version.
    static func misfit(_ misfits: [Misfit], _ version: MachineVersion, _ facts: InstanceFacts) -> Rejection {
        let reasons = misfits.prefix(3).map { "\($0.place): \($0.reason)" }.joined(separator: "; ")
        let more = misfits.count > 3 ? "; and \(misfits.count - 3) more" : ""
        return Rejection(
            .misfit, "\(facts.name) does not fit version \(version): \(reasons)\(more)", facts: facts,
            misfits: misfits)
    }

    /// Rejects a migration of an instance to the version that it already runs.
    static func sameVersion(_ version: MachineVersion, _ facts: InstanceFacts) -> Rejection {
        Rejection(.invalidData, "\(facts.place.text), runs version \(version) already", facts: facts)
    }

    /// Rejects a migration with retry because the instance would fail in the other version, too; the instance stays in
    /// its version.
    static func failsAgain(
        _ refusal: Refusal, on event: String, in new: LoadedMachine, _ facts: InstanceFacts
    ) -> Rejection {
        let reason = RecordedFailure(refusal, of: event, in: new.machine)?.detail(machine: new.record.name)
        return Rejection(
            Code(refusal),
            "\(facts.name) would fail again in version \(new.record.version) and was left: "
                + (reason ?? refusal.message(for: event, in: new.machine)), facts: facts,
            refused: RefusedEvent(refusal: refusal, event: event, machine: new.machine))
    }

    /// - Parameter expected: The expectation that did not hold: `seq 4`.
    static func preconditionFailed(_ expected: String, _ facts: InstanceFacts) -> Rejection {
        Rejection(.preconditionFailed, "\(facts.place.text), is not at \(expected)", facts: facts)
    }

    static func tooMuchTogether(_ message: String) -> Rejection { Rejection(.tooMuchTogether, message) }

    /// - Parameter what: The data that is gone, as the beginning of a sentence.
    static func redacted(_ what: String) -> Rejection {
        Rejection(.redacted, "\(what) was redacted: it is gone, and nothing brings it back; nothing was changed")
    }

    static func keyReused(_ key: String) -> Rejection {
        Rejection(.keyReused, "Key '\(key)' was used for another request; nothing was changed")
    }

    static func keyExpired(_ key: String, at time: Timestamp, now: Timestamp) -> Rejection {
        Rejection(
            .keyExpired,
            "Key '\(key)' is of \(LogicalTime(time).text), and it is \(LogicalTime(now).text) here: keys that old are "
                + "forgotten, and nobody knows whether it was used; look at the history; where the key is new, one of "
                + "the clocks is wrong")
    }

    static func keyAhead(_ key: String, at time: Timestamp, now: Timestamp) -> Rejection {
        Rejection(
            .keyAhead,
            "Key '\(key)' is of \(LogicalTime(time).text), but it is only \(LogicalTime(now).text) here: "
                + "one of the clocks is wrong")
    }
}

extension Rejection.Code {
    fileprivate init(_ refusal: Refusal) {
        self =
            switch refusal {
            case .unknownEvent: .unknownEvent
            case .notAccepted: .notAccepted
            case .guardRejected: .guardRejected
            case .finished: .finished
            case .failed: .failed
            case .suspended: .suspended
            case .expressionFailed: .expressionFailed
            case .livelock: .livelock
            case .invalidData: .invalidData
            }
    }
}

extension MachineSuspension {
    /// The operator's reason, to follow a sentence.
    fileprivate var said: String { reason.map { " (\($0))" } ?? "" }
}
