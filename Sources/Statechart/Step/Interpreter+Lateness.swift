/// A timer that was too late for every transition that would have taken it.
package struct SkippedTimer: Sendable, Equatable {
    package let lateMilliseconds: Int64
    /// True if the timer's delay has started again.
    package let isRearmed: Bool

    package init(lateMilliseconds: Int64, isRearmed: Bool) {
        self.lateMilliseconds = lateMilliseconds
        self.isRearmed = isRearmed
    }
}

/// The lateness of the timer that a macrostep takes, and its consequences so far.
struct Lateness {
    let milliseconds: Int64
    /// The clock's time when the timer fired.
    let firedAt: LogicalTime
    /// True if a transition was skipped because the timer is too late for it.
    private(set) var hasPassedOver = false
    /// The state whose delay starts again; `nil` if no skipped transition asks to rearm the timer.
    private(set) var rearming: StateIndex?
    /// True if the delay has started again.
    fileprivate(set) var isRearmed = false

    /// Returns `nil` for a timer that is not late.
    init?(_ milliseconds: Int64, firedAt: LogicalTime) {
        if milliseconds == 0 { return nil }
        self.milliseconds = milliseconds
        self.firedAt = firedAt
    }

    /// Records a transition that the timer is too late for.
    fileprivate mutating func passOver(_ transition: Transition) {
        hasPassedOver = true
        if transition.misfire.rearms { rearming = transition.source }
    }

    /// The skipped timer; `nil` if no transition was skipped.
    var skipped: SkippedTimer? {
        hasPassedOver ? SkippedTimer(lateMilliseconds: milliseconds, isRearmed: isRearmed) : nil
    }
}

extension SkippedTimer {
    /// The text for a trace.
    var text: String { "skipped: \(DelayText.text(milliseconds: lateMilliseconds)) late" }
}

extension Interpreter {
    /// Returns true if the current timer is too late for a transition. The transition is then ignored.
    mutating func isTooLate(for transition: Transition) -> Bool {
        guard let lateness, transition.misfire.isTooLate(lateness.milliseconds) else { return false }
        self.lateness?.passOver(transition)
        return true
    }

    /// Ends the macrostep of a timer that is too late for every transition. Eventless transitions are tried only if a
    /// guard failed, or if the new delay could not be computed.
    mutating func endSkipping(_ skipped: SkippedTimer) throws(Refusal) {
        trace?.microsteps.append(Microstep(event: event.name, transitions: []))
        tell(skipped.text, of: .root, line: machine[.root].line)
        rearm()
        if hasRaised { try settle() } else { try checkExhaustion() }
    }

    /// Starts the timer's delay again at the clock's time, as if the timer had been armed then.
    private mutating func rearm() {
        guard let lateness, let owner = lateness.rearming,
            let timeout = machine[owner].timeouts.first(where: { $0.event == event.name })
        else { return }
        let taken = event
        // An instance's time never goes back, even if a clock does. A clock's time past the latest due time is capped.
        let latest = LogicalTime(milliseconds: StepLimits.latestDue)
        event = Event(name: taken.name, data: taken.data, at: max(min(lateness.firedAt, latest), taken.at))
        let count = armed.count
        arm(timeout, of: owner)
        self.lateness?.isRearmed = armed.count > count
        event = taken
    }
}
