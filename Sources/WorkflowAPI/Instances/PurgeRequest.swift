/// The body of `POST /v1/purge`.
public struct PurgeRequest: Equatable, WireRecord {
    /// The time for which an instance must have been unchanged: `90d`.
    public var finishedBefore: String
    /// The machine; `nil` for all machines.
    public var machine: String?
    /// The reason for the table of deletions.
    public var reason: String
    /// True to count the instances and change nothing.
    public var dryRun: Bool?

    /// Creates a value from its parts.
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
    /// The number of deleted instances; in a dry run, of those that would be deleted.
    public var deleted: Int64
    /// The number of rows of their histories.
    public var rows: Int64
    /// The number of instances that stay because their calls have not ended.
    public var kept: Int64
    /// False if there may be more to delete: the same request continues.
    public var done: Bool
    /// The reason why some erased data is still in the files, which removes itself in time. `nil` if the data is gone,
    /// and before the purge is done.
    public var pending: String?
    /// True if nothing was changed; otherwise `nil`.
    public var dryRun: Bool?

    /// Creates a value from its parts.
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
