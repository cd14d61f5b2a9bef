/// The body of `POST /v1/instances/NAME/redact`.
public struct RedactRequest: Equatable, WireRecord {
    /// The reason for the history.
    public var reason: String
    /// The rows whose content is erased: `3,7-9`; `nil` for all.
    public var seqs: String?
    /// The paths into the context whose values are erased; `nil` if there are none. With `seqs`, a path such as
    /// `data.phone` leads into the data of these rows, and their other data stays. A key of the context with that name
    /// is `context.data`.
    public var paths: [String]?
    /// The new name of the instance; `nil` to keep its name.
    public var name: String?
    /// The seq that the instance must have; `nil` for any.
    public var seq: Int64?
    /// True to report the data that would be erased, and change nothing.
    public var dryRun: Bool?

    /// Creates a value from its parts.
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

/// The result of a redaction: the erased parts of an instance.
public struct RedactAnswer: Equatable, WireRecord {
    /// The instance's present name.
    public var instance: String
    /// The seq of the row that records the redaction; in a dry run, the seq that the row would have.
    public var seq: Int64
    public var status: Instance.Status
    /// The paths of the active leaves.
    public var configuration: [String]
    /// The rows whose content was erased: `3,7-9`; `nil` if there are none.
    public var seqs: String?
    /// The paths that were erased in the data of these rows. The redaction's own row keeps the rest. `nil` if the rows
    /// were erased whole.
    public var data: [String]?
    /// The paths into the context whose values were erased; `nil` if there are none.
    public var paths: [String]?
    /// True if the context and the output were erased whole; otherwise `nil`.
    public var context: Bool?
    /// True if the instance got another name; otherwise `nil`.
    public var renamed: Bool?
    /// The events that lost their data: those still to come, and the one that the instance failed on. `nil` if there
    /// are none.
    public var emptied: [String]?
    /// The reason why the erased data is still in the files, which removes itself in time; `nil` if the data is gone.
    public var pending: String?
    /// True for a dry run; otherwise `nil`.
    public var dryRun: Bool?
    /// True if this repeats an earlier answer, and nothing was erased again; otherwise `nil`.
    public var repeated: Bool?

    /// Creates a value from its parts.
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
