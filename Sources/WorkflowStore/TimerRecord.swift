/// The place of a timer in the order in which a store's timers are due.
package struct TimerKey: Hashable, Comparable, Sendable {
    package var due: Timestamp
    /// The position of the row that armed the timer. Of two timers due at the same time, the one armed first comes
    /// first.
    package var position: Position
    /// The number among the items that the row armed; the lower number comes first.
    package var ordinal: Int64

    package init(due: Timestamp, position: Position, ordinal: Int64) {
        self.due = due
        self.position = position
        self.ordinal = ordinal
    }

    package static func < (lhs: TimerKey, rhs: TimerKey) -> Bool {
        (lhs.due, lhs.position, lhs.ordinal) < (rhs.due, rhs.position, rhs.ordinal)
    }
}

/// An event that an instance will receive at a set time, as stored.
package struct TimerRecord: Hashable, Sendable {
    package var key: TimerKey
    package var instanceID: InstanceID
    /// The name of the event.
    package var event: String

    package init(key: TimerKey, instanceID: InstanceID, event: String) {
        self.key = key
        self.instanceID = instanceID
        self.event = event
    }
}
