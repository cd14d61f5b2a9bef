public import WorkflowJSON

/// One macrostep of an instance, taken again: what happened, and what the instance was afterwards.
public struct ReplayStep: Equatable, WireRecord {
    public var seq: Int64
    public var at: WireTime
    /// What it records, as in a history.
    public var kind: String
    public var event: String
    /// Nil when the event came without data.
    public var data: JSONValue?
    /// Of a row of kind `failed`, why; as in a history.
    public var note: JSONValue?
    public var status: Instance.Status
    /// The paths of the active leaves afterwards.
    public var configuration: [String]
    /// Afterwards.
    public var context: JSONObject
    /// What the final state gave; nil while the instance runs, and when it gives nothing.
    public var output: JSONValue?
    /// True of a step that could not be taken again because of what was redacted: then its context is not known.
    public var redacted: Bool?
    /// What happened one by one; only when it was asked for.
    public var microsteps: [ReplayMicrostep]?

    /// Takes the parts as they are.
    public init(
        seq: Int64, at: WireTime, kind: String, event: String, data: JSONValue? = nil, note: JSONValue? = nil,
        status: Instance.Status, configuration: [String], context: JSONObject, output: JSONValue? = nil,
        redacted: Bool? = nil, microsteps: [ReplayMicrostep]? = nil
    ) {
        self.seq = seq
        self.at = at
        self.kind = kind
        self.event = event
        self.data = data
        self.note = note
        self.status = status
        self.configuration = configuration
        self.context = context
        self.output = output
        self.redacted = redacted
        self.microsteps = microsteps
    }

    public init<Fields: FieldVisitor<Self>>(fields: inout Fields) throws(Fields.Failure) {
        seq = try fields.required("seq", \.seq)
        at = try fields.required("at", \.at)
        kind = try fields.required("kind", \.kind)
        event = try fields.required("event", \.event)
        data = try fields.optional("data", \.data)
        note = try fields.optional("note", \.note)
        status = try fields.required("status", \.status)
        configuration = try fields.required("configuration", \.configuration)
        context = try fields.required("context", \.context)
        output = try fields.optional("output", \.output)
        redacted = try fields.optional("redacted", \.redacted)
        microsteps = try fields.optional("microsteps", \.microsteps)
    }
}
