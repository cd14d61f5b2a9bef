/// The limits of a queue: concurrency and rate.
package struct QueueSettings: Sendable, Equatable {
    /// The number of effects that may run at a time; `nil` for the default of the queue's kind.
    package var concurrency: Int?
    /// The number of effects that may start in `rateMilliseconds`; `nil` for no limit.
    package var rate: Int?
    /// The period of the rate; present if and only if `rate` is.
    package var rateMilliseconds: Int64?
    /// True if no effect starts.
    package var isPaused: Bool

    /// The settings of a queue for which nobody has set anything.
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

/// The settings of a queue, as stored.
package struct QueueRecord: Sendable, Equatable {
    /// The name: `task:NAME`, `http:HOST:PORT` or `exec:NAME`. Never empty.
    package var name: String
    package var settings: QueueSettings
    /// The caller who set them, if known.
    package var actor: Actor?
    package var set: Timestamp

    package init(name: String, settings: QueueSettings, actor: Actor?, set: Timestamp) {
        self.name = name
        self.settings = settings
        self.actor = actor
        self.set = set
    }
}

/// A queue with the counts of its effects.
package struct QueueSummary: Sendable, Equatable {
    package var name: String
    /// The number of effects that are due. Each of these counts is at most the query's `bound`.
    package var ready = 0
    /// The number of effects that are due later.
    package var waiting = 0
    /// The number of effects that are being worked on.
    package var leased = 0
    package var failed = 0
    package var held = 0
    package var answered = 0
    /// The earliest due time of an effect that is ready or waiting and does not run; `nil` if there is none.
    package var oldestDue: Timestamp?
    /// The stored settings; `nil` for the defaults.
    package var record: QueueRecord?

    package init(name: String) { self.name = name }
}

/// A selection of queues for a list.
package struct QueueQuery: Sendable, Equatable {
    /// The name of the previous page's last queue; `nil` for the first page.
    package var after: String?
    package var limit: Int
    /// The present time; effects that are due by then are ready.
    package var now: Timestamp
    /// The number at which counting ends: a queue may have a million effects.
    package var bound: Int
    /// The effects that the caller knows to run; in the store they are ready.
    package var running: Set<Position> = []

    package init(after: String? = nil, limit: Int, now: Timestamp, bound: Int) {
        self.after = after
        self.limit = limit
        self.now = now
        self.bound = bound
    }
}
