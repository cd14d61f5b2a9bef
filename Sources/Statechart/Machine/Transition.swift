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
    /// The line of the definition on which the transition stands.
    package let line: Int

    package init(
        index: TransitionIndex, source: StateIndex, targets: [StateIndex], condition: Expression?, reenters: Bool,
        actions: [Action], descriptor: String?, line: Int
    ) {
        self.index = index
        self.source = source
        self.targets = targets
        self.condition = condition
        self.reenters = reenters
        self.actions = actions
        self.descriptor = descriptor
        self.line = line
    }
}

/// A timer that is armed when its state's entry actions have run, and goes when the state is left.
package struct Timeout: Sendable {
    /// `after.<delay as written>.<state id>`.
    package let event: String
    package let delay: Delay
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
}

/// How long to wait.
package enum Delay: Sendable {
    case milliseconds(Int64)
    /// Gives a duration, milliseconds, or a text such as `30s`.
    case expression(Expression)
}
