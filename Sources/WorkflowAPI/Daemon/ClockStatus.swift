/// The state of the daemon's clock.
public struct ClockStatus: Equatable, WireRecord {
    /// The source of a clock's time.
    public enum Kind: String, WireWord {
        /// The clock of the computer.
        case real
        /// A clock that moves only on request.
        case virtual
    }

    /// The source of the clock's time.
    public var clock: Kind
    /// The clock's time.
    public var now: WireTime
    /// The number of timers that fired during the move; only in the answer to a move.
    public var fired: Int64?
    /// False if more timers must fire before the clock arrives: ask again. Only in the answer to a move.
    public var done: Bool?
    /// The queues in which a task is ready or leased, at most 20. The clock stands until workers have ended these
    /// tasks. Only in the answer to a move with `stopAtTasks`.
    public var tasks: [String]?

    /// Creates a value from its parts.
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
    /// The time to which a virtual clock moves. It is absolute, so a repeated request does not move the clock further.
    public var to: WireTime
    /// True to stop the clock while a task is ready or leased; `nil` for false.
    public var stopAtTasks: Bool?

    /// Creates a value from its parts.
    public init(to: WireTime, stopAtTasks: Bool? = nil) {
        self.to = to
        self.stopAtTasks = stopAtTasks
    }

    public init<Fields: FieldVisitor<Self>>(fields: inout Fields) throws(Fields.Failure) {
        to = try fields.required("to", \.to)
        stopAtTasks = try fields.optional("stopAtTasks", \.stopAtTasks)
    }
}
