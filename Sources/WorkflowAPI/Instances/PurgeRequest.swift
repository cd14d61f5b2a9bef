/// The body of `POST /v1/purge`.
public struct PurgeRequest: Equatable, WireRecord {
    /// For so long nothing must have come to them: `90d`.
    public var finishedBefore: String
    /// Nil for all machines.
    public var machine: String?
    /// For the table of what was deleted.
    public var reason: String
    /// True to be told how many there are, without a change.
    public var dryRun: Bool?

    /// Takes the parts as they are.
    public init(finishedBefore: String, machine: String? = nil, reason: String, dryRun: Bool? = nil) {
        self.finishedBefore = finishedBefore
        self.machine = machine
        self.reason = reason
        self.dryRun = dryRun
    }

    public init<Fields: FieldVisitor<Self>>(fields: inout Fields) throws(Fields.Failure) {
        finishedBefore = try fields.required("finishedBefore", \.finishedBefore)
        machine = try fields.optional("machine", \.machine)
        reason = try fields.required("reason", \.reason, in: APILimits.reasonBytes)
        dryRun = try fields.optional("dryRun", \.dryRun)
    }
}

/// The answer of `POST /v1/purge`.
public struct PurgeAnswer: Equatable, WireRecord {
    /// Instances that were deleted; of a dry run, that would be.
    public var deleted: Int64
    /// The rows that their histories had.
    public var rows: Int64
    /// Instances that stay because calls of theirs have not ended.
    public var kept: Int64
    /// False where there may be more: the same request goes on.
    public var done: Bool
    /// The reason why some erased data is still in the files, from which it will go by itself; nil when all is gone,
    /// and before the purge is done.
    public var pending: String?
    /// True when nothing was changed.
    public var dryRun: Bool?

    /// Takes the parts as they are.
    public init(
        deleted: Int64, rows: Int64, kept: Int64, done: Bool, pending: String? = nil, dryRun: Bool? = nil
    ) {
        self.deleted = deleted
        self.rows = rows
        self.kept = kept
        self.done = done
        self.pending = pending
        self.dryRun = dryRun
    }

    public init<Fields: FieldVisitor<Self>>(fields: inout Fields) throws(Fields.Failure) {
        deleted = try fields.required("deleted", \.deleted)
        rows = try fields.required("rows", \.rows)
        kept = try fields.required("kept", \.kept)
        done = try fields.required("done", \.done)
        pending = try fields.optional("pending", \.pending)
        dryRun = try fields.optional("dryRun", \.dryRun)
    }
}
