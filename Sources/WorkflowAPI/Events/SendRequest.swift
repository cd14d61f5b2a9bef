public import WorkflowJSON

/// The body of `POST /v1/instances/NAME/events`.
public struct SendRequest: Equatable, WireObject {
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

    public init(fields: inout WireFields) throws(WireError) {
        event = try fields.required("event")
        data = try fields.optional("data")
        expect = try fields.optional("expect")
    }

    public func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.field("event", event)
            writer.field("data", ifPresent: data)
            writer.field("expect", ifPresent: expect)
        }
    }
}

/// What a caller expects an instance to be before its event is applied.
public struct Expectation: Equatable, WireObject {
    public var seq: Int64?
    /// The path of a state that must be active.
    public var state: String?

    /// Takes the parts as they are.
    public init(seq: Int64? = nil, state: String? = nil) {
        self.seq = seq
        self.state = state
    }

    public init(fields: inout WireFields) throws(WireError) {
        seq = try fields.optional("seq")
        state = try fields.optional("state")
    }

    public func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.field("seq", ifPresent: seq)
            writer.field("state", ifPresent: state)
        }
    }
}

/// The answer to an accepted event.
public struct SendAnswer: Equatable, WireObject {
    /// An invocation or a call that would be begun.
    public struct Begun: Equatable, WireObject {
        /// The id of the invocation; of a call `call.SEQ.NUMBER`.
        public var id: String
        /// Who would do it: `task:NAME`, `http:HOST:PORT`, `exec:NAME`.
        public var queue: String

        /// Takes the parts as they are.
        public init(id: String, queue: String) {
            self.id = id
            self.queue = queue
        }

        public init(fields: inout WireFields) throws(WireError) {
            id = try fields.required("id")
            queue = try fields.required("queue")
        }

        public func write(to writer: inout JSONWriter) {
            writer.object { writer in
                writer.field("id", id)
                writer.field("queue", queue)
            }
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

    public init(fields: inout WireFields) throws(WireError) {
        instance = try fields.required("instance")
        event = try fields.required("event")
        seq = try fields.required("seq")
        fromSeq = try fields.optional("fromSeq") ?? seq - 1
        from = try fields.required("from")
        to = try fields.required("to")
        status = try fields.required("status")
        configuration = try fields.required("configuration")
        tags = try fields.optional("tags")
        context = try fields.optional("context")
        output = try fields.optional("output")
        exited = try fields.optional("exited")
        entered = try fields.optional("entered")
        dryRun = try fields.optional("dryRun")
        begun = try fields.optional("begun")
        cancelled = try fields.optional("cancelled")
        candidates = try fields.optional("candidates")
        reset = try fields.optional("reset")
        migration = try fields.optional("migration")
    }

    public func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.field("instance", instance)
            writer.field("event", event)
            writer.field("seq", seq)
            writer.field("fromSeq", fromSeq)
            writer.field("from", from)
            writer.field("to", to)
            writer.field("status", status.rawValue)
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
