/// The query of `DELETE /v1/instances/NAME`.
public struct DeleteParameters: Hashable, Sendable {
    /// The reason for the table of deletions.
    public var reason: String
    /// The instance's name again; required if the instance has not finished.
    public var confirm: String?
    /// True to cancel the calls that have not ended.
    public var cancelEffects: Bool
    /// True to report the expected result and change nothing.
    public var dryRun: Bool

    /// Creates a value from its parts.
    public init(reason: String, confirm: String? = nil, cancelEffects: Bool = false, dryRun: Bool = false) {
        self.reason = reason
        self.confirm = confirm
        self.cancelEffects = cancelEffects
        self.dryRun = dryRun
    }

    /// Reads percent-decoded parameters. Refuses unknown and repeated ones.
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
    /// The permanent identifier of the deleted instance, whose name is free again.
    public var uuid: String
    /// The machine; `nil` if a restore brought back a file without the machine version, and the answer is given again.
    public var machine: String?
    /// The last version that the instance ran.
    public var version: Int64?
    /// The number of rows of the instance's history.
    public var rows: Int64
    /// The digest of the last of these rows, in hexadecimal; `nil` for a dry run.
    public var digest: String?
    /// The time of the deletion.
    public var at: WireTime
    /// The names of the calls that are cancelled with the instance; `nil` if there are none.
    public var cancelled: [String]?
    /// The reason why the erased data is still in the files, which removes itself in time; `nil` if the data is gone.
    public var pending: String?
    /// True if nothing was changed; otherwise `nil`.
    public var dryRun: Bool?

    /// Creates a value from its parts.
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
