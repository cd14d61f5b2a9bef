public import WorkflowJSON

/// The body of `POST /v1/instances/NAME/events`.
public struct SendRequest: Equatable, WireRecord {
    public var event: String
    /// Nil when the event comes without data; null on the wire means the same.
    public var data: JSONValue?
    public var expect: Expectation?

    /// Takes the parts as they are.
    public init(event: String, data: JSONValue? = nil, expect: Expectation? = nil) {
        self.event = event
        self.data = data
        self.expect = expect
    }

    public init<Fields: FieldVisitor<Self>>(fields: inout Fields) throws(Fields.Failure) {
        event = try fields.required("event", \.event)
        data = try fields.optional("data", \.data)
        expect = try fields.optional("expect", \.expect)
    }
}

/// What a caller expects an instance to be before its event is applied.
public struct Expectation: Equatable, WireRecord {
    public var seq: Int64?
    /// The path of a state that must be active.
    public var state: String?

    /// Takes the parts as they are.
    public init(seq: Int64? = nil, state: String? = nil) {
        self.seq = seq
        self.state = state
    }

    public init<Fields: FieldVisitor<Self>>(fields: inout Fields) throws(Fields.Failure) {
        seq = try fields.optional("seq", \.seq)
        state = try fields.optional("state", \.state)
    }
}

/// The answer to an accepted event.
public struct SendAnswer: Equatable, WireRecord {
    /// An invocation or a call that would be begun.
    public struct Begun: Equatable, WireRecord {
        /// The id of the invocation; of a call `call.SEQ.NUMBER`.
        public var id: String
        /// Who would do it: `task:NAME`, `http:HOST:PORT`, `exec:NAME`.
        public var queue: String

        /// Takes the parts as they are.
        public init(id: String, queue: String) {
            self.id = id
            self.queue = queue
        }

        public init<Fields: FieldVisitor<Self>>(fields: inout Fields) throws(Fields.Failure) {
            id = try fields.required("id", \.id)
            queue = try fields.required("queue", \.queue)
        }
    }

    public var instance: String
    public var event: String
    /// The instance's seq after the event, and after those that it sent to itself in consequence.
    public var seq: Int64
    /// The instance's seq before.
    public var fromSeq: Int64
    /// The paths of the active leaves before.
    public var from: [String]
    /// The paths of the active leaves after.
    public var to: [String]
    public var status: Instance.Status
    public var configuration: [String]
    /// The tags of the active states after, each once; nil when no state of the machine has any.
    public var tags: [String]?
    /// Nil when the caller did not want it, or too many large answers waited for their callers.
    public var context: JSONObject?
    /// What the final state gave; nil while the instance runs, and when it gives nothing.
    public var output: JSONValue?
    /// Paths in the order of leaving; only when detail was asked for.
    public var exited: [String]?
    /// Paths in the order of entering; only when detail was asked for.
    public var entered: [String]?
    /// True when nothing was changed; nil otherwise.
    public var dryRun: Bool?
    /// The effects that would be begun, in order; of a dry run of a machine that has effects.
    public var begun: [Begun]?
    /// The ids of the invocations that would be cancelled; of a dry run of a machine that has effects.
    public var cancelled: [String]?
    /// Every transition in the order tried; only when it was asked for.
    public var candidates: [Candidate]?
    /// What becomes of what was armed; of a reset only.
    public var reset: ResetAnswer?
    /// Of a migration: what became of timers, invocations, memory and context.
    public var migration: MigrationItem?

    /// Takes the parts as they are.
    public init(
        instance: String, event: String, seq: Int64, fromSeq: Int64, from: [String], to: [String],
        status: Instance.Status, configuration: [String], tags: [String]? = nil, context: JSONObject?,
        output: JSONValue? = nil,
        exited: [String]? = nil, entered: [String]? = nil, dryRun: Bool? = nil, begun: [Begun]? = nil,
        cancelled: [String]? = nil, candidates: [Candidate]? = nil, reset: ResetAnswer? = nil,
        migration: MigrationItem? = nil
    ) {
        self.instance = instance
        self.event = event
        self.seq = seq
        self.fromSeq = fromSeq
        self.from = from
        self.to = to
        self.status = status
        self.configuration = configuration
        self.tags = tags
        self.context = context
        self.output = output
        self.exited = exited
        self.entered = entered
        self.dryRun = dryRun
        self.begun = begun
        self.cancelled = cancelled
        self.candidates = candidates
        self.reset = reset
        self.migration = migration
    }

    public init<Fields: FieldVisitor<Self>>(fields: inout Fields) throws(Fields.Failure) {
        instance = try fields.required("instance", \.instance)
        event = try fields.required("event", \.event)
        seq = try fields.required("seq", \.seq)
        fromSeq = try fields.optional("fromSeq") { $0.fromSeq } ?? seq - 1
        from = try fields.required("from", \.from)
        to = try fields.required("to", \.to)
        status = try fields.required("status", \.status)
        configuration = try fields.required("configuration", \.configuration)
        tags = try fields.optional("tags", \.tags)
        context = try fields.optional("context", \.context)
        output = try fields.optional("output", \.output)
        exited = try fields.optional("exited", \.exited)
        entered = try fields.optional("entered", \.entered)
        dryRun = try fields.optional("dryRun", \.dryRun)
        begun = try fields.optional("begun", \.begun)
        cancelled = try fields.optional("cancelled", \.cancelled)
        candidates = try fields.optional("candidates", \.candidates)
        reset = try fields.optional("reset", \.reset)
        migration = try fields.optional("migration", \.migration)
    }

    /// Written by hand, because its copy would cost a fifth of the writing, and many are written.
    public func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.field("instance", instance)
            writer.field("event", event)
            writer.field("seq", seq)
            writer.field("fromSeq", fromSeq)
            writer.field("from", from)
            writer.field("to", to)
            writer.field("status", status)
            writer.field("configuration", configuration)
            writer.field("tags", ifPresent: tags)
            writer.field("context", ifPresent: context)
            writer.field("output", ifPresent: output)
            writer.field("exited", ifPresent: exited)
            writer.field("entered", ifPresent: entered)
            writer.field("dryRun", ifPresent: dryRun)
            writer.field("begun", ifPresent: begun)
            writer.field("cancelled", ifPresent: cancelled)
            writer.field("candidates", ifPresent: candidates)
            writer.field("reset", ifPresent: reset)
            writer.field("migration", ifPresent: migration)
        }
    }
}
