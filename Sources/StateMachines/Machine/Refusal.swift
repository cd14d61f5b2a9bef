internal import Statechart

/// The reason that an event was not taken; nothing changed. The daemon uses the same texts.
public struct Refusal<M: MachineDefinition>: Error, Sendable {
    /// The type of the API's problem. A struct instead of an enum, so that a new reason breaks no `switch`.
    public struct Reason: RawRepresentable, Hashable, Sendable {
        public let rawValue: String

        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// None of the active states takes the event.
        public static var notAccepted: Reason { Reason(rawValue: "event-not-accepted") }
        /// No guard allowed the event.
        public static var guardRejected: Reason { Reason(rawValue: "guard-rejected") }
        /// The event's data does not match the machine's declaration, or the result does not fit the types of `M`.
        public static var invalidData: Reason { Reason(rawValue: "invalid-data") }
        /// The machine is done.
        public static var finished: Reason { Reason(rawValue: "instance-finished") }
        /// The instance has failed, and waits for an operator.
        public static var failed: Reason { Reason(rawValue: "instance-failed") }
        /// An operator has suspended the instance, which waits until it is resumed.
        public static var suspended: Reason { Reason(rawValue: "instance-suspended") }
        /// An action or a guard failed.
        public static var expressionFailed: Reason { Reason(rawValue: "expression-failed") }
        /// The machine would not have become stable.
        public static var livelock: Reason { Reason(rawValue: "livelock") }
        /// No state of the machine takes the event.
        public static var unknownEvent: Reason { Reason(rawValue: "unknown-event") }
        /// The instance does not have the seq that the caller expected.
        public static var preconditionFailed: Reason { Reason(rawValue: "precondition-failed") }
        /// `StateMachine.shouldTransition` refused the event; not a problem of the API.
        public static var vetoed: Reason { Reason(rawValue: "vetoed") }
        /// The machine is calling `shouldTransition` or `willExit`; not a problem of the API.
        public static var busy: Reason { Reason(rawValue: "busy") }
    }

    public let reason: Reason
    /// The events that the instance takes now, or could take with suitable data.
    public let accepted: [M.EventName]
    /// The text without the accepted events.
    let message: String

    init(_ reason: Reason, _ message: String, accepted: [M.EventName] = []) {
        self.reason = reason
        self.accepted = accepted
        self.message = message
    }

}

/// The reason that an event was not taken, without the text of a `Refusal`.
@usableFromInline
enum UntakenEvent: Error {
    /// The event was sent from `shouldTransition` or `willExit`.
    case busy
    /// The event cannot be encoded as a name and data.
    case unwritable(MachineMismatch)
    case refused(UntypedRefusal, event: String)
    /// The result does not fit the types of the machine.
    case unfit(MachineMismatch, event: String)
    case vetoed(event: String)
}

extension MachineValue {
    /// Returns the refusal of an event that was not taken.
    @usableFromInline
    func refusal(_ untaken: UntakenEvent) -> Refusal<M> {
        switch untaken {
        case .busy: Refusal(.busy, "an event cannot be sent from 'shouldTransition' or 'willExit'")
        case .unwritable(let error): Refusal(.invalidData, error.description)
        case .refused(let error, let event):
            Refusal(
                Refusal<M>.Reason(error.refusal),
                typed.names.placed(instance.message(of: error.refusal, for: event)), accepted: accepted)
        case .unfit(let error, let event): Refusal(.invalidData, "'\(event)' was undone: \(error)")
        case .vetoed(let event): Refusal(.vetoed, "'\(event)' was refused by 'shouldTransition'")
        }
    }
}

extension Refusal: CustomStringConvertible {
    public var description: String {
        guard reason == .notAccepted || reason == .unknownEvent else { return message }
        return "\(message); accepted now: "
            + (accepted.isEmpty ? "nothing" : accepted.map(\.rawValue).joined(separator: ", "))
    }
}

extension Refusal.Reason {
    init(_ refusal: Statechart.Refusal) {
        switch refusal {
        case .unknownEvent: self = .unknownEvent
        case .notAccepted: self = .notAccepted
        case .guardRejected: self = .guardRejected
        case .finished: self = .finished
        case .failed: self = .failed
        case .suspended: self = .suspended
        case .expressionFailed: self = .expressionFailed
        case .livelock: self = .livelock
        case .invalidData: self = .invalidData
        }
    }
}
