public import WorkflowJSON

/// The last timer of an instance that has no timer and no invocation left, because this one came too late.
public struct SkippedTimerItem: Equatable, WireObject {
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

    public init(fields: inout WireFields) throws(WireError) {
        event = try fields.required("event")
        at = try fields.required("at")
        lateMilliseconds = try fields.required("lateMilliseconds")
        accepted = try fields.required("accepted")
    }

    public func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.field("event", event)
            writer.field("at", at)
            writer.field("lateMilliseconds", lateMilliseconds)
            writer.field("accepted", accepted)
        }
    }
}
