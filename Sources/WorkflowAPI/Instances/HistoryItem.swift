public import WorkflowJSON

/// One macrostep of an instance.
public struct HistoryItem: Equatable, WireRecord {
    public var seq: Int64
    public var at: WireTime
    /// The clock's time where it differs from `at`: a timer that fired late.
    public var realAt: WireTime?
    /// What it records: `started`, `event`, … Text, so that a client can show the kinds of newer daemons.
    public var kind: String
    public var event: String
    /// Nil when the event came without data.
    public var data: JSONValue?
    /// The paths of the active leaves before; empty for the first row.
    public var from: [String]
    /// The paths of the active leaves after.
    public var to: [String]
    /// Who sent the event, where the daemon knows.
    public var actor: String?
    /// The caller's key, as the caller wrote it.
    public var key: String?
    /// Of a row of kind `failed`: `{failure: {type, event, state?, line?, expression?, message}}`.
    public var note: JSONValue?
    /// True of a row of kind `failed` that records a retry: the event failed again. Nil otherwise.
    public var retry: Bool?
    /// True of a row whose data, note and text key were erased. Nil otherwise.
    public var redacted: Bool?
    /// Opaque: the row's place in the store.
    public var cursor: String
    /// Paths in the order of leaving; only when detail was asked for.
    public var exited: [String]?
    /// Paths in the order of entering; only when detail was asked for.
    public var entered: [String]?

    /// Takes the parts as they are.
    public init(
        seq: Int64, at: WireTime, realAt: WireTime? = nil, kind: String, event: String, data: JSONValue? = nil,
        from: [String], to: [String], actor: String? = nil, key: String? = nil, note: JSONValue? = nil,
        retry: Bool? = nil, redacted: Bool? = nil, cursor: String, exited: [String]? = nil, entered: [String]? = nil
    ) {
        self.seq = seq
        self.at = at
        self.realAt = realAt
        self.kind = kind
        self.event = event
        self.data = data
        self.from = from
        self.to = to
        self.actor = actor
        self.key = key
        self.note = note
        self.retry = retry
        self.redacted = redacted
        self.cursor = cursor
        self.exited = exited
        self.entered = entered
    }

    public init<Fields: FieldVisitor<Self>>(fields: inout Fields) throws(Fields.Failure) {
        seq = try fields.required("seq", \.seq)
        at = try fields.required("at", \.at)
        realAt = try fields.optional("realAt", \.realAt)
        kind = try fields.required("kind", \.kind)
        event = try fields.required("event", \.event)
        data = try fields.optional("data", \.data)
        from = try fields.required("from", \.from)
        to = try fields.required("to", \.to)
        actor = try fields.optional("actor", \.actor)
        key = try fields.optional("key", \.key)
        note = try fields.optional("note", \.note)
        retry = try fields.optional("retry", \.retry)
        redacted = try fields.optional("redacted", \.redacted)
        cursor = try fields.required("cursor", \.cursor)
        exited = try fields.optional("exited", \.exited)
        entered = try fields.optional("entered", \.entered)
    }
}
