/// A transition between states. A class for the same reason as `State`.
package final class Transition: Sendable {
    package let index: TransitionIndex
    package let source: StateIndex
    /// Empty for a transition that neither exits nor enters anything.
    package let targets: [StateIndex]
    /// What must hold for the transition to be taken; nil for always.
    package let condition: Expression?
    package let reenters: Bool
    package let actions: [Action]
    /// The descriptor as written (`pay`, `legal.*`, `*`), `done.state.<id>` for `onDone`, `after.<delay>.<id>` for
    /// `after`; nil for `always`.
    package let descriptor: String?
    /// Decides when the timer that the transition takes is too late for it; `fire` for every other transition. Under
    /// `Semantics.first` the timer decides instead.
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

/// A timer that is armed when its state's entry actions have run, and goes when the state is left.
package struct Timeout: Sendable {
    /// `after.<delay as written>.<state id>`.
    package let event: String
    package let delay: Delay
    /// Decides for all transitions of the delay under `Semantics.first`; `fire` under later semantics.
    package let misfire: Misfire
    /// The line of the definition on which the delay stands.
    package let line: Int

    package init(event: String, delay: Delay, misfire: Misfire, line: Int) {
        self.event = event
        self.delay = delay
        self.misfire = misfire
        self.line = line
    }
}

/// What becomes of a timer that fires late, because nobody was there to fire it.
package enum Misfire: Sendable, Hashable {
    /// It fires, however late.
    case fire
    /// Later than this it is recorded, and changes nothing.
    case skip(afterMilliseconds: Int64)
    /// When the timer is later than this, that is recorded, and the delay begins anew at the clock's time.
    case next(afterMilliseconds: Int64)

    /// The most milliseconds that a timer may be late; nil for any number.
    package var limit: Int64? {
        switch self {
        case .fire: nil
        case .skip(let limit), .next(let limit): limit
        }
    }

    /// True when the delay of a timer that is too late begins anew.
    package var rearms: Bool {
        switch self {
        case .fire, .skip: false
        case .next: true
        }
    }

    /// True when a timer that fires this many milliseconds late is too late.
    func isTooLate(_ milliseconds: Int64) -> Bool { limit.map { milliseconds > $0 } ?? false }
}

extension Machine {
    /// The rule for something armed that is too late for every transition.
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

/// How long to wait.
package enum Delay: Sendable {
    case milliseconds(Int64)
    /// Gives a duration, milliseconds, or a text such as `30s`.
    case expression(Expression)
}
