/// A queue of effects: its counts and its settings.
public struct QueueItem: Equatable, WireRecord {
    /// The queue's name: `task:NAME`, `http:HOST:PORT` or `exec:NAME`.
    public var queue: String
    /// The number of effects that are due and have not begun. This and the other counts end at 1000, which means that
    /// many or more.
    public var ready: Int64
    /// The number of effects that are due later, because they are tried again.
    public var waiting: Int64
    /// The number of effects that workers have.
    public var leased: Int64
    /// The number of effects at which wfd is making an attempt.
    public var running: Int64
    /// The number of effects that need a decision of an operator.
    public var failed: Int64
    /// The number of effects that lack a secret or a program.
    public var held: Int64
    /// The number of effects whose results wait until their instances continue.
    public var answered: Int64
    /// The number of workers that asked for tasks in the last minute; `nil` for a queue that wfd serves itself.
    public var workers: Int64?
    /// The earliest due time of the ready and waiting effects; `nil` if there are none.
    public var oldestDue: WireTime?
    /// The milliseconds until `oldestDue`; negative if it has passed.
    public var oldestDueInMilliseconds: Int64?
    /// The settings of the queue.
    public var settings: QueueSettingsItem

    /// Creates a value from its parts.
    public init(
        queue: String, ready: Int64 = 0, waiting: Int64 = 0, leased: Int64 = 0, running: Int64 = 0, failed: Int64 = 0,
        held: Int64 = 0,
        answered: Int64 = 0, workers: Int64? = nil, oldestDue: WireTime? = nil, oldestDueInMilliseconds: Int64? = nil,
        settings: QueueSettingsItem
    ) {
        self.queue = queue
        self.ready = ready
        self.waiting = waiting
        self.leased = leased
        self.running = running
        self.failed = failed
        self.held = held
        self.answered = answered
        self.workers = workers
        self.oldestDue = oldestDue
        self.oldestDueInMilliseconds = oldestDueInMilliseconds
        self.settings = settings
    }

    public init<Fields: FieldVisitor<Self>>(fields: inout Fields) throws(Fields.Failure) {
        queue = try fields.required("queue", \.queue)
        ready = try fields.required("ready", \.ready)
        waiting = try fields.required("waiting", \.waiting)
        leased = try fields.required("leased", \.leased)
        running = try fields.required("running", \.running)
        failed = try fields.required("failed", \.failed)
        held = try fields.required("held", \.held)
        answered = try fields.required("answered", \.answered)
        workers = try fields.optional("workers", \.workers)
        oldestDue = try fields.optional("oldestDue", \.oldestDue)
        oldestDueInMilliseconds = try fields.optional("oldestDueInMilliseconds", \.oldestDueInMilliseconds)
        settings = try fields.required("settings", \.settings)
    }
}

/// The settings of a queue.
public struct QueueSettingsItem: Equatable, WireRecord {
    /// The queue's name: `task:NAME`, `http:HOST:PORT` or `exec:NAME`.
    public var queue: String
    /// The number of effects that may run at a time; `nil` for the default.
    public var concurrency: Int?
    /// The number of effects that may start in an interval; `nil` for no limit.
    public var rate: QueueRate?
    /// True if no effect of the queue starts.
    public var paused: Bool
    /// The person who changed the settings; `nil` if unknown, and if there are none.
    public var actor: String?
    /// The time of the last change; `nil` if there are no settings.
    public var setAt: WireTime?

    /// Creates a value from its parts.
    public init(
        queue: String, concurrency: Int? = nil, rate: QueueRate? = nil, paused: Bool = false, actor: String? = nil,
        setAt: WireTime? = nil
    ) {
        self.queue = queue
        self.concurrency = concurrency
        self.rate = rate
        self.paused = paused
        self.actor = actor
        self.setAt = setAt
    }

    public init<Fields: FieldVisitor<Self>>(fields: inout Fields) throws(Fields.Failure) {
        queue = try fields.required("queue", \.queue)
        concurrency = try fields.optional("concurrency", \.concurrency)
        rate = try fields.optional("rate", \.rate)
        paused = try fields.required("paused", \.paused)
        actor = try fields.optional("actor", \.actor)
        setAt = try fields.optional("setAt", \.setAt)
    }
}

/// The number of effects that may start in an interval.
public struct QueueRate: Equatable, WireRecord {
    /// The number of effects that may start in the interval.
    public var count: Int
    /// The length of the interval.
    public var milliseconds: Int64

    /// Creates a value from its parts.
    public init(count: Int, milliseconds: Int64) {
        self.count = count
        self.milliseconds = milliseconds
    }

    public init<Fields: FieldVisitor<Self>>(fields: inout Fields) throws(Fields.Failure) {
        count = try fields.required("count", \.count, in: APILimits.rateCounts)
        let length = try fields.required("milliseconds", { Int($0.milliseconds) }, in: APILimits.rateMilliseconds)
        milliseconds = Int64(length)
    }
}
