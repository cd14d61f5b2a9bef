/// The body of `POST /v1/instances/NAME/reset`.
public struct ResetRequest: Equatable, WireRecord {
    /// When that is due which was to come by itself.
    public enum Timers: String, WireWord {
        /// What was left of it then counts from now.
        case left
        /// When it was due then.
        case due
    }

    /// What becomes of the invocations that lived then and do not live now.
    public enum Invocations: String, WireWord {
        /// They begin anew: what they ask for is done twice.
        case again
        /// They have the result that came.
        case answer
    }

    /// The seq whose state the instance is to have.
    public var to: Int64
    /// For the history.
    public var reason: String
    /// Nil for `left`.
    public var timers: Timers?
    /// Nil where there must be none.
    public var invocations: Invocations?
    /// The seq that the instance must have; nil for any.
    public var seq: Int64?
    /// True to be told what would happen, without a change.
    public var dryRun: Bool?

    /// Takes the parts as they are.
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
    /// For the history.
    public var reason: String
    /// Nil where no invocation was cancelled.
    public var invocations: ResetRequest.Invocations?
    /// The seq that the instance must have; nil for any.
    public var seq: Int64?
    /// True to be told what would happen, without a change.
    public var dryRun: Bool?

    /// Takes the parts as they are.
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
