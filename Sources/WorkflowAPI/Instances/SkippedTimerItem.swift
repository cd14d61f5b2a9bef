/// The last timer of an instance that now has neither timer nor invocation: this timer came too late.
public struct SkippedTimerItem: Equatable, WireRecord {
    /// The timer's event.
    public var event: String
    /// The time when the daemon skipped the timer, by its clock.
    public var at: WireTime
    /// The milliseconds from the due time to `at`.
    public var lateMilliseconds: Int64
    /// The events that the instance still accepts, unless a guard rejects them.
    public var accepted: [String]

    /// Creates a value from its parts.
    public init(event: String, at: WireTime, lateMilliseconds: Int64, accepted: [String]) {
        self.event = event
        self.at = at
        self.lateMilliseconds = lateMilliseconds
        self.accepted = accepted
    }

    public init<Fields: FieldVisitor<Self>>(fields: inout Fields) throws(Fields.Failure) {
        event = try fields.required("event", \.event)
        at = try fields.required("at", \.at)
        lateMilliseconds = try fields.required("lateMilliseconds", \.lateMilliseconds)
        accepted = try fields.required("accepted", \.accepted)
    }
}
