public import WorkflowJSON

/// The body of `POST /v1/purge`.
public struct PurgeRequest: Equatable, WireObject {
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

    public init(fields: inout WireFields) throws(WireError) {
        finishedBefore = try fields.required("finishedBefore")
        machine = try fields.optional("machine")
        reason = try fields.required("reason", bytes: APILimits.reasonBytes)
        dryRun = try fields.optional("dryRun")
    }

    public func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.field("finishedBefore", finishedBefore)
            writer.field("machine", ifPresent: machine)
            writer.field("reason", reason)
            writer.field("dryRun", ifPresent: dryRun)
        }
    }
}

/// The answer of `POST /v1/purge`.
public struct PurgeAnswer: Equatable, WireObject {
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

    public init(fields: inout WireFields) throws(WireError) {
        deleted = try fields.required("deleted")
        rows = try fields.required("rows")
        kept = try fields.required("kept")
        done = try fields.required("done")
        pending = try fields.optional("pending")
        dryRun = try fields.optional("dryRun")
    }

    public func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.field("deleted", deleted)
            writer.field("rows", rows)
            writer.field("kept", kept)
            writer.field("done", done)
            writer.field("pending", ifPresent: pending)
            writer.field("dryRun", ifPresent: dryRun)
        }
    }
}
