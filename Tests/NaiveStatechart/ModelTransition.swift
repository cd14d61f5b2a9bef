package import Statechart

/// A transition of a machine.
package final class ModelTransition {
    /// What enables it.
    package enum Trigger: Equatable {
        /// A descriptor: a name, `name.*` or `*`.
        case event(String)
        case always
        /// `onDone`.
        case done
        /// `onDone` or `onError` of an invocation: the event.
        case ended(String)
        /// A delay of `after`, as written.
        case after(String)
        /// It is where a state begins, or the default of a history state.
        case initial
    }

    package unowned let source: ModelState
    package let trigger: Trigger
    package var targets: [ModelTarget]
    package var reenters = false
    package var condition: ModelGuard?
    package var actions: [ModelAction] = []
    /// Of a delay of `after`; nil for one that takes its timer however late.
    package var misfire: ModelMisfire?

    package init(of source: ModelState, on trigger: Trigger, to targets: [ModelTarget] = []) {
        self.source = source
        self.trigger = trigger
        self.targets = targets
    }

    /// The descriptor that enables it; nil for `always` and where a state begins.
    package var descriptor: String? {
        switch trigger {
        case .event(let descriptor), .ended(let descriptor): descriptor
        case .done: "done.state.\(source.name)"
        case .after(let delay): "after.\(delay).\(source.name)"
        case .always, .initial: nil
        }
    }
}

/// When a timer is too late for a transition.
package struct ModelMisfire: Equatable {
    /// More milliseconds late than this.
    package let limit: Int64
    /// Whether its delay begins anew when nothing takes it.
    package let rearms: Bool

    package init(limit: Int64, rearms: Bool) {
        self.limit = limit
        self.rearms = rearms
    }
}

/// A target, and which of the words that name it is written.
package struct ModelTarget {
    package unowned let state: ModelState
    /// Any number: one of the possible spellings.
    package let spelling: Int

    package init(state: ModelState, spelling: Int) {
        self.state = state
        self.spelling = spelling
    }
}

/// Executable content: what random machines have, and what was read from a definition.
package enum ModelAction {
    case raise(String)
    /// Sets `last` in the context to a number of this action's own.
    case set(Int)
    /// Cannot be done: it divides by zero.
    case fail
    /// Adds one to `n` in the context.
    case count
    /// Notes a number of this action's own in `order` and `trace` of the context.
    case record(Int)
    case send(ModelSend)
    /// Drops what was sent with an id.
    case cancel(String)
    /// As it stands in a definition.
    case written(Action)
}

/// An event that an instance sends to itself.
package struct ModelSend {
    package let event: String
    /// Whether `n` goes with it.
    package var hasData = false
    /// In milliseconds; nil for at once.
    package var delay: Int64?
    /// Whether the delay is `n` times as long.
    package var isMultiplied = false
    package var id: String?
    /// As in `ModelTimeout`.
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
    /// Whether `n` is less than a number.
    case countIsBelow(Int)
    /// Cannot be evaluated. Never a part of another condition, which might not need it.
    case fails
    case both(ModelGuard, ModelGuard)
    case either(ModelGuard, ModelGuard)
    /// As it stands in a definition.
    case written(Expression)
}

extension ModelTransition: Equatable {
    package static func == (lhs: ModelTransition, rhs: ModelTransition) -> Bool { lhs === rhs }
}
