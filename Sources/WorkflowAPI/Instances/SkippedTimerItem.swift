/// The last timer of an instance that has no timer and no invocation left, because this one came too late.
public struct SkippedTimerItem: Equatable, WireRecord {
    /// The timer's event.
    public var event: String
    /// The time at which it was skipped, by the daemon's clock.
    public var at: WireTime
    public var lateMilliseconds: Int64
    /// The events that the instance still takes, unless a guard rejects them.
    public var accepted: [String]

    /// Takes the parts as they are.
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
