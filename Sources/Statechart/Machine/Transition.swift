/// A transition between states. `Transition` is a class for the same reason as `State`.
package final class Transition: Sendable {
    package let index: TransitionIndex
    package let source: StateIndex
    /// The targets; empty for a transition that neither exits nor enters a state.
    package let targets: [StateIndex]
    /// The guard; `nil` if the transition is always enabled.
    package let condition: Expression?
    package let reenters: Bool
    package let actions: [Action]
    /// The descriptor as written (`pay`, `legal.*`, `*`), `done.state.<id>` for `onDone`, `after.<delay>.<id>` for
    /// `after`; `nil` for `always`.
    package let descriptor: String?
    /// The rule for a late timer that takes this transition; `fire` for every other transition. Under `Semantics.first`
    /// the timer's own rule applies instead.
    package let misfire: Misfire
    /// The line of the definition on which the transition stands.
    package let line: Int

    package init(
        index: TransitionIndex, source: StateIndex, targets: [StateIndex], condition: Expression?, reenters: Bool,
        actions: [Action], descriptor: String?, misfire: Misfire = .fire, line: Int
    ) {
        self.index = index
        self.source = source
        self.targets = targets
        self.condition = condition
        self.reenters = reenters
        self.actions = actions
        self.descriptor = descriptor
        self.misfire = misfire
        self.line = line
    }
}

/// A timer that is armed after its state's entry actions and removed when the state is left.
package struct Timeout: Sendable {
    /// The event's name: `after.<delay as written>.<state id>`.
    package let event: String
    package let delay: Delay
    /// The rule for all transitions of the delay under `Semantics.first`; `fire` under later semantics.
    package let misfire: Misfire
    /// The line of the definition on which the delay stands.
    package let line: Int
}

/// The rule for a timer that fires late, for example after downtime.
package enum Misfire: Sendable, Hashable {
    /// The timer fires, however late.
    case fire
    /// A timer that is later than the limit is recorded without effect.
    case skip(afterMilliseconds: Int64)
    /// A timer that is later than the limit is recorded, and its delay starts again at the clock's time.
    case next(afterMilliseconds: Int64)

    /// The largest lateness in milliseconds at which the timer still fires; `nil` for no limit.
    package var limit: Int64? {
        switch self {
        case .fire: nil
        case .skip(let limit), .next(let limit): limit
        }
    }

    /// True if the delay of a timer that is too late starts again.
    package var rearms: Bool {
        switch self {
        case .fire, .skip: false
        case .next: true
        }
    }

    /// Returns true if a timer that fires this many milliseconds late is too late.
    func isTooLate(_ milliseconds: Int64) -> Bool { limit.map { milliseconds > $0 } ?? false }
}

extension Machine {
    /// Returns the rule for a pending item that is too late for every transition.
    package func misfire(of pending: Pending) -> Misfire {
        guard pending.misfire == .fire, pending.kind == .timer, case .state(let owner) = pending.owner else {
            return pending.misfire
        }
        let rules = (self[owner].candidates.transitions(named: pending.event) ?? []).map { self[$0].misfire }
        let limits = rules.compactMap(\.limit)
        guard limits.count == rules.count, let limit = limits.max() else { return .fire }
        return rules.contains(where: \.rearms)
            ? .next(afterMilliseconds: limit) : .skip(afterMilliseconds: limit)
    }
}

/// The time to wait.
package enum Delay: Sendable {
    case milliseconds(Int64)
    /// An expression that returns a duration, milliseconds, or a text such as `30s`.
    case expression(Expression)
}
