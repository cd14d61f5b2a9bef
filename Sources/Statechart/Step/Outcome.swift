/// What an input comes to.
package enum Outcome: Sendable, Equatable {
    /// Nothing changed.
    case refused(Refusal)
    /// The machine took the input and is stable again.
    case accepted(Macrostep)
    /// What was armed could not be taken, and why: it stays armed, and the instance has failed.
    case failed(Macrostep, Refusal)
}

/// All that one input caused.
///
/// A class, because it is large, never changes and goes from hand to hand.
package final class Macrostep: Sendable {
    /// The instance afterwards.
    package let snapshot: Snapshot
    /// The states that were left, in order, over all microsteps; the root is never left. When the machine finishes, the
    /// states that stay for display are not among them, although their exit actions ran.
    package let exited: [StateIndex]
    /// The states that were entered, in order, over all microsteps; without the root.
    package let entered: [StateIndex]
    /// What happened one by one; empty unless it was asked for.
    package let microsteps: [Microstep]
    /// What it asks for: rows of what is to come. What was taken is not among them.
    package let requests: [Request]
    /// Units of `Budget` that were used.
    package let cost: Int
    /// The first exit action that failed when the instance was cancelled: nothing handles it, and nothing is undone.
    /// Its case is `expressionFailed`, which takes little room where there is none.
    package let exitFailure: Refusal?
    /// The timer that was too late for every transition; nil when there was none.
    package let skipped: SkippedTimer?

    package init(
        snapshot: Snapshot, exited: [StateIndex] = [], entered: [StateIndex] = [], microsteps: [Microstep] = [],
        requests: [Request] = [], cost: Int = 0, exitFailure: Refusal? = nil, skipped: SkippedTimer? = nil
    ) {
        self.skipped = skipped
        self.exitFailure = exitFailure
        self.requests = requests
        self.snapshot = snapshot
        self.exited = exited
        self.entered = entered
        self.microsteps = microsteps
        self.cost = cost
    }
}

extension Macrostep: Equatable {
    package static func == (lhs: Macrostep, rhs: Macrostep) -> Bool {
        lhs.snapshot == rhs.snapshot && lhs.exited == rhs.exited && lhs.entered == rhs.entered
            && lhs.microsteps == rhs.microsteps && lhs.requests == rhs.requests && lhs.cost == rhs.cost
            && lhs.exitFailure == rhs.exitFailure && lhs.skipped == rhs.skipped
    }
}

/// Transitions taken together, and what they did.
package struct Microstep: Sendable, Equatable {
    /// Something that an action did.
    package struct ActionTrace: Sendable, Equatable {
        /// To which state the action belongs.
        package let state: StateIndex
        package let line: Int
        /// `assign amount = 250`, `raise paid`, `log "…"`, `failed: …`.
        package let text: String
        /// How many of the states that the microstep leaves had been left before.
        package var exited = 0
        /// How many of the states that the microstep enters had been entered before.
        package var entered = 0
    }

    /// What was taken; nil for eventless transitions.
    package let event: String?
    /// Empty when the machine starts.
    package let transitions: [TransitionIndex]
    package internal(set) var exited: [StateIndex] = []
    package internal(set) var entered: [StateIndex] = []
    /// In the order in which they were done.
    package internal(set) var deeds: [ActionTrace] = []
}

/// Why an event was not taken.
package enum Refusal: Error, Sendable, Equatable {
    /// No state of the machine has a transition for it.
    case unknownEvent
    /// Some state has, but none of this configuration.
    case notAccepted
    /// States of this configuration have, but no guard let it pass; in the order in which they were asked.
    case guardRejected([GuardFinding])
    /// The machine has finished.
    case finished
    /// The instance has failed and waits for somebody to look.
    case failed
    /// Somebody has stopped the instance, and it waits until it is resumed.
    case suspended
    /// Something could not be evaluated or done and nothing handled it: the whole macrostep is undone.
    indirect case expressionFailed(ActionFailure)
    /// The machine never settles; the states whose transitions went round, in document order.
    case livelock([StateIndex])
    /// The data of a start does not fit the machine's context, or an event's data its declared type.
    case invalidData(String)
}

/// An action or a guard that failed, or an error event that nothing handled.
package struct ActionFailure: Error, Sendable, Equatable {
    /// The state that it belongs to: entered, left, or the source of the transition.
    package let state: StateIndex
    /// The line of the definition.
    package let line: Int
    /// What failed, as far as it matters: `assign a.b`, `context.n / 0`.
    package let expression: String
    /// Why.
    package let message: String
    /// The same without what it quotes of the instance's data: what may be logged and kept.
    package let discreet: String

    /// - Parameter discreet: Nil for a message that quotes no data.
    init(state: StateIndex, line: Int, expression: String, message: String, discreet: String? = nil) {
        self.state = state
        self.line = line
        self.expression = expression
        self.message = message
        self.discreet = discreet ?? message
    }
}

extension ActionFailure {
    /// How `discreet` begins of an invocation whose failure nothing takes. Recorded histories say it, so it stays.
    static let ofInvocation = "the invocation failed, and no transition takes "

    /// True of the `discreet` message of an invocation whose failure nothing takes.
    package static func isOfInvocation(_ discreet: String) -> Bool { discreet.hasPrefix(ofInvocation) }
}
