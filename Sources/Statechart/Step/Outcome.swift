/// The outcome of an input.
package enum Outcome: Sendable, Equatable {
    /// The input was refused, and nothing changed.
    case refused(Refusal)
    /// The machine took the input and is stable again.
    case accepted(Macrostep)
    /// A pending item could not be taken. The item stays armed, and the instance has failed with the refusal.
    case failed(Macrostep, Refusal)
}

/// The complete result of one input.
///
/// `Macrostep` is a class, because it is large, immutable and passed through many functions.
package final class Macrostep: Sendable {
    /// The instance after the macrostep.
    package let snapshot: Snapshot
    /// The states that were left, in order, over all microsteps; the root is never left. If the machine finishes, the
    /// list lacks the states that stay for display, although their exit actions ran.
    package let exited: [StateIndex]
    /// The states that were entered, in order, over all microsteps, without the root.
    package let entered: [StateIndex]
    /// The microsteps in order; empty if no trace was requested.
    package var microsteps: [Microstep] { trace?.microsteps ?? [] }
    /// The transitions tried, with eventless ones, in order over all microsteps; empty if no trace was requested.
    package var findings: [CandidateFinding] { trace?.findings ?? [] }
    /// The trace; `nil` if not requested.
    let trace: StepTrace?
    /// The requests for new rows and cancelled rows, without the item that was taken.
    package let requests: [Request]
    /// The emitted events in order, over all microsteps.
    package let emitted: [Event]
    /// The units of `Budget` that were used.
    package let cost: Int
    /// The first exit action that failed during cancellation. No transition handles the failure, and nothing is rolled
    /// back. The case is always `expressionFailed`; the type `Refusal` takes little space when there is no failure.
    package let exitFailure: Refusal?
    /// The timer that was too late for every transition; `nil` if there was none.
    package let skipped: SkippedTimer?

    package init(
        snapshot: Snapshot, exited: [StateIndex] = [], entered: [StateIndex] = [], trace: StepTrace? = nil,
        requests: [Request] = [], emitted: [Event] = [], cost: Int = 0, exitFailure: Refusal? = nil,
        skipped: SkippedTimer? = nil
    ) {
        self.skipped = skipped
        self.exitFailure = exitFailure
        self.requests = requests
        self.emitted = emitted
        self.snapshot = snapshot
        self.exited = exited
        self.entered = entered
        self.trace = trace
        self.cost = cost
    }
}

extension Macrostep: Equatable {
    package static func == (lhs: Macrostep, rhs: Macrostep) -> Bool {
        lhs.snapshot == rhs.snapshot && lhs.exited == rhs.exited && lhs.entered == rhs.entered
            && lhs.trace == rhs.trace && lhs.requests == rhs.requests && lhs.emitted == rhs.emitted
            && lhs.cost == rhs.cost && lhs.exitFailure == rhs.exitFailure && lhs.skipped == rhs.skipped
    }
}

/// The record of a traced macrostep.
package struct StepTrace: Sendable, Equatable {
    /// The microsteps in order.
    var microsteps: [Microstep] = []
    /// The transitions tried so far, up to about `StepLimits.findings`.
    var findings: [CandidateFinding] = []
}

/// Transitions taken together, and their results.
package struct Microstep: Sendable, Equatable {
    /// The trace of one action.
    package struct ActionTrace: Sendable, Equatable {
        /// The state that the action belongs to.
        package let state: StateIndex
        package let line: Int
        /// The text of the trace: `assign amount = 250`, `raise paid`, `log "…"`, `failed: …`.
        package let text: String
        /// The number of states that the microstep had left before the action.
        package var exited = 0
        /// The number of states that the microstep had entered before the action.
        package var entered = 0
    }

    /// The event that was taken; `nil` for eventless transitions.
    package let event: String?
    /// The transitions; empty when the machine starts.
    package let transitions: [TransitionIndex]
    package internal(set) var exited: [StateIndex] = []
    package internal(set) var entered: [StateIndex] = []
    /// The traces of the actions in the order of execution.
    package internal(set) var deeds: [ActionTrace] = []
}

extension Microstep {
    /// Returns the microstep with its first actions, and with the first characters of their texts.
    package func shortened(actions: Int, characters: Int) -> Microstep {
        var short = self
        short.deeds = deeds.prefix(actions).map { deed in
            let rest = deed.text.utf8.count > characters ? deed.text.dropFirst(characters) : ""
            return ActionTrace(
                state: deed.state, line: deed.line, text: rest.isEmpty ? deed.text : deed.text.prefix(characters) + "…",
                exited: deed.exited, entered: deed.entered)
        }
        return short
    }
}

/// The reason why an event was not taken.
package enum Refusal: Error, Sendable, Equatable {
    /// No state of the machine has a transition for the event.
    case unknownEvent
    /// Some state has a transition for the event, but no state of this configuration.
    case notAccepted
    /// States of this configuration have transitions for the event, but no guard is true. The findings are in the order
    /// of evaluation.
    case guardRejected([GuardFinding])
    /// The machine has finished.
    case finished
    /// The instance has failed and waits for an operator.
    case failed
    /// An operator has suspended the instance; it takes no events until it is resumed.
    case suspended
    /// A failed action or guard, or an error event, was not handled; the whole macrostep is rolled back.
    indirect case expressionFailed(ActionFailure)
    /// The machine never settles. The states are the sources of the repeated transitions, in document order.
    case livelock([StateIndex])
    /// The data of a start do not fit the machine's context, or an event's data do not fit the declared type.
    case invalidData(String)
}

/// An action or a guard that failed, or an error event that nothing handled.
package struct ActionFailure: Error, Sendable, Equatable {
    /// The state of the action or guard: the state that was entered or left, or the source of the transition.
    package let state: StateIndex
    /// The line of the definition.
    package let line: Int
    /// The relevant part of the failed action: `assign a.b`, `context.n / 0`.
    package let expression: String
    /// The reason of the failure.
    package let message: String
    /// The reason without quotes of the instance's data; this text may be logged and stored.
    package let discreet: String

    /// - Parameter discreet: The message without data; `nil` if `message` quotes no data.
    init(state: StateIndex, line: Int, expression: String, message: String, discreet: String? = nil) {
        self.state = state
        self.line = line
        self.expression = expression
        self.message = message
        self.discreet = discreet ?? message
    }
}

extension ActionFailure {
    /// The beginning of `discreet` for a failed invocation that no transition takes. The text must stay, because
    /// recorded histories contain it.
    static let ofInvocation = "the invocation failed, and no transition takes "

    /// Returns true for the `discreet` message of a failed invocation that no transition takes.
    package static func isOfInvocation(_ discreet: String) -> Bool { discreet.hasPrefix(ofInvocation) }
}
