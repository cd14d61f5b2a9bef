/// A recorded deletion, or a recorded change that belongs to no instance's history.
public struct AuditItem: Equatable, WireRecord {
    /// The kind of a deletion or change.
    public enum Action: String, WireWord {
        /// An instance was deleted.
        case delete
        /// A new machine version was applied.
        case apply
        /// Another machine version is active.
        case activate
        /// A machine was suspended.
        case suspend
        /// A machine was resumed.
        case resume
        /// The retention of a machine's finished instances was changed.
        case retention
        /// The settings of a queue were changed.
        case queue
        /// All effects were held.
        case hold
        /// All effects were released.
        case release
        /// A run over many instances was begun.
        case runBegin = "run-begin"
        /// A run was stopped.
        case runStop = "run-stop"
        /// A run was resumed.
        case runResume = "run-resume"
        /// A backup was fetched.
        case backup
        /// The clock was moved, or an earlier time was accepted.
        case clock
        /// The tokens were changed.
        case token
    }

    public var action: Action
    /// The name of the changed machine, queue, run or token; `nil` for other actions.
    public var object: String?
    /// The machine version that was applied or activated; for a deletion the last version that the instance ran.
    public var version: Int64?
    /// The change in words; `nil` for a deletion.
    public var detail: String?
    /// The permanent identifier of the deleted instance; `nil` for other actions.
    public var uuid: String?
    /// The machine of the deleted instance; `nil` for other actions. Also `nil` if a restore copied this row only, and
    /// the database lacks the machine version.
    public var machine: String?
    /// The number of rows of the deleted instance's history; `nil` for other actions.
    public var rows: Int64?
    /// The digest of the last of these rows, in hexadecimal.
    public var digest: String?
    /// The time of the deletion or change.
    public var at: WireTime
    /// The caller who did it, if known.
    public var actor: String?
    public var reason: String?

    /// Creates a value from its parts.
    public init(
        _ action: Action, object: String? = nil, version: Int64? = nil, detail: String? = nil, uuid: String? = nil,
        machine: String? = nil, rows: Int64? = nil, digest: String? = nil, at: WireTime, actor: String? = nil,
        reason: String? = nil
    ) {
        self.action = action
        self.object = object
        self.version = version
        self.detail = detail
        self.uuid = uuid
        self.machine = machine
        self.rows = rows
        self.digest = digest
        self.at = at
        self.actor = actor
        self.reason = reason
    }

    public init<Fields: FieldVisitor<Self>>(fields: inout Fields) throws(Fields.Failure) {
        action = try fields.required("action", \.action)
        object = try fields.optional("object", \.object)
        version = try fields.optional("version", \.version)
        detail = try fields.optional("detail", \.detail)
        uuid = try fields.optional("uuid", \.uuid)
        machine = try fields.optional("machine", \.machine)
        rows = try fields.optional("rows", \.rows)
        digest = try fields.optional("digest", \.digest)
        at = try fields.required("at", \.at)
        actor = try fields.optional("actor", \.actor)
        reason = try fields.optional("reason", \.reason)
    }
}

/// The query of `GET /v1/audit`.
public struct AuditParameters: Hashable, Sendable {
    /// The action; `nil` for all.
    public var action: AuditItem.Action?
    /// The actor. A name without brackets also finds it with brackets: `token:sso` finds `token:sso(ana)`, and `uid:0`
    /// finds `uid:0(root)`. `nil` for all.
    public var actor: String?
    /// The earliest time; `nil` for all.
    public var since: WireTime?
    /// The most items, 1 to 500; `nil` for 100.
    public var limit: Int?
    /// The token `nextPage` of the previous page.
    public var page: String?

    /// Creates a value from its parts.
    public init(
        action: AuditItem.Action? = nil, actor: String? = nil, since: WireTime? = nil, limit: Int? = nil,
        page: String? = nil
    ) {
        self.action = action
        self.actor = actor
        self.since = since
        self.limit = limit
        self.page = page
    }

    /// Reads percent-decoded parameters. Refuses unknown and repeated ones.
    public init(query: [(name: String, value: String)]) throws(WireError) {
        var fields = try QueryFields(query)
        action = try fields.word("action")
        actor = try fields.string("actor")
        since = try fields.time("since")
        limit = try fields.limit()
        page = try fields.string("page")
        try fields.refuseUnknown()
    }

    /// The encoded query with its question mark; empty if all values are the defaults.
    public var queryText: String {
        var query = QueryText()
        query.add("action", action?.rawValue)
        query.add("actor", actor)
        query.add("since", since?.text)
        query.add("limit", limit.map { Int64($0) })
        query.add("page", page)
        return query.text
    }
}
