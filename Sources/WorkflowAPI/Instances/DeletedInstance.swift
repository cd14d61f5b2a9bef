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
public struct DeletedInstance: Equatable, WireRecord {
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

    public init<Fields: FieldVisitor<Self>>(fields: inout Fields) throws(Fields.Failure) {
        instance = try fields.required("instance", \.instance)
        uuid = try fields.required("uuid", \.uuid)
        machine = try fields.optional("machine", \.machine)
        version = try fields.optional("version", \.version)
        rows = try fields.required("rows", \.rows)
        digest = try fields.optional("digest", \.digest)
        at = try fields.required("at", \.at)
        cancelled = try fields.optional("cancelled", \.cancelled)
        pending = try fields.optional("pending", \.pending)
        dryRun = try fields.optional("dryRun", \.dryRun)
    }
}

/// What stays of an instance that was deleted.
public struct AuditItem: Equatable, WireRecord {
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

    public init<Fields: FieldVisitor<Self>>(fields: inout Fields) throws(Fields.Failure) {
        uuid = try fields.required("uuid", \.uuid)
        machine = try fields.optional("machine", \.machine)
        version = try fields.optional("version", \.version)
        rows = try fields.required("rows", \.rows)
        digest = try fields.required("digest", \.digest)
        at = try fields.required("at", \.at)
        actor = try fields.optional("actor", \.actor)
        reason = try fields.optional("reason", \.reason)
    }
}
