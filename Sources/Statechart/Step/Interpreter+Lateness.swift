/// A timer that came too late for every transition that would have taken it.
package struct SkippedTimer: Sendable, Equatable {
    package let lateMilliseconds: Int64
    /// True when its delay has begun anew.
    package let isRearmed: Bool

    package init(lateMilliseconds: Int64, isRearmed: Bool) {
        self.lateMilliseconds = lateMilliseconds
        self.isRearmed = isRearmed
    }
}

/// The lateness of the timer that a macrostep takes, and its consequences so far.
struct Lateness {
    let milliseconds: Int64
    /// The clock's time.
    let firedAt: LogicalTime
    /// True when a transition was passed over because the timer is too late for it.
    private(set) var hasPassedOver = false
    /// The state whose delay begins anew; nil while no transition that was passed over wants that.
    private(set) var rearming: StateIndex?
    /// True when the delay has begun anew.
    fileprivate(set) var isRearmed = false

    /// Returns nil for a timer that is not late.
    init?(_ milliseconds: Int64, firedAt: LogicalTime) {
        if milliseconds == 0 { return nil }
        self.milliseconds = milliseconds
        self.firedAt = firedAt
    }

    /// Notes a transition that the timer is too late for.
    fileprivate mutating func passOver(_ transition: Transition) {
        hasPassedOver = true
        if transition.misfire.rearms { rearming = transition.source }
    }

    /// The timer as skipped; nil unless a transition was passed over.
    var skipped: SkippedTimer? {
        hasPassedOver ? SkippedTimer(lateMilliseconds: milliseconds, isRearmed: isRearmed) : nil
    }
}

extension SkippedTimer {
    /// The text for a trace.
    var text: String { "skipped: \(DelayText.text(milliseconds: lateMilliseconds)) late" }
}

extension Interpreter {
    /// True when the timer that is taken is too late for a transition. The transition is then ignored.
    mutating func isTooLate(for transition: Transition) -> Bool {
        guard let lateness, transition.misfire.isTooLate(lateness.milliseconds) else { return false }
        self.lateness?.passOver(transition)
        return true
    }

    /// Ends the macrostep of a timer that no transition has taken because it is too late. Eventless transitions are
    /// tried only when a guard failed, or a delay that was to begin anew.
    mutating func endSkipping(_ skipped: SkippedTimer) throws(Refusal) {
        trace?.append(Microstep(event: event.name, transitions: []))
        tell(skipped.text, of: .root, line: machine[.root].line)
        rearm()
        if hasRaised { try settle() } else { try checkExhaustion() }
    }

    /// Begins the delay of the timer anew at the clock's time, as if the timer had been armed then.
    private mutating func rearm() {
        guard let lateness, let owner = lateness.rearming,
            let timeout = machine[owner].timeouts.first(where: { $0.event == event.name })
        else { return }
        let taken = event
        // The time of an instance never goes back, although a clock does. No clock shows a time that cannot be due.
        let latest = LogicalTime(milliseconds: StepLimits.latestDue)
        event = Event(name: taken.name, data: taken.data, at: max(min(lateness.firedAt, latest), taken.at))
        let count = armed.count
        arm(timeout, of: owner)
        self.lateness?.isRearmed = armed.count > count
        event = taken
    }
}
