public import WorkflowJSON

/// The body of `POST /v1/instances/NAME/set`.
public struct SetRequest: Equatable, WireObject {
    /// For the history.
    public var reason: String
    /// Values by their paths into the context: `total`, `customer.name`, `items[0]`; nil for none.
    public var set: JSONObject?
    /// The paths of what goes; nil for none.
    public var unset: [String]?
    /// The seq that the instance must have; nil for any.
    public var seq: Int64?
    /// True to be told what would happen, without a change.
    public var dryRun: Bool?

    /// Takes the parts as they are.
    public init(
        reason: String, set: JSONObject? = nil, unset: [String]? = nil, seq: Int64? = nil, dryRun: Bool? = nil
    ) {
        self.reason = reason
        self.set = set
        self.unset = unset
        self.seq = seq
        self.dryRun = dryRun
    }

    public init(fields: inout WireFields) throws(WireError) {
        reason = try fields.required("reason", bytes: APILimits.reasonBytes)
        set = try fields.optional("set")
        unset = try fields.optional("unset")
        seq = try fields.optional("seq")
        dryRun = try fields.optional("dryRun")
        if set?.isEmpty ?? true, unset?.isEmpty ?? true {
            throw WireError(.missingField, path: "set", message: "Say what to change: 'set' or 'unset'")
        }
    }

    public func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.field("reason", reason)
            writer.field("set", ifPresent: set)
            writer.field("unset", ifPresent: unset)
            writer.field("seq", ifPresent: seq)
            writer.field("dryRun", ifPresent: dryRun)
        }
    }
}
