public import WorkflowJSON

/// One macrostep of an instance.
public struct HistoryItem: Equatable, WireObject {
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

    public init(fields: inout WireFields) throws(WireError) {
        seq = try fields.required("seq")
        at = try fields.required("at")
        realAt = try fields.optional("realAt")
        kind = try fields.required("kind")
        event = try fields.required("event")
        data = try fields.optional("data")
        from = try fields.required("from")
        to = try fields.required("to")
        actor = try fields.optional("actor")
        key = try fields.optional("key")
        note = try fields.optional("note")
        retry = try fields.optional("retry")
        redacted = try fields.optional("redacted")
        cursor = try fields.required("cursor")
        exited = try fields.optional("exited")
        entered = try fields.optional("entered")
    }

    public func write(to writer: inout JSONWriter) {
        writer.object { writeFields(to: &$0) }
    }

    func writeFields(to writer: inout JSONWriter) {
        writer.field("seq", seq)
        writer.field("at", at)
        writer.field("realAt", ifPresent: realAt)
        writer.field("kind", kind)
        writer.field("event", event)
        writer.field("data", ifPresent: data)
        writer.field("from", from)
        writer.field("to", to)
        writer.field("actor", ifPresent: actor)
        writer.field("key", ifPresent: key)
        writer.field("note", ifPresent: note)
        writer.field("retry", ifPresent: retry)
        writer.field("redacted", ifPresent: redacted)
        writer.field("cursor", cursor)
        writer.field("exited", ifPresent: exited)
        writer.field("entered", ifPresent: entered)
    }
}
