/// Says that a timer came too late for all that would have taken it.
package struct SkippedTimer: Sendable, Equatable {
    package let lateMilliseconds: Int64
    /// Whether its delay has begun anew.
    package let isRearmed: Bool

    package init(lateMilliseconds: Int64, isRearmed: Bool) {
        self.lateMilliseconds = lateMilliseconds
        self.isRearmed = isRearmed
    }
}

/// How late the timer is that a macrostep takes, and what that has led to.
struct Lateness {
    let milliseconds: Int64
    /// The clock's time.
    let firedAt: LogicalTime
    /// Whether a transition was not asked because of it.
    private(set) var hasPassedOver = false
    /// The state whose delay begins anew; nil while no transition that was passed over wants that.
    private(set) var rearming: StateIndex?
    /// Whether the delay has begun anew.
    fileprivate(set) var isRearmed = false

    /// Nil for a timer that is not late.
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

    /// Nil unless a transition was passed over.
    var skipped: SkippedTimer? {
        hasPassedOver ? SkippedTimer(lateMilliseconds: milliseconds, isRearmed: isRearmed) : nil
    }
}

extension SkippedTimer {
    /// For a trace.
    var text: String { "skipped: \(DelayText.text(milliseconds: lateMilliseconds)) late" }
}

extension Interpreter {
    /// Whether the timer that is taken is too late for a transition, which is then as if it were not there.
    mutating func isTooLate(for transition: Transition) -> Bool {
        guard let lateness, transition.misfire.isTooLate(lateness.milliseconds) else { return false }
        self.lateness?.passOver(transition)
        return true
    }

    /// Ends the macrostep of a timer that nothing has taken because it is too late. Eventless transitions have no turn,
    /// unless a guard has failed, or a delay that was to begin anew.
    mutating func endSkipping(_ skipped: SkippedTimer) throws(Refusal) {
        trace?.append(Microstep(event: event.name, transitions: []))
        tell(skipped.text, of: .root, line: machine[.root].line)
        rearm()
        if hasRaised { try settle() } else { try checkExhaustion() }
    }

    /// Lets the delay of the timer begin anew, at the clock's time, as if the timer had armed itself then.
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
