/// A timer's place in the order in which all timers of a store are due.
package struct TimerKey: Hashable, Comparable, Sendable {
    package var due: Timestamp
    /// Of the row that armed it: of two timers due at the same time the one armed first comes first.
    package var position: Position
    /// Its number among what the row armed: the lower comes first.
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

/// Something that will come to an instance by itself, as stored.
package struct TimerRecord: Hashable, Sendable {
    package var key: TimerKey
    package var instanceID: InstanceID
    /// The name of the event that it is.
    package var event: String

    package init(key: TimerKey, instanceID: InstanceID, event: String) {
        self.key = key
        self.instanceID = instanceID
        self.event = event
    }
}
