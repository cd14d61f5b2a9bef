public import WorkflowJSON

/// The body of `POST /v1/instances/NAME/events`.
public struct SendRequest: Equatable, WireRecord {
    public var event: String
    /// The event's data; `nil` for an event without data, like null on the wire.
    public var data: JSONValue?
    /// The condition on which the event is applied.
    public var expect: Expectation?

    /// Creates a value from its parts.
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

/// The properties that the caller expects of the instance before the event is applied.
public struct Expectation: Equatable, WireRecord {
    /// The seq that the instance must have.
    public var seq: Int64?
    /// The path of a state that must be active.
    public var state: String?

    /// Creates a value from its parts.
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
    /// An invocation or a call that would begin.
    public struct Begun: Equatable, WireRecord {
        /// The id of an invocation; `call.SEQ.NUMBER` for a call.
        public var id: String
        /// The queue that would serve it: `task:NAME`, `http:HOST:PORT`, `exec:NAME`.
        public var queue: String

        /// Creates a value from its parts.
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
    /// The instance's seq after the event and after the events that the instance sent to itself in consequence.
    public var seq: Int64
    /// The instance's seq before the event.
    public var fromSeq: Int64
    /// The paths of the active leaves before the event.
    public var from: [String]
    /// The paths of the active leaves after the event.
    public var to: [String]
    public var status: Instance.Status
    /// The paths of the active leaves, as in `to`.
    public var configuration: [String]
    /// The tags of the active states after the event, each once; `nil` if no state of the machine has tags.
    public var tags: [String]?
    /// The context; `nil` if the caller prefers a minimal answer, or too many large answers wait for their callers.
    public var context: JSONObject?
    /// The output of the final state; `nil` while the instance runs, and if there is no output.
    public var output: JSONValue?
    /// The paths of the exited states in their order; only if the caller asked for detail.
    public var exited: [String]?
    /// The paths of the entered states in their order; only if the caller asked for detail.
    public var entered: [String]?
    /// True if nothing was changed; otherwise `nil`.
    public var dryRun: Bool?
    /// The effects that would begin, in order; only in a dry run of a machine that has effects.
    public var begun: [Begun]?
    /// The ids of the invocations that would be cancelled; only in a dry run of a machine that has effects.
    public var cancelled: [String]?
    /// The failure that the instance would have; only in a dry run that shows that it would fail.
    public var failure: Instance.Failure?
    /// The transitions in the order in which they were tried, at most about 100 for each event; only in a dry run, and
    /// for a sent event only if the caller asked for them.
    public var candidates: [Candidate]?
    /// The first microsteps, at most 100; only in a dry run whose answer is not minimal.
    public var microsteps: [ReplayMicrostep]?
    /// The fate of the pending items; only for a reset.
    public var reset: ResetAnswer?
    /// The fate of timers, invocations, history states and context; only for a migration.
    public var migration: MigrationItem?

    /// Creates a value from its parts.
    public init(
        instance: String, event: String, seq: Int64, fromSeq: Int64, from: [String], to: [String],
        status: Instance.Status, configuration: [String], tags: [String]? = nil, context: JSONObject?,
        output: JSONValue? = nil,
        exited: [String]? = nil, entered: [String]? = nil, dryRun: Bool? = nil, begun: [Begun]? = nil,
        cancelled: [String]? = nil, failure: Instance.Failure? = nil, candidates: [Candidate]? = nil,
        microsteps: [ReplayMicrostep]? = nil, reset: ResetAnswer? = nil, migration: MigrationItem? = nil
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
        self.failure = failure
        self.candidates = candidates
        self.microsteps = microsteps
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
        failure = try fields.optional("failure", \.failure)
        candidates = try fields.optional("candidates", \.candidates)
        microsteps = try fields.optional("microsteps", \.microsteps)
        reset = try fields.optional("reset", \.reset)
        migration = try fields.optional("migration", \.migration)
    }

    /// Writes the fields by hand: the copy that a visitor makes would cost a fifth of the time, and many answers are
    /// written.
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
            writer.field("failure", ifPresent: failure)
            writer.field("candidates", ifPresent: candidates)
            writer.field("microsteps", ifPresent: microsteps)
            writer.field("reset", ifPresent: reset)
            writer.field("migration", ifPresent: migration)
        }
    }
}
