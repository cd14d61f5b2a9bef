public import WorkflowJSON

/// The body of `POST /v1/instances/NAME/{retry|skip|suspend|resume}`.
public struct RepairRequest: Equatable, WireObject {
    /// For the history; `skip` requires one.
    public var reason: String?
    /// The seq that the instance must have; nil for any.
    public var seq: Int64?
    /// True to be told what would happen, without a change.
    public var dryRun: Bool?

    /// Takes the parts as they are.
    public init(reason: String? = nil, seq: Int64? = nil, dryRun: Bool? = nil) {
        self.reason = reason
        self.seq = seq
        self.dryRun = dryRun
    }

    public init(fields: inout WireFields) throws(WireError) {
        reason = try fields.optional("reason", bytes: APILimits.reasonBytes)
        seq = try fields.optional("seq")
        dryRun = try fields.optional("dryRun")
    }

    public func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.field("reason", ifPresent: reason)
            writer.field("seq", ifPresent: seq)
            writer.field("dryRun", ifPresent: dryRun)
        }
    }
}
