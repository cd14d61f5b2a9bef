public import JSON

/// The answer to an accepted event.
public struct SendAnswer: Equatable, WireObject {
    public var instance: String
    public var event: String
    /// The instance's seq after the event.
    public var seq: Int64
    /// The paths of the active leaves before.
    public var from: [String]
    /// The paths of the active leaves after.
    public var to: [String]
    public var status: Instance.Status
    public var configuration: [String]
    public var context: JSONObject
    /// Paths in the order of leaving; only when detail was asked for.
    public var exited: [String]?
    /// Paths in the order of entering; only when detail was asked for.
    public var entered: [String]?
    /// True when nothing was changed; nil otherwise.
    public var dryRun: Bool?

    /// Takes the parts as they are.
    public init(
        instance: String, event: String, seq: Int64, from: [String], to: [String], status: Instance.Status,
        configuration: [String], context: JSONObject, exited: [String]? = nil, entered: [String]? = nil,
        dryRun: Bool? = nil
    ) {
        self.instance = instance
        self.event = event
        self.seq = seq
        self.from = from
        self.to = to
        self.status = status
        self.configuration = configuration
        self.context = context
        self.exited = exited
        self.entered = entered
        self.dryRun = dryRun
    }

    public init(fields: inout WireFields) throws(WireError) {
        instance = try fields.required("instance")
        event = try fields.required("event")
        seq = try fields.required("seq")
        from = try fields.required("from")
        to = try fields.required("to")
        status = try fields.required("status")
        configuration = try fields.required("configuration")
        context = try fields.required("context")
        exited = try fields.optional("exited")
        entered = try fields.optional("entered")
        dryRun = try fields.optional("dryRun")
    }

    public func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.field("instance", instance)
            writer.field("event", event)
            writer.field("seq", seq)
            writer.field("from", from)
            writer.field("to", to)
            writer.field("status", status.rawValue)
            writer.field("configuration", configuration)
            writer.field("context", context)
            writer.field("exited", ifPresent: exited)
            writer.field("entered", ifPresent: entered)
            writer.field("dryRun", ifPresent: dryRun)
        }
    }
}
