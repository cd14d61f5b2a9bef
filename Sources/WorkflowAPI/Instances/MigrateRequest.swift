/// The plan by which instances migrate to another version of their machine. It is the content of a file for `wfctl
/// migrate --plan`, and a part of the body of `POST /v1/instances/NAME/migrate`.
public struct MigrationPlanItem: Equatable, WireRecord {
    /// The time from which the delays of new timers count.
    public enum Timers: String, WireWord {
        /// The time when the instance entered its state.
        case sinceEntry = "since-entry"
        case fromNow = "from-now"
    }

    /// The new paths of states by their old paths; `nil` if there are none.
    public var map: [String: String]?
    /// CEL expressions over the old context, by paths into the new one; `nil` if there are none.
    public var assign: [String: String]?
    /// The paths of states and of values in the context to drop; `nil` if there are none.
    public var drop: [String]?
    /// The start of the delays; `nil` for `since-entry`.
    public var timers: Timers?
    /// True to end invocations that the new version lacks; `nil` for false.
    public var cancelInvocations: Bool?

    /// Creates a value from its parts.
    public init(
        map: [String: String]? = nil, assign: [String: String]? = nil, drop: [String]? = nil, timers: Timers? = nil,
        cancelInvocations: Bool? = nil
    ) {
        self.map = map
        self.assign = assign
        self.drop = drop
        self.timers = timers
        self.cancelInvocations = cancelInvocations
    }

    public init<Fields: FieldVisitor<Self>>(fields: inout Fields) throws(Fields.Failure) {
        map = try fields.optional("map", \.map)
        assign = try fields.optional("assign", \.assign)
        drop = try fields.optional("drop", \.drop)
        timers = try fields.optional("timers", \.timers)
        cancelInvocations = try fields.optional("cancelInvocations", \.cancelInvocations)
    }
}

/// The body of `POST /v1/instances/NAME/migrate`.
public struct MigrateRequest: Equatable, WireRecord {
    /// The reason for the history; only a retry may omit it.
    public var reason: String?
    /// The target version; `nil` for the version that new instances take.
    public var to: Int64?
    public var plan: MigrationPlanItem
    /// True to apply again, in the new version, the event that a failed instance failed on. If it fails again, the
    /// instance stays in its version. `nil` for false.
    public var retry: Bool?
    /// The seq that the instance must have; `nil` for any.
    public var seq: Int64?
    /// True to report the expected result and change nothing.
    public var dryRun: Bool?

    /// Creates a value from its parts.
    public init(
        reason: String?, to: Int64? = nil, plan: MigrationPlanItem = .init(), retry: Bool? = nil, seq: Int64? = nil,
        dryRun: Bool? = nil
    ) {
        self.reason = reason
        self.to = to
        self.plan = plan
        self.retry = retry
        self.seq = seq
        self.dryRun = dryRun
    }

    public init<Fields: FieldVisitor<Self>>(fields: inout Fields) throws(Fields.Failure) {
        reason = try fields.optional("reason", \.reason, in: APILimits.reasonBytes)
        to = try fields.optional("to", \.to)
        plan = try fields.inlined(\.plan)
        retry = try fields.optional("retry", \.retry)
        seq = try fields.optional("seq", \.seq)
        dryRun = try fields.optional("dryRun", \.dryRun)
    }

    public func check() throws(WireError) {
        if reason == nil, retry != true {
            throw WireError(.missingField, path: "reason", message: "Field 'reason' is missing")
        }
    }
}
