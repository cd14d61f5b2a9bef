public import WorkflowJSON

/// One event of an instance's machine, and whether the instance takes it now.
public struct EventItem: Hashable, WireObject {
    public var event: String
    /// Nil (null on the wire) when it depends on the event's data.
    public var accepted: Bool?

    /// Takes the parts as they are.
    public init(event: String, accepted: Bool?) {
        self.event = event
        self.accepted = accepted
    }

    public init(fields: inout WireFields) throws(WireError) {
        event = try fields.required("event")
        accepted = try fields.optional("accepted")
    }

    public func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.field("event", event)
            writer.field("accepted", accepted.map(JSONValue.bool) ?? .null)
        }
    }
}
