package import JSON

/// An event that will come by itself: a timer, or an event that the instance sent to itself and that comes next.
package struct ArmedTimer: Sendable, Equatable {
    /// What ends the timer before it fires.
    package enum Owner: Sendable, Equatable {
        /// `after`: leaving the state.
        case state(StateIndex)
        /// `send`: `cancel` of the id; nil when it has none.
        case send(id: String?)
    }

    /// Larger than those of all timers that were armed before it and still are: of two that are due at the same time
    /// the lower one fires first.
    package let number: Int
    package let event: String
    package let data: JSONValue?
    package let due: LogicalTime
    package let owner: Owner
    /// Whether it was sent without delay: it comes before everything else that happens to the instance.
    package let isImmediate: Bool
    package let misfire: Misfire

    package init(
        number: Int, event: String, data: JSONValue?, due: LogicalTime, owner: Owner, isImmediate: Bool = false,
        misfire: Misfire = .fire
    ) {
        self.number = number
        self.event = event
        self.data = data
        self.due = due
        self.owner = owner
        self.isImmediate = isImmediate
        self.misfire = misfire
    }
}

extension Snapshot {
    /// The event that comes next by itself: what was sent without delay in its order, then the timer that is due first.
    package var nextTimer: ArmedTimer? {
        armed.first(where: \.isImmediate) ?? armed.min { ($0.due, $0.number) < ($1.due, $1.number) }
    }

    /// The event that must come before any other; nil when nothing was sent without delay.
    package var nextImmediate: ArmedTimer? { armed.first(where: \.isImmediate) }
}

extension Machine {
    /// The event of a timer that fires. Its time is when it was due, but an instance's time never goes back.
    ///
    /// - Parameter now: The clock's time; nil when it fires in time.
    package func event(of timer: ArmedTimer, notBefore last: LogicalTime = .zero, firedAt now: LogicalTime? = nil)
        -> Event
    {
        Event(
            name: timer.event, data: timer.data, at: max(timer.due, last),
            origin: timer.isImmediate ? .sent(timer.number) : .timer(timer.number), firedAt: now)
    }
}

extension ArmedTimer {
    /// Whether the event of this timer comes so late that it shall change nothing.
    func isSkipped(by event: Event) -> Bool {
        guard case .skip(let limit) = misfire else { return false }
        return (event.firedAt ?? event.at).milliseconds - due.milliseconds > limit
    }
}
