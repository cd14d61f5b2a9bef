/// The body of `POST /v1/instances/NAME/cancel`.
public struct CancelRequest: Equatable, WireRecord {
    /// The reason for the history.
    public var reason: String
    /// False to run no exit actions; `nil` for true.
    public var actions: Bool?
    /// The seq that the instance must have; `nil` for any.
    public var seq: Int64?
    /// True to report the expected result and change nothing.
    public var dryRun: Bool?

    /// Creates a value from its parts.
    public init(reason: String, actions: Bool? = nil, seq: Int64? = nil, dryRun: Bool? = nil) {
        self.reason = reason
        self.actions = actions
        self.seq = seq
        self.dryRun = dryRun
    }

    public init<Fields: FieldVisitor<Self>>(fields: inout Fields) throws(Fields.Failure) {
        reason = try fields.required("reason", \.reason, in: APILimits.reasonBytes)
        actions = try fields.optional("actions", \.actions)
        seq = try fields.optional("seq", \.seq)
        dryRun = try fields.optional("dryRun", \.dryRun)
    }
}
