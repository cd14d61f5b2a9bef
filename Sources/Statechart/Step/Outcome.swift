package import JSON

/// What an instance is told.
package struct Event: Sendable, Equatable {
    package let name: String
    package let data: JSONValue?

    package init(name: String, data: JSONValue? = nil) {
        self.name = name
        self.data = data
    }
}

/// What a step comes to.
package enum Outcome: Sendable, Equatable {
    /// Nothing changed.
    case refused(Refusal)
    /// The machine took the event and is stable again.
    case accepted(Macrostep)
}

/// All that one event caused.
package struct Macrostep: Sendable, Equatable {
    /// The instance afterwards.
    package let snapshot: Snapshot
    /// The states that were left, in order, over all microsteps; the root is never left. When the machine finishes, the
    /// states that stay for display are not among them, although their exit actions ran.
    package let exited: [StateIndex]
    /// The states that were entered, in order, over all microsteps; without the root.
    package let entered: [StateIndex]
}

/// Why an event was not taken.
package enum Refusal: Error, Sendable, Equatable {
    /// No state of the machine has a transition for it.
    case unknownEvent
    /// Some state has, but none of this configuration.
    case notAccepted
    /// The machine has finished.
    case finished
    /// An action failed and nothing handled it: the whole macrostep is undone.
    case expressionFailed(ActionFailure)
    /// The machine never settles; the states whose transitions went round, in document order.
    case livelock([StateIndex])
    /// The data of a start does not fit the machine's context.
    case invalidData(String)
}

/// An action that could not be run, or an error event that nothing handled.
package struct ActionFailure: Error, Sendable, Equatable {
    /// The state that the action belongs to: entered, left, or the source of the transition.
    package let state: StateIndex
    /// The line of the definition.
    package let line: Int
    /// The action, as far as it matters: `assign a.b`.
    package let expression: String
    /// Why.
    package let message: String
}

/// How far one macrostep may go.
package enum StepLimits {
    /// Microsteps and internal events of one macrostep; past it the machine is held to go round for ever.
    package static let work = 1_000
}
