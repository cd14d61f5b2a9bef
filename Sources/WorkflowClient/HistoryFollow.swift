public import WorkflowAPI

/// The history of an instance, row by row, as it grows; it ends when the instance is done or cancelled and all its rows
/// were given. An instance that has failed may be retried, and is followed on.
///
/// It outlives restarts of the daemon: while there is no connection it tries again, at first after 100 ms, then at ever
/// longer intervals up to 5 s, and goes on after the last row it gave. No row is left out or given twice. It gives up
/// with the last error when these intervals add up to `patience`.
public struct HistoryFollow: AsyncSequence, Sendable {
    /// One row of the history.
    public typealias Element = HistoryItem
    typealias Fetch = @Sendable (HistoryParameters) async throws(ClientError) -> Page<HistoryItem>
    typealias Look = @Sendable () async throws(ClientError) -> Instance

    private let start: HistoryParameters
    /// The seq of the last row that is not given.
    private let seq: Int64
    private let patience: Duration
    private let clock: any Clock<Duration>
    private let fetch: Fetch
    private let look: Look

    init(
        start: HistoryParameters, seq: Int64, patience: Duration, clock: any Clock<Duration>, fetch: @escaping Fetch,
        look: @escaping Look
    ) {
        self.start = start
        self.seq = seq
        self.patience = patience
        self.clock = clock
        self.fetch = fetch
        self.look = look
    }

    /// Starts again at the first row that was asked for.
    public func makeAsyncIterator() -> Iterator {
        Iterator(parameters: start, seq: seq, patience: patience, clock: clock, fetch: fetch, look: look)
    }

    /// Asks for the rows after the last one, again and again.
    public struct Iterator: AsyncIteratorProtocol {
        private static let firstPause = Duration.milliseconds(100)
        private static let longestPause = Duration.seconds(5)

        private var parameters: HistoryParameters
        private let patience: Duration
        private let clock: any Clock<Duration>
        private let fetch: Fetch
        private let look: Look
        /// The seq of the last row that was given.
        private var seq: Int64
        private var waiting: ArraySlice<HistoryItem> = []
        private var pause = Self.firstPause
        /// The sum of the pauses since something answered.
        private var paused = Duration.zero

        init(
            parameters: HistoryParameters, seq: Int64, patience: Duration, clock: any Clock<Duration>,
            fetch: @escaping Fetch, look: @escaping Look
        ) {
            self.parameters = parameters
            self.seq = seq
            self.look = look
            self.patience = patience
            self.clock = clock
            self.fetch = fetch
        }

        /// The next row; waits until there is one, and is nil when there will be none.
        public mutating func next() async throws -> HistoryItem? {
            while waiting.isEmpty {
                try Task.checkCancellation()
                do {
                    waiting = try await fetch(parameters).items[...]
                    paused = .zero
                    pause = Self.firstPause
                    if waiting.isEmpty {
                        if try await hasEnded() { return nil }
                        // A daemon that answers without waiting must not be asked without a break.
                        try await clock.sleep(for: pause)
                    }
                } catch let error as ClientError where error.isTransient && paused < patience {
                    try await rest()
                }
            }
            let item = waiting.removeFirst()
            // Unlike a seq it is refused when a restore has changed what came before.
            parameters.cursor = item.cursor
            parameters.after = nil
            seq = item.seq
            return item
        }

        /// Whether no row can come after those that were given.
        private func hasEnded() async throws(ClientError) -> Bool {
            let instance = try await look()
            return switch instance.status {
            case .done, .cancelled: instance.seq <= seq
            case .running, .failed, .suspended: false
            }
        }

        private mutating func rest() async throws {
            try await clock.sleep(for: pause)
            paused += pause
            pause = Swift.min(pause * 2, Self.longestPause)
        }
    }
}

extension WorkflowClient {
    /// Follows the history of an instance from the row after `seq` on.
    ///
    /// It pauses for a daemon that does not answer, for `patience` in sum and by `clock`.
    public func followHistory(
        ofInstance name: String, after seq: Int64 = 0, detail: Bool = false, patience: Duration = .seconds(60),
        clock: any Clock<Duration> = ContinuousClock()
    ) -> HistoryFollow {
        let start = HistoryParameters(
            limit: APILimits.largestPageItems, after: seq, detail: detail, wait: APILimits.longestWaitSeconds)
        return follow(name, from: start, seq: seq, patience: patience, clock: clock)
    }

    /// Follows the history of an instance from the row after another one on; a restore in between is noticed.
    public func followHistory(
        ofInstance name: String, afterRow row: HistoryItem, detail: Bool = false, patience: Duration = .seconds(60),
        clock: any Clock<Duration> = ContinuousClock()
    ) -> HistoryFollow {
        let start = HistoryParameters(
            limit: APILimits.largestPageItems, cursor: row.cursor, detail: detail, wait: APILimits.longestWaitSeconds)
        return follow(name, from: start, seq: row.seq, patience: patience, clock: clock)
    }

    private func follow(
        _ name: String, from start: HistoryParameters, seq: Int64, patience: Duration, clock: any Clock<Duration>
    ) -> HistoryFollow {
        HistoryFollow(start: start, seq: seq, patience: patience, clock: clock) { parameters throws(ClientError) in
            try await history(ofInstance: name, parameters)
        } look: { () async throws(ClientError) in
            try await instance(name)
        }
    }
}
