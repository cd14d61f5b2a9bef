/// How much of a queue may run, and how fast.
package struct QueueSettings: Sendable, Equatable {
    /// How many may run at a time; nil for the default of its kind.
    package var concurrency: Int?
    /// How many may start in `rateMilliseconds`; nil for as many as there are.
    package var rate: Int?
    /// There if and only if `rate` is.
    package var rateMilliseconds: Int64?
    /// Whether nothing starts.
    package var isPaused: Bool

    /// What a queue has that nobody has set anything for.
    package static let standard = QueueSettings()

    package init(
        concurrency: Int? = nil, rate: Int? = nil, rateMilliseconds: Int64? = nil, isPaused: Bool = false
    ) {
        self.concurrency = concurrency
        self.rate = rate
        self.rateMilliseconds = rateMilliseconds
        self.isPaused = isPaused
    }
}

/// What somebody has set for a queue, as stored.
package struct QueueRecord: Sendable, Equatable {
    /// `task:NAME`, `http:HOST:PORT` or `exec:NAME`. Never empty.
    package var name: String
    package var settings: QueueSettings
    /// Who has set it, where that is known.
    package var actor: Actor?
    package var set: Timestamp

    package init(name: String, settings: QueueSettings, actor: Actor?, set: Timestamp) {
        self.name = name
        self.settings = settings
        self.actor = actor
        self.set = set
    }
}

/// A queue with what waits in it.
package struct QueueSummary: Sendable, Equatable {
    package var name: String
    /// Those that are due, at most `bound` of the question, as are all of these numbers.
    package var ready = 0
    /// Those that are due later.
    package var waiting = 0
    /// Those that somebody works on.
    package var leased = 0
    package var failed = 0
    package var held = 0
    package var answered = 0
    /// The earliest time at which an effect is due that is ready or waiting and does not run; nil when there is none.
    package var oldestDue: Timestamp?
    /// What somebody has set; nil for the defaults.
    package var record: QueueRecord?

    package init(name: String) { self.name = name }
}

/// Which queues to list.
package struct QueueQuery: Sendable, Equatable {
    /// The name of the last queue of the page before; nil for the first page.
    package var after: String?
    package var limit: Int
    /// What is due by then is ready.
    package var now: Timestamp
    /// Counting ends here: a queue may have a million effects.
    package var bound: Int
    /// The effects that the caller knows to run; in the store these are ready.
    package var running: Set<Position> = []

    package init(after: String? = nil, limit: Int, now: Timestamp, bound: Int) {
        self.after = after
        self.limit = limit
        self.now = now
        self.bound = bound
    }
}
