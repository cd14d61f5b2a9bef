public import WorkflowJSON

/// Something that an instance asks of the world, and that has not ended.
public struct EffectItem: Equatable, WireRecord {
    /// Where it stands.
    public enum State: String, WireWord {
        /// It can be taken once it is due.
        case ready
        /// Somebody works on it.
        case leased
        /// An instance that it began runs.
        case open
        /// What it needs is missing.
        case held
        /// Somebody has to say what becomes of it.
        case failed
        /// Its result is there, and waits until its instance goes on.
        case answered
    }

    /// What becomes of one that is ready.
    public enum Turn: String, WireWord {
        /// wfd makes an attempt.
        case running
        /// Nothing of its queue starts.
        case paused
        /// Nothing at all starts.
        case held
    }

    /// An attempt that failed, or came late.
    public struct Attempt: Equatable, WireRecord {
        /// 1 for the first.
        public var attempt: Int64
        public var begun: WireTime
        public var ended: WireTime
        /// How it ended, in a word.
        public var outcome: String
        public var error: JSONValue?

        /// Takes the parts as they are.
        public init(attempt: Int64, begun: WireTime, ended: WireTime, outcome: String, error: JSONValue? = nil) {
            self.attempt = attempt
            self.begun = begun
            self.ended = ended
            self.outcome = outcome
            self.error = error
        }

        public init<Fields: FieldVisitor<Self>>(fields: inout Fields) throws(Fields.Failure) {
            attempt = try fields.required("attempt", \.attempt)
            begun = try fields.required("begun", \.begun)
            ended = try fields.required("ended", \.ended)
            outcome = try fields.required("outcome", \.outcome)
            error = try fields.optional("error", \.error)
        }
    }

    public var instance: String
    /// The id of the invocation.
    public var id: String
    /// Of the macrostep that began it.
    public var seq: Int64
    /// Who serves it: `task:NAME`.
    public var queue: String
    public var state: State
    /// 1 is served first.
    public var priority: Int64
    /// While ready, not before; while leased, until then.
    public var due: WireTime
    /// Milliseconds until then; negative when it is past.
    public var dueInMilliseconds: Int64
    /// While ready; nil when it waits for its time, a worker or a place.
    public var turn: Turn?
    /// How many have begun.
    public var attempts: Int64
    /// Who works on it, as the worker says.
    public var worker: String?
    /// What the worker has told so far.
    public var progress: JSONValue?
    /// Why the last attempt failed that did.
    public var error: JSONValue?
    /// Of an instance's own list only; the first ones and the last ones of many.
    public var failedAttempts: [Attempt]?

    /// Takes the parts as they are.
    public init(
        instance: String, id: String, seq: Int64, queue: String, state: State, priority: Int64, due: WireTime,
        dueInMilliseconds: Int64, turn: Turn? = nil, attempts: Int64, worker: String? = nil, progress: JSONValue? = nil,
        error: JSONValue? = nil, failedAttempts: [Attempt]? = nil
    ) {
        self.instance = instance
        self.id = id
        self.seq = seq
        self.queue = queue
        self.state = state
        self.priority = priority
        self.due = due
        self.dueInMilliseconds = dueInMilliseconds
        self.turn = turn
        self.attempts = attempts
        self.worker = worker
        self.progress = progress
        self.error = error
        self.failedAttempts = failedAttempts
    }

    public init<Fields: FieldVisitor<Self>>(fields: inout Fields) throws(Fields.Failure) {
        instance = try fields.required("instance", \.instance)
        id = try fields.required("id", \.id)
        seq = try fields.required("seq", \.seq)
        queue = try fields.required("queue", \.queue)
        state = try fields.required("state", \.state)
        priority = try fields.required("priority", \.priority)
        due = try fields.required("due", \.due)
        dueInMilliseconds = try fields.required("dueInMilliseconds", \.dueInMilliseconds)
        turn = try fields.optional("turn", \.turn)
        attempts = try fields.required("attempts", \.attempts)
        worker = try fields.optional("worker", \.worker)
        progress = try fields.optional("progress", \.progress)
        error = try fields.optional("error", \.error)
        failedAttempts = try fields.optional("failedAttempts", \.failedAttempts)
    }
}
