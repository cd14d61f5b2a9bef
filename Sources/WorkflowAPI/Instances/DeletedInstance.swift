public import WorkflowJSON

/// The query of `DELETE /v1/instances/NAME`.
public struct DeleteParameters: Hashable, Sendable {
    /// For the table of what was deleted.
    public var reason: String
    /// The instance's name again, of one that has not finished.
    public var confirm: String?
    /// Cancel the calls that have not ended.
    public var cancelEffects: Bool
    /// Say what would happen and change nothing.
    public var dryRun: Bool

    /// Takes the parts as they are.
    public init(reason: String, confirm: String? = nil, cancelEffects: Bool = false, dryRun: Bool = false) {
        self.reason = reason
        self.confirm = confirm
        self.cancelEffects = cancelEffects
        self.dryRun = dryRun
    }

    /// Reads percent-decoded parameters; unknown and repeated ones are refused.
    public init(query: [(name: String, value: String)]) throws(WireError) {
        var fields = try QueryFields(query)
        let reason = try fields.string("reason")
        confirm = try fields.string("confirm")
        cancelEffects = try fields.bool("cancelEffects")
        dryRun = try fields.bool("dryRun")
        try fields.refuseUnknown()
        guard let reason else {
            throw WireError(.invalidParameter, path: "reason", message: "Parameter 'reason' is missing")
        }
        guard APILimits.reasonBytes.contains(reason.utf8.count) else {
            throw WireError(
                .invalidParameter, path: "reason",
                message: "Parameter 'reason' must have 1 to \(APILimits.reasonBytes.upperBound) bytes")
        }
        self.reason = reason
    }

    /// The encoded query with its question mark.
    public var queryText: String {
        var query = QueryText()
        query.add("reason", reason)
        query.add("confirm", confirm)
        query.add("cancelEffects", cancelEffects)
        query.add("dryRun", dryRun)
        return query.text
    }
}

/// The answer of `DELETE /v1/instances/NAME`.
public struct DeletedInstance: Equatable, WireObject {
    public var instance: String
    /// Names it for good: the name is free.
    public var uuid: String
    /// The machine; nil when a restore brought back a file without the machine version, and the answer is given again.
    public var machine: String?
    /// The version that it ran last.
    public var version: Int64?
    /// How many rows its history had.
    public var rows: Int64
    /// Of the last of these rows, in hexadecimal; nil of a dry run.
    public var digest: String?
    public var at: WireTime
    /// The names of the calls that are cancelled with it; nil without any.
    public var cancelled: [String]?
    /// The reason why the erased data is still in the files, from which it will go by itself; nil when it is gone.
    public var pending: String?
    /// True when nothing was changed.
    public var dryRun: Bool?

    /// Takes the parts as they are.
    public init(
        instance: String, uuid: String, machine: String?, version: Int64?, rows: Int64, digest: String? = nil,
        at: WireTime, cancelled: [String]? = nil, pending: String? = nil, dryRun: Bool? = nil
    ) {
        self.instance = instance
        self.uuid = uuid
        self.machine = machine
        self.version = version
        self.rows = rows
        self.digest = digest
        self.at = at
        self.cancelled = cancelled
        self.pending = pending
        self.dryRun = dryRun
    }

    public init(fields: inout WireFields) throws(WireError) {
        instance = try fields.required("instance")
        uuid = try fields.required("uuid")
        machine = try fields.optional("machine")
        version = try fields.optional("version")
        rows = try fields.required("rows")
        digest = try fields.optional("digest")
        at = try fields.required("at")
        cancelled = try fields.optional("cancelled")
        pending = try fields.optional("pending")
        dryRun = try fields.optional("dryRun")
    }

    public func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.field("instance", instance)
            writer.field("uuid", uuid)
            writer.field("machine", ifPresent: machine)
            writer.field("version", ifPresent: version)
            writer.field("rows", rows)
            writer.field("digest", ifPresent: digest)
            writer.field("at", at)
            writer.field("cancelled", ifPresent: cancelled)
            writer.field("pending", ifPresent: pending)
            writer.field("dryRun", ifPresent: dryRun)
        }
    }
}

/// What stays of an instance that was deleted.
public struct AuditItem: Equatable, WireObject {
    public var uuid: String
    /// The machine; nil when a restore copied this row only, and the database does not have the machine version.
    public var machine: String?
    /// The version that it ran last.
    public var version: Int64?
    /// How many rows its history had.
    public var rows: Int64
    /// Of the last of these rows, in hexadecimal.
    public var digest: String
    public var at: WireTime
    /// Who deleted it, where that is known.
    public var actor: String?
    public var reason: String?

    /// Takes the parts as they are.
    public init(
        uuid: String, machine: String?, version: Int64?, rows: Int64, digest: String, at: WireTime,
        actor: String? = nil, reason: String? = nil
    ) {
        self.uuid = uuid
        self.machine = machine
        self.version = version
        self.rows = rows
        self.digest = digest
        self.at = at
        self.actor = actor
        self.reason = reason
    }

    public init(fields: inout WireFields) throws(WireError) {
        uuid = try fields.required("uuid")
        machine = try fields.optional("machine")
        version = try fields.optional("version")
        rows = try fields.required("rows")
        digest = try fields.required("digest")
        at = try fields.required("at")
        actor = try fields.optional("actor")
        reason = try fields.optional("reason")
    }

    public func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.field("uuid", uuid)
            writer.field("machine", ifPresent: machine)
            writer.field("version", ifPresent: version)
            writer.field("rows", rows)
            writer.field("digest", digest)
            writer.field("at", at)
            writer.field("actor", ifPresent: actor)
            writer.field("reason", ifPresent: reason)
        }
    }
}
