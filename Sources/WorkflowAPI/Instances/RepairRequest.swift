/// The body of `POST /v1/instances/NAME/{retry|skip|suspend|resume}`.
public struct RepairRequest: Equatable, WireRecord {
    /// The reason for the history; `skip` requires one.
    public var reason: String?
    /// The seq that the instance must have; `nil` for any.
    public var seq: Int64?
    /// True to report the expected result and change nothing.
    public var dryRun: Bool?

    /// Creates a value from its parts.
    public init(reason: String? = nil, seq: Int64? = nil, dryRun: Bool? = nil) {
        self.reason = reason
        self.seq = seq
        self.dryRun = dryRun
    }

    public init<Fields: FieldVisitor<Self>>(fields: inout Fields) throws(Fields.Failure) {
        reason = try fields.optional("reason", \.reason, in: APILimits.reasonBytes)
        seq = try fields.optional("seq", \.seq)
        dryRun = try fields.optional("dryRun", \.dryRun)
    }
}
