package import Statechart

/// A transition of a machine.
package final class ModelTransition {
    /// The trigger of a transition.
    package enum Trigger: Equatable {
        /// A descriptor: a name, `name.*` or `*`.
        case event(String)
        case always
        /// `onDone`.
        case done
        /// The event of `onDone` or `onError` of an invocation.
        case ended(String)
        /// A delay of `after`, as in the definition.
        case after(String)
        /// The start of a state, or the default of a history state.
        case initial
    }

    package unowned let source: ModelState
    package let trigger: Trigger
    package var targets: [ModelTarget]
    package var reenters = false
    package var condition: ModelGuard?
    package var actions: [ModelAction] = []
    /// The rule for a late timer of `after`; `nil` if the transition takes its timer however late it is.
    package var misfire: ModelMisfire?

    package init(of source: ModelState, on trigger: Trigger, to targets: [ModelTarget] = []) {
        self.source = source
        self.trigger = trigger
        self.targets = targets
    }

    /// The descriptor that enables the transition; `nil` for `always` and for the start of a state.
    package var descriptor: String? {
        switch trigger {
        case .event(let descriptor), .ended(let descriptor): descriptor
        case .done: "done.state.\(source.name)"
        case .after(let delay): "after.\(delay).\(source.name)"
        case .always, .initial: nil
        }
    }
}

/// The rule for a timer that is too late for a transition.
package struct ModelMisfire: Equatable {
    /// The lateness in milliseconds up to which the transition takes the timer.
    package let limit: Int64
    /// True if the delay begins again when no transition takes the timer.
    package let rearms: Bool

    package init(limit: Int64, rearms: Bool) {
        self.limit = limit
        self.rearms = rearms
    }
}

/// A target, with the choice of its spelling.
package struct ModelTarget {
    package unowned let state: ModelState
    /// A number that chooses one of the possible spellings.
    package let spelling: Int

    package init(state: ModelState, spelling: Int) {
        self.state = state
        self.spelling = spelling
    }
}

/// Executable content, either of random machines or from a definition.
package enum ModelAction {
    case raise(String)
    /// Sets `last` in the context to this action's own number.
    case set(Int)
    /// Fails, because it divides by zero.
    case fail
    /// Adds one to `n` in the context.
    case count
    /// Records this action's own number in `order` and `trace` of the context.
    case record(Int)
    case send(ModelSend)
    /// Drops the event that was sent with an id.
    case cancel(String)
    /// An action of a definition.
    case written(Action)
}

/// An event that an instance sends to itself.
package struct ModelSend {
    package let event: String
    /// True if the event carries `n`.
    package var hasData = false
    /// The delay in milliseconds; `nil` for none.
    package var delay: Int64?
    /// True if the delay is multiplied by `n`.
    package var isMultiplied = false
    package var id: String?
    /// The lateness limit, as in `ModelTimeout`.
    package var skip: Int64?

    package init(event: String) {
        self.event = event
    }
}

/// A condition.
package indirect enum ModelGuard {
    case always
    case never
    case isIn(ModelTarget)
    case isNotIn(ModelTarget)
    /// True if `n` is less than a number.
    case countIsBelow(Int)
    /// A condition that cannot be evaluated. It is never a part of another condition, which might not evaluate it.
    case fails
    case both(ModelGuard, ModelGuard)
    case either(ModelGuard, ModelGuard)
    /// A condition of a definition.
    case written(Expression)
}

extension ModelTransition: Equatable {
    package static func == (lhs: ModelTransition, rhs: ModelTransition) -> Bool { lhs === rhs }
}
