public import WorkflowJSON

/// A macrostep of an instance.
public struct HistoryItem: Equatable, WireRecord {
    /// The number of the macrostep, counted from 1.
    public var seq: Int64
    /// The logical time of the macrostep.
    public var at: WireTime
    /// The clock's time if it differs from `at`, as for a timer that fired late; otherwise `nil`.
    public var realAt: WireTime?
    /// The kind of the row: `started`, `event`, … It is a text, so that a client can show the kinds of newer daemons.
    public var kind: String
    public var event: String
    /// The event's data; `nil` for an event without data.
    public var data: JSONValue?
    /// The paths of the active leaves before the macrostep; empty for the first row.
    public var from: [String]
    /// The paths of the active leaves after the macrostep.
    public var to: [String]
    /// The sender of the event, if the daemon knows it.
    public var actor: String?
    /// The caller's key, as the caller wrote it.
    public var key: String?
    /// The failure in a row of kind `failed`: `{failure: {type, event, state?, line?, expression?, message}}`.
    public var note: JSONValue?
    /// True if a row of kind `failed` records a retry whose event failed again; otherwise `nil`.
    public var retry: Bool?
    /// True if the row's data, note and text key were erased; otherwise `nil`.
    public var redacted: Bool?
    /// The row's place in the store; opaque.
    public var cursor: String
    /// The paths of the exited states in their order; only if the caller asked for detail.
    public var exited: [String]?
    /// The paths of the entered states in their order; only if the caller asked for detail.
    public var entered: [String]?

    /// Creates a value from its parts.
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
