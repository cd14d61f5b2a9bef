/// The body of `POST /v1/instances/NAME/reset`.
public struct ResetRequest: Equatable, WireRecord {
    /// The due times of the timers and delayed events that the instance had then.
    public enum Timers: String, WireWord {
        /// The rest of the time counts from now.
        case left
        /// The due time stays the same.
        case due
    }

    /// The fate of the invocations that were live then and are not live now.
    public enum Invocations: String, WireWord {
        /// The invocations begin again, so their services act twice.
        case again
        /// The invocations get the results that came.
        case answer
    }

    /// The seq whose state the instance gets.
    public var to: Int64
    /// The reason for the history.
    public var reason: String
    /// The due times; `nil` for `left`.
    public var timers: Timers?
    /// The fate of the invocations; `nil` to refuse if there are any.
    public var invocations: Invocations?
    /// The seq that the instance must have; `nil` for any.
    public var seq: Int64?
    /// True to report the expected result and change nothing.
    public var dryRun: Bool?

    /// Creates a value from its parts.
    public init(
        to: Int64, reason: String, timers: Timers? = nil, invocations: Invocations? = nil, seq: Int64? = nil,
        dryRun: Bool? = nil
    ) {
        self.to = to
        self.reason = reason
        self.timers = timers
        self.invocations = invocations
        self.seq = seq
        self.dryRun = dryRun
    }

    public init<Fields: FieldVisitor<Self>>(fields: inout Fields) throws(Fields.Failure) {
        to = try fields.required("to", \.to)
        reason = try fields.required("reason", \.reason, in: APILimits.reasonBytes)
        timers = try fields.optional("timers", \.timers)
        invocations = try fields.optional("invocations", \.invocations)
        seq = try fields.optional("seq", \.seq)
        dryRun = try fields.optional("dryRun", \.dryRun)
    }
}

/// The body of `POST /v1/instances/NAME/undo`.
public struct UndoRequest: Equatable, WireRecord {
    /// The reason for the history.
    public var reason: String
    /// The fate of the invocations that the migration cancelled; `nil` to refuse if there are any.
    public var invocations: ResetRequest.Invocations?
    /// The seq that the instance must have; `nil` for any.
    public var seq: Int64?
    /// True to report the expected result and change nothing.
    public var dryRun: Bool?

    /// Creates a value from its parts.
    public init(
        reason: String, invocations: ResetRequest.Invocations? = nil, seq: Int64? = nil, dryRun: Bool? = nil
    ) {
        self.reason = reason
        self.invocations = invocations
        self.seq = seq
        self.dryRun = dryRun
    }

    public init<Fields: FieldVisitor<Self>>(fields: inout Fields) throws(Fields.Failure) {
        reason = try fields.required("reason", \.reason, in: APILimits.reasonBytes)
        invocations = try fields.optional("invocations", \.invocations)
        seq = try fields.optional("seq", \.seq)
        dryRun = try fields.optional("dryRun", \.dryRun)
    }
}
