package import Statechart
package import WorkflowStore

/// The reason why a command was not carried out. Nothing changed, except that `outcomeUnknown` leaves the change in
/// doubt.
///
/// As small as a reference, because results that may hold a rejection are moved often and seldom hold one.
package struct Rejection: Error, Sendable {
    /// The stable code of the failure; the problem of the same name is sent to the caller.
    package enum Code: String, CaseIterable, Sendable {
        case machineNotFound = "machine-not-found"
        case instanceNotFound = "instance-not-found"
        case instanceExists = "instance-exists"
        case invalidDefinition = "invalid-definition"
        case invalidName = "invalid-name"
        case invalidData = "invalid-data"
        case reservedEvent = "reserved-event"
        /// The machine refused the event; the refusal and the facts give the reason.
        case unknownEvent = "unknown-event"
        case notAccepted = "event-not-accepted"
        case guardRejected = "guard-rejected"
        case expressionFailed = "expression-failed"
        case livelock
        case finished = "instance-finished"
        case failed = "instance-failed"
        /// A retry or a skip names an instance that has not failed.
        case notFailed = "instance-not-failed"
        /// The instance of the event is suspended.
        case suspended = "instance-suspended"
        /// The machine of the instances is suspended.
        case machineSuspended = "machine-suspended"
        /// A resume names an instance that is not suspended.
        case notSuspended = "instance-not-suspended"
        /// A reset does not say what to do with invocations.
        case invocationsUndecided = "invocations-undecided"
        /// Something else has happened since the macrostep that is to be undone.
        case notUndoable = "not-undoable"
        /// A deletion names an instance that may still continue.
        case notFinished = "instance-not-finished"
        /// The instance was deleted.
        case purged = "instance-purged"
        /// No bulk run has the name.
        case runNotFound = "run-not-found"
        /// The selected instances differ from the rehearsed ones.
        case selectionChanged = "selection-changed"
        /// A part of the instance has no place in the other version.
        case misfit
        /// An expectation of the command did not hold.
        case preconditionFailed = "precondition-failed"
        /// The events are too large for one transaction.
        case tooMuchTogether = "payload-too-large"
        /// The requested data was erased.
        case redacted
        /// The key was used for another request.
        case keyReused = "key-reused"
        /// The key's time is earlier than keys are remembered.
        case keyExpired = "key-expired"
        /// The key's time is too far in the future.
        case keyAhead = "key-ahead"
        /// The daemon runs on the machine's clock, which cannot be moved.
        case realClock = "clock-not-virtual"
        /// The clock cannot move to the time.
        case invalidTime = "invalid-time"
        /// A backup is being made, or waits to be fetched.
        case backupUnderWay = "backup-running"
        /// Another worker may have the task, or the task has ended.
        case leaseLost = "lease-lost"
        /// Effects in progress need the data that would be erased, or would be deleted with their instance.
        case effectsOpen = "effects-open"
        /// The instance has not reached the seq.
        case seqNotFound = "seq-not-found"
        /// The instance waits for no such effect.
        case effectNotFound = "effect-not-found"
        /// The effect is being worked on, or has its result.
        case effectNotWaiting = "effect-not-waiting"
        case overloaded
        case draining
        case storageUnavailable = "storage-unavailable"
        case outcomeUnknown = "outcome-unknown"
        /// The daemon's store lacks the ability.
        case notImplemented = "not-implemented"
        /// The store holds data that wfd did not write.
        case damaged = "database-damaged"
        /// A fault of wfd; the message says what to report.
        case fault = "internal-error"
    }

    /// The machine's own refusal of an event.
    package struct RefusedEvent: Sendable {
        package let refusal: Refusal
        /// The name of the event.
        package let event: String
        package let machine: Machine
    }

    private final class Parts: Sendable {
        let code: Code
        let message: @Sendable () -> String
        let facts: InstanceFacts?
        let subject: Subject?
        let refused: RefusedEvent?
        let diagnostics: [Diagnostic]?
        let candidates: [CandidateView]?
        let offset: Int?
        let misfits: [Misfit]?
        let wait: Wait?

        init(
            _ code: Code, _ message: @escaping @Sendable () -> String, facts: InstanceFacts?, subject: Subject?,
            refused: RefusedEvent?, diagnostics: [Diagnostic]?, candidates: [CandidateView]? = nil, offset: Int? = nil,
            misfits: [Misfit]? = nil, wait: Wait? = nil
        ) {
            self.misfits = misfits
            self.wait = wait
            self.code = code
            self.message = message
            self.facts = facts
            self.subject = subject
            self.refused = refused
            self.diagnostics = diagnostics
            self.candidates = candidates
            self.offset = offset
        }
    }

    /// The subject of a rejection, by its name.
    package enum Subject: Sendable {
        case machine(MachineName)
        case instance(InstanceName)
        /// An effect, and the known effects of its instance.
        case effect(String, of: InstanceName, known: [String])
    }

    /// The reason why a command waits to be applied again.
    enum Wait: Sendable, Hashable {
        /// The command needs a machine version that is being compiled.
        case compiling(MachineID)
        /// The command may not overtake a command that waits.
        case behind

        /// True if the wait ends once these versions are compiled.
        func ends(with compiled: Set<MachineID>) -> Bool {
            switch self {
            case .compiling(let id): compiled.contains(id)
            case .behind: true
            }
        }
    }

    private let parts: Parts

    /// - Parameters:
    ///   - message: The failure, its subject, its reason and the remedy. Built on demand, not on the writer's time.
    ///   - facts: The facts of the instance that was left alone, if there is one.
    ///   - subject: The subject of the rejection, if there are no facts.
    package init(
        _ code: Code, _ message: @escaping @autoclosure @Sendable () -> String, facts: InstanceFacts? = nil,
        subject: Subject? = nil, refused: RefusedEvent? = nil, diagnostics: [Diagnostic]? = nil,
        misfits: [Misfit]? = nil
    ) {
        parts = Parts(
            code, message, facts: facts, subject: subject, refused: refused, diagnostics: diagnostics,
            misfits: misfits)
    }

    /// Postpones a command, which the writer applies again by itself; the caller is not told.
    init(waiting wait: Wait) {
        parts = Parts(
            .overloaded, { "A machine version is being compiled; nothing was changed" }, facts: nil, subject: nil,
            refused: nil, diagnostics: nil, wait: wait)
    }

    private init(_ parts: Parts) { self.parts = parts }

    package var code: Code { parts.code }

    /// The failure, its subject, its reason and the remedy. The message may contain payloads.
    package var message: String { parts.message() }

    /// The facts of the instance that was left alone; `nil` if there is none.
    package var facts: InstanceFacts? { parts.facts }

    /// The subject of the rejection, if there are no facts.
    package var subject: Subject? { parts.subject }

    /// The machine's own refusal; `nil` if the machine was not asked.
    package var refused: RefusedEvent? { parts.refused }

    /// The mistakes in a definition, and its warnings; `nil` if no definition was rejected.
    package var diagnostics: [Diagnostic]? { parts.diagnostics }

    /// The parts of an instance without a place in another version; `nil` if the rejection concerns none.
    package var misfits: [Misfit]? { parts.misfits }

    /// Every candidate transition of a dry run that explains its result.
    package var candidates: [CandidateView]? { parts.candidates }

    /// The index, from 0, of the event that was not accepted, for events that are applied all or not at all.
    package var offset: Int? { parts.offset }

    /// The reason why the command waits to be applied again; `nil` for a command that was rejected.
    var wait: Wait? { parts.wait }

    /// Returns the same rejection with the candidates of an explanation.
    func explained(_ candidates: [CandidateView]) -> Rejection { with(candidates: candidates, offset: offset) }

    /// Returns the same rejection with the index of one of several events.
    func at(_ offset: Int) -> Rejection { with(candidates: candidates, offset: offset) }

    private func with(candidates: [CandidateView]?, offset: Int?) -> Rejection {
        Rejection(
            Parts(
                code, parts.message, facts: facts, subject: subject, refused: refused, diagnostics: diagnostics,
                candidates: candidates, offset: offset, misfits: misfits, wait: wait))
    }
}

extension Rejection: CustomStringConvertible {
    /// The code alone, because the message may contain payloads.
    package var description: String { code.rawValue }
}

/// The facts that a refusal reports about the instance that was left alone.
package struct InstanceFacts: Sendable, Equatable {
    package let name: InstanceName
    package let machine: MachineName
    package let status: InstanceStatus
    /// The paths of the active leaves.
    package let configuration: [String]
    package let seq: Seq
    /// The descriptors of the events that the instance accepts now.
    package let accepted: [String]
}

extension InstanceFacts {
    /// The place of the instance, for messages.
    var place: InstancePlace { InstancePlace(name: name.rawValue, paths: configuration, seq: seq.rawValue) }
}
