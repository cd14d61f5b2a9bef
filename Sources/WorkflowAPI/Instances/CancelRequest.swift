public import WorkflowJSON

/// The body of `POST /v1/instances/NAME/cancel`.
public struct CancelRequest: Equatable, WireObject {
    /// For the history.
    public var reason: String
    /// False to run no exit actions; nil for true.
    public var actions: Bool?
    /// The seq that the instance must have; nil for any.
    public var seq: Int64?
    /// True to be told what would happen, without a change.
    public var dryRun: Bool?

    /// Takes the parts as they are.
    public init(reason: String, actions: Bool? = nil, seq: Int64? = nil, dryRun: Bool? = nil) {
        self.reason = reason
        self.actions = actions
        self.seq = seq
        self.dryRun = dryRun
    }

    public init(fields: inout WireFields) throws(WireError) {
        reason = try fields.required("reason", bytes: APILimits.reasonBytes)
        actions = try fields.optional("actions")
        seq = try fields.optional("seq")
        dryRun = try fields.optional("dryRun")
    }

    public func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.field("reason", reason)
            writer.field("actions", ifPresent: actions)
            writer.field("seq", ifPresent: seq)
            writer.field("dryRun", ifPresent: dryRun)
        }
    }
}
