/// A queue of effects: what waits in it, and what somebody has set for it.
public struct QueueItem: Equatable, WireRecord {
    /// `task:NAME`, `http:HOST:PORT` or `exec:NAME`.
    public var queue: String
    /// Effects that are due and have not begun. This and the other counts end at `APILimits.countedEffects`, which
    /// stands for that many or more.
    public var ready: Int64
    /// Those that are due later: they are tried again.
    public var waiting: Int64
    /// Those that a worker has.
    public var leased: Int64
    /// Those that wfd makes an attempt at.
    public var running: Int64
    public var failed: Int64
    /// Those that lack a secret or a program.
    public var held: Int64
    /// Those whose results wait until their instances go on.
    public var answered: Int64
    /// Workers that have asked for its tasks within the last minute; nil of a queue that wfd serves itself.
    public var workers: Int64?
    /// When the first that is ready or waiting is due; nil without any.
    public var oldestDue: WireTime?
    /// Milliseconds until then; negative when it is past.
    public var oldestDueInMilliseconds: Int64?
    public var settings: QueueSettingsItem

    /// Takes the parts as they are.
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

/// What somebody has set for a queue.
public struct QueueSettingsItem: Equatable, WireRecord {
    public var queue: String
    /// How many may run at a time; nil for the default.
    public var concurrency: Int?
    /// How many may start in a span of time; nil for as many as there are.
    public var rate: QueueRate?
    /// Whether nothing starts.
    public var paused: Bool
    /// Who has set it, where the daemon knows; nil also when nobody has.
    public var actor: String?
    /// When it was set; nil when nothing is.
    public var setAt: WireTime?

    /// Takes the parts as they are.
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

/// How many may start in a span of time.
public struct QueueRate: Equatable, WireRecord {
    public var count: Int
    /// The length of the span.
    public var milliseconds: Int64

    /// Takes the parts as they are.
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
