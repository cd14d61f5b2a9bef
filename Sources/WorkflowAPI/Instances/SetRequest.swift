public import WorkflowJSON

/// The body of `POST /v1/instances/NAME/set`.
public struct SetRequest: Equatable, WireRecord {
    /// The reason for the history.
    public var reason: String
    /// The values by their paths into the context: `total`, `customer.name`, `items[0]`; `nil` if there are none.
    public var set: JSONObject?
    /// The paths to remove; `nil` if there are none.
    public var unset: [String]?
    /// The seq that the instance must have; `nil` for any.
    public var seq: Int64?
    /// True to report the expected result and change nothing.
    public var dryRun: Bool?

    /// Creates a value from its parts.
    public init(
        reason: String, set: JSONObject? = nil, unset: [String]? = nil, seq: Int64? = nil, dryRun: Bool? = nil
    ) {
        self.reason = reason
        self.set = set
        self.unset = unset
        self.seq = seq
        self.dryRun = dryRun
    }

    public init<Fields: FieldVisitor<Self>>(fields: inout Fields) throws(Fields.Failure) {
        reason = try fields.required("reason", \.reason, in: APILimits.reasonBytes)
        set = try fields.optional("set", \.set)
        unset = try fields.optional("unset", \.unset)
        seq = try fields.optional("seq", \.seq)
        dryRun = try fields.optional("dryRun", \.dryRun)
    }

    public func check() throws(WireError) {
        if set?.isEmpty ?? true, unset?.isEmpty ?? true {
            throw WireError(.missingField, path: "set", message: "Say what to change: 'set' or 'unset'")
        }
    }
}
