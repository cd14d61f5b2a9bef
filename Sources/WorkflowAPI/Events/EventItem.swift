/// One event of an instance's machine, and whether the instance takes it now.
public struct EventItem: Hashable, WireRecord {
    public var event: String
    /// Nil (null on the wire) when it depends on the event's data.
    public var accepted: Bool?

    /// Takes the parts as they are.
    public init(event: String, accepted: Bool?) {
        self.event = event
        self.accepted = accepted
    }

    public init<Fields: FieldVisitor<Self>>(fields: inout Fields) throws(Fields.Failure) {
        event = try fields.required("event", \.event)
        accepted = try fields.nullable("accepted", \.accepted)
    }
}
