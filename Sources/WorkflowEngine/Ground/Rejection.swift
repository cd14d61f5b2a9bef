package import Statechart
package import WorkflowStore

/// Why a command was not carried out. Nothing changed, but for `outcomeUnknown`, where that is not known.
///
/// As small as a reference: results that may be one are moved often, and rarely are one.
package struct Rejection: Error, Sendable {
    /// What went wrong, in a word that stays; the problem of the same name is what a caller is told.
    package enum Code: String, CaseIterable, Sendable {
        case machineNotFound = "machine-not-found"
        case instanceNotFound = "instance-not-found"
        case instanceExists = "instance-exists"
        case invalidDefinition = "invalid-definition"
        case invalidName = "invalid-name"
        case invalidData = "invalid-data"
        case reservedEvent = "reserved-event"
        /// The machine refused the event; the refusal and the facts say why.
        case unknownEvent = "unknown-event"
        case notAccepted = "event-not-accepted"
        case guardRejected = "guard-rejected"
        case expressionFailed = "expression-failed"
        case livelock
        case finished = "instance-finished"
        case failed = "instance-failed"
        /// A retry or a skip of an instance that has not failed.
        case notFailed = "instance-not-failed"
        /// An event for an instance that somebody has stopped.
        case suspended = "instance-suspended"
        /// Something for instances of a machine that somebody has suspended.
        case machineSuspended = "machine-suspended"
        /// A resume of an instance that is not suspended.
        case notSuspended = "instance-not-suspended"
        /// A reset that does not say what becomes of invocations.
        case invocationsUndecided = "invocations-undecided"
        /// Something else has happened since what is to be undone.
        case notUndoable = "not-undoable"
        /// A deletion of an instance that may still go on.
        case notFinished = "instance-not-finished"
        /// The instance was deleted.
        case purged = "instance-purged"
        /// No run over many instances has the name.
        case runNotFound = "run-not-found"
        /// Other instances are selected than were rehearsed.
        case selectionChanged = "selection-changed"
        /// Something of the instance has no place in the other version.
        case misfit
        /// What was expected and did not hold.
        case preconditionFailed = "precondition-failed"
        /// Events that are too much for one transaction.
        case tooMuchTogether = "payload-too-large"
        /// What is asked for was erased.
        case redacted
        /// The key was used for another request.
        case keyReused = "key-reused"
        /// The key says that it is older than keys are remembered.
        case keyExpired = "key-expired"
        /// The key says a time that has not come yet.
        case keyAhead = "key-ahead"
        /// The clock is the machine's, which nobody moves.
        case realClock = "clock-not-virtual"
        /// A clock cannot go there.
        case invalidTime = "invalid-time"
        /// A backup is made, or waits to be fetched.
        case backupUnderWay = "backup-running"
        /// Somebody else may have the task, or it has ended.
        case leaseLost = "lease-lost"
        /// Effects are under way that need what would be erased, or deleted with their instance.
        case effectsOpen = "effects-open"
        /// The instance has not come that far.
        case seqNotFound = "seq-not-found"
        /// The instance waits for no such effect.
        case effectNotFound = "effect-not-found"
        /// Somebody works on the effect, or it has its result.
        case effectNotWaiting = "effect-not-waiting"
        case overloaded
        case draining
        case storageUnavailable = "storage-unavailable"
        case outcomeUnknown = "outcome-unknown"
        /// The daemon's store has no such ability.
        case notImplemented = "not-implemented"
        /// The store holds what was not written.
        case damaged = "database-damaged"
        /// A fault of ours; the message tells what to report.
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

    /// What it is about, by its name.
    package enum Subject: Sendable {
        case machine(MachineName)
        case instance(InstanceName)
        /// An effect, and those that there are.
        case effect(String, of: InstanceName, known: [String])
    }

    /// The reason why a command waits to be applied again.
    enum Wait: Sendable, Hashable {
        /// The command needs a machine version that is being compiled.
        case compiling(MachineID)
        /// The command may not overtake one that waits.
        case behind

        /// True when the wait ends because these versions are compiled.
        func ends(with compiled: Set<MachineID>) -> Bool {
            switch self {
            case .compiling(let id): compiled.contains(id)
            case .behind: true
            }
        }
    }

    private let parts: Parts

    /// - Parameters:
    ///   - message: What failed, on which thing, why and what to do. Made when somebody asks, not on the writer's time.
    ///   - facts: Of the instance that was left alone, where there is one.
    ///   - subject: What it is about, when there are no facts of it.
    package init(
        _ code: Code, _ message: @escaping @autoclosure @Sendable () -> String, facts: InstanceFacts? = nil,
        subject: Subject? = nil, refused: RefusedEvent? = nil, diagnostics: [Diagnostic]? = nil,
        misfits: [Misfit]? = nil
    ) {
        parts = Parts(
            code, message, facts: facts, subject: subject, refused: refused, diagnostics: diagnostics,
            misfits: misfits)
    }

    /// A command that is applied again by itself; its caller is not told.
    init(waiting wait: Wait) {
        parts = Parts(
            .overloaded, { "A machine version is being compiled; nothing was changed" }, facts: nil, subject: nil,
            refused: nil, diagnostics: nil, wait: wait)
    }

    private init(_ parts: Parts) { self.parts = parts }

    package var code: Code { parts.code }

    /// What failed, on which thing, why and what to do. It may hold payloads.
    package var message: String { parts.message() }

    /// Of the instance that was left alone; nil when there is none.
    package var facts: InstanceFacts? { parts.facts }

    /// What it is about, when there are no facts of it.
    package var subject: Subject? { parts.subject }

    /// The machine's own refusal; nil when it was not asked.
    package var refused: RefusedEvent? { parts.refused }

    /// The mistakes of a definition, and what else was noticed in it; nil when it is about none.
    package var diagnostics: [Diagnostic]? { parts.diagnostics }

    /// What of an instance has no place in another version; nil when it is about none.
    package var misfits: [Misfit]? { parts.misfits }

    /// Every candidate transition, of a dry run that is explained.
    package var candidates: [CandidateView]? { parts.candidates }

    /// Of events that are applied all or not at all: which one was not accepted, counted from 0.
    package var offset: Int? { parts.offset }

    /// The reason why the command waits to be applied again; nil for a command that was rejected.
    var wait: Wait? { parts.wait }

    /// The same, with the candidates that an explanation tells of.
    func explained(_ candidates: [CandidateView]) -> Rejection { with(candidates: candidates, offset: offset) }

    /// The same, of one of several events.
    func at(_ offset: Int) -> Rejection { with(candidates: candidates, offset: offset) }

    private func with(candidates: [CandidateView]?, offset: Int?) -> Rejection {
        Rejection(
            Parts(
                code, parts.message, facts: facts, subject: subject, refused: refused, diagnostics: diagnostics,
                candidates: candidates, offset: offset, misfits: misfits, wait: wait))
    }
}

extension Rejection: CustomStringConvertible {
    /// The code alone: the message may hold payloads.
    package var description: String { code.rawValue }
}

/// What a refusal tells about the instance that it left alone.
package struct InstanceFacts: Sendable, Equatable {
    package let name: InstanceName
    package let machine: MachineName
    package let status: InstanceStatus
    /// Paths of the active leaves.
    package let configuration: [String]
    package let seq: Seq
    /// The descriptors of events that it takes now.
    package let accepted: [String]
}

extension InstanceFacts {
    /// For messages.
    var place: InstancePlace { InstancePlace(name: name.rawValue, paths: configuration, seq: seq.rawValue) }
}
