/// The body of `POST /v1/instances/NAME/redact`.
public struct RedactRequest: Equatable, WireRecord {
    /// For the history.
    public var reason: String
    /// The rows that lose what they say: `3,7-9`; nil for all.
    public var seqs: String?
    /// The paths into the context whose values go; nil for none. With `seqs` a path such as `data.phone` is one into
    /// the data of these rows, whose other data is kept; a key of the context named so is `context.data`.
    public var paths: [String]?
    /// The name that the instance is to have; nil to keep its own.
    public var name: String?
    /// The seq that the instance must have; nil for any.
    public var seq: Int64?
    /// True to be told what would be erased, without a change.
    public var dryRun: Bool?

    /// Takes the parts as they are.
    public init(
        reason: String, seqs: String? = nil, paths: [String]? = nil, name: String? = nil, seq: Int64? = nil,
        dryRun: Bool? = nil
    ) {
        self.reason = reason
        self.seqs = seqs
        self.paths = paths
        self.name = name
        self.seq = seq
        self.dryRun = dryRun
    }

    public init<Fields: FieldVisitor<Self>>(fields: inout Fields) throws(Fields.Failure) {
        reason = try fields.required("reason", \.reason, in: APILimits.reasonBytes)
        seqs = try fields.optional("seqs", \.seqs)
        paths = try fields.optional("paths", \.paths)
        name = try fields.optional("name", \.name)
        seq = try fields.optional("seq", \.seq)
        dryRun = try fields.optional("dryRun", \.dryRun)
    }
}

extension RedactRequest {
    private static let contextPrefix = "context."

    /// The paths that lead into the data of rows.
    public var dataPaths: [String] { seqs == nil ? [] : (paths ?? []).filter(Self.isOfData) }

    /// The paths that lead into the context.
    public var contextPaths: [String] {
        (paths ?? []).filter { seqs == nil || !Self.isOfData($0) }.map { path in
            let inner = path.hasPrefix(Self.contextPrefix) ? path.dropFirst(Self.contextPrefix.count) : ""
            return inner == "data" || Self.isOfData(String(inner)) ? String(inner) : path
        }
    }

    private static func isOfData(_ path: String) -> Bool { path.hasPrefix("data.") || path.hasPrefix("data[") }
}

/// What was erased of an instance.
public struct RedactAnswer: Equatable, WireRecord {
    /// As it is named now.
    public var instance: String
    /// Of the row that records it; of a dry run, what it would be.
    public var seq: Int64
    public var status: Instance.Status
    /// The paths of the active leaves.
    public var configuration: [String]
    /// The rows that say nothing any more: `3,7-9`; nil for none.
    public var seqs: String?
    /// The paths that were erased in the data of these rows. The redaction's own row keeps the rest. Nil when the rows
    /// were erased whole.
    public var data: [String]?
    /// The paths into the context whose values are gone; nil for none.
    public var paths: [String]?
    /// True when context and output went whole.
    public var context: Bool?
    /// True when it has another name since.
    public var renamed: Bool?
    /// The events that are still to come, or that it failed on, and come without data now; nil for none.
    public var emptied: [String]?
    /// The reason why the erased data is still in the files, from which it will go by itself; nil when it is gone.
    public var pending: String?
    /// True of a trial.
    public var dryRun: Bool?
    /// True when this was answered before: nothing was erased twice.
    public var repeated: Bool?

    /// Takes the parts as they are.
    public init(
        instance: String, seq: Int64, status: Instance.Status, configuration: [String], seqs: String? = nil,
        data: [String]? = nil, paths: [String]? = nil, context: Bool? = nil, renamed: Bool? = nil,
        emptied: [String]? = nil, pending: String? = nil, dryRun: Bool? = nil, repeated: Bool? = nil
    ) {
        self.instance = instance
        self.seq = seq
        self.status = status
        self.configuration = configuration
        self.seqs = seqs
        self.data = data
        self.paths = paths
        self.context = context
        self.renamed = renamed
        self.emptied = emptied
        self.pending = pending
        self.dryRun = dryRun
        self.repeated = repeated
    }

    public init<Fields: FieldVisitor<Self>>(fields: inout Fields) throws(Fields.Failure) {
        instance = try fields.required("instance", \.instance)
        seq = try fields.required("seq", \.seq)
        status = try fields.required("status", \.status)
        configuration = try fields.required("configuration", \.configuration)
        seqs = try fields.optional("seqs", \.seqs)
        data = try fields.optional("data", \.data)
        paths = try fields.optional("paths", \.paths)
        context = try fields.optional("context", \.context)
        renamed = try fields.optional("renamed", \.renamed)
        emptied = try fields.optional("emptied", \.emptied)
        pending = try fields.optional("pending", \.pending)
        dryRun = try fields.optional("dryRun", \.dryRun)
        repeated = try fields.optional("repeated", \.repeated)
    }
}
