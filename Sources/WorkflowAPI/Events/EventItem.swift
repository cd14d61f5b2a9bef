/// An event of an instance's machine, and whether the instance accepts it now.
public struct EventItem: Hashable, WireRecord {
    public var event: String
    /// True if the instance accepts the event; null on the wire if this depends on the event's data.
    public var accepted: Bool?

    /// Creates a value from its parts.
    public init(event: String, accepted: Bool?) {
        self.event = event
        self.accepted = accepted
    }

    public init<Fields: FieldVisitor<Self>>(fields: inout Fields) throws(Fields.Failure) {
        event = try fields.required("event", \.event)
        accepted = try fields.nullable("accepted", \.accepted)
    }
}
