public import WorkflowJSON

/// A task, HTTP call or program that an instance requested, and that has not ended.
public struct EffectItem: Equatable, WireRecord {
    /// The state of an effect.
    public enum State: String, WireWord {
        /// The effect can be taken once it is due.
        case ready
        /// A worker or wfd is working on the effect.
        case leased
        /// The effect began an instance, which is running.
        case open
        /// A secret or a program that the effect needs is missing.
        case held
        /// The effect has failed and needs a decision.
        case failed
        /// The result has come, and waits until the instance continues.
        case answered
    }

    /// The turn of a ready effect.
    public enum Turn: String, WireWord {
        /// The daemon is making an attempt.
        case running
        /// The queue is paused, so nothing in it starts.
        case paused
        /// Effects are held, so nothing starts at all.
        case held
    }

    /// An attempt that failed or came late.
    public struct Attempt: Equatable, WireRecord {
        /// The number of the attempt, from 1.
        public var attempt: Int64
        /// The time when the attempt began.
        public var begun: WireTime
        /// The time when the attempt ended.
        public var ended: WireTime
        /// The way the attempt ended, in a word.
        public var outcome: String
        /// The error of the attempt, as an object.
        public var error: JSONValue?

        /// Creates a value from its parts.
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
    /// The seq of the macrostep that began the effect.
    public var seq: Int64
    /// The queue that serves the effect, such as `task:NAME`.
    public var queue: String
    /// The state of the effect.
    public var state: State
    /// The priority; 1 is served first.
    public var priority: Int64
    /// The time from which a ready effect can be taken, or until which a lease lasts.
    public var due: WireTime
    /// The milliseconds until `due`; negative if it has passed.
    public var dueInMilliseconds: Int64
    /// The turn of a ready effect; `nil` if the effect waits for its time, a worker or a place.
    public var turn: Turn?
    /// The number of attempts that have begun.
    public var attempts: Int64
    /// The worker that has the effect, by its own name.
    public var worker: String?
    /// The worker's last report of its progress.
    public var progress: JSONValue?
    /// The error of the last failed attempt.
    public var error: JSONValue?
    /// The failed attempts; only in an instance's own list. Of many, only the first ones and the last ones.
    public var failedAttempts: [Attempt]?

    /// Creates a value from its parts.
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
