/// What the daemon's clock shows.
public struct ClockStatus: Equatable, WireRecord {
    /// Whose time it is.
    public enum Kind: String, WireWord {
        /// The machine's.
        case real
        /// One that moves only when it is told to.
        case virtual
    }

    public var clock: Kind
    public var now: WireTime
    /// Timers that fired on the way; of an answer to a move only.
    public var fired: Int64?
    /// False when there are more timers to fire on the way: ask again. Of an answer to a move only.
    public var done: Bool?
    /// The queues in which a task is ready or leased, at most 20. The clock stands until workers have ended these
    /// tasks. Only in the answer to a move with `stopAtTasks`.
    public var tasks: [String]?

    /// Takes the parts as they are.
    public init(clock: Kind, now: WireTime, fired: Int64? = nil, done: Bool? = nil, tasks: [String]? = nil) {
        self.clock = clock
        self.now = now
        self.fired = fired
        self.done = done
        self.tasks = tasks
    }

    public init<Fields: FieldVisitor<Self>>(fields: inout Fields) throws(Fields.Failure) {
        clock = try fields.required("clock", \.clock)
        now = try fields.required("now", \.now)
        fired = try fields.optional("fired", \.fired)
        done = try fields.optional("done", \.done)
        tasks = try fields.optional("tasks", \.tasks)
    }
}

/// The body of `POST /v1/clock`.
public struct ClockRequest: Equatable, WireRecord {
    /// Where a virtual clock is to go. A time and no distance, so that asking twice does not go twice as far.
    public var to: WireTime
    /// True to stop the clock while a task is ready or leased. Nil means false.
    public var stopAtTasks: Bool?

    /// Takes the parts as they are.
    public init(to: WireTime, stopAtTasks: Bool? = nil) {
        self.to = to
        self.stopAtTasks = stopAtTasks
    }

    public init<Fields: FieldVisitor<Self>>(fields: inout Fields) throws(Fields.Failure) {
        to = try fields.required("to", \.to)
        stopAtTasks = try fields.optional("stopAtTasks", \.stopAtTasks)
    }
}
