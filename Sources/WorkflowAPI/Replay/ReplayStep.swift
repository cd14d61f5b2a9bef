public import WorkflowJSON

/// A replayed macrostep of an instance: the event, and the instance afterwards.
public struct ReplayStep: Equatable, WireRecord {
    /// The number of the macrostep, counted from 1.
    public var seq: Int64
    /// The logical time of the macrostep.
    public var at: WireTime
    /// The kind of the row, as in the history.
    public var kind: String
    public var event: String
    /// The event's data; `nil` for an event without data.
    public var data: JSONValue?
    /// The failure in a row of kind `failed`, as in the history.
    public var note: JSONValue?
    public var status: Instance.Status
    /// The paths of the active leaves after the step.
    public var configuration: [String]
    /// The context after the step.
    public var context: JSONObject
    /// The output of the final state; `nil` while the instance runs, and if there is no output.
    public var output: JSONValue?
    /// True if the step could not be replayed because of a redaction, so its context is unknown; otherwise `nil`.
    public var redacted: Bool?
    /// The microsteps; only if the caller asked for them.
    public var microsteps: [ReplayMicrostep]?
    /// The version of the machine after the step, to which the lines of the microsteps belong; only with microsteps.
    public var version: Int64?

    /// Creates a value from its parts.
    public init(
        seq: Int64, at: WireTime, kind: String, event: String, data: JSONValue? = nil, note: JSONValue? = nil,
        status: Instance.Status, configuration: [String], context: JSONObject, output: JSONValue? = nil,
        redacted: Bool? = nil, microsteps: [ReplayMicrostep]? = nil, version: Int64? = nil
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
        self.version = version
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
        version = try fields.optional("version", \.version)
    }
}
