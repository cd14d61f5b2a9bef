public import WorkflowAPI

/// The history of an instance, row by row, as it grows; it ends only by an error or when its task is cancelled.
///
/// It outlives restarts of the daemon: while there is no connection it tries again, at first after 100 ms, then at ever
/// longer intervals up to 5 s, and goes on after the last row it gave. No row is left out or given twice. It gives up
/// with the last error when these intervals add up to `patience`.
public struct HistoryFollow: AsyncSequence, Sendable {
    /// One row of the history.
    public typealias Element = HistoryItem
    typealias Fetch = @Sendable (HistoryParameters) async throws(ClientError) -> Page<HistoryItem>

    private let start: HistoryParameters
    private let patience: Duration
    private let clock: any Clock<Duration>
    private let fetch: Fetch

    init(start: HistoryParameters, patience: Duration, clock: any Clock<Duration>, fetch: @escaping Fetch) {
        self.start = start
        self.patience = patience
        self.clock = clock
        self.fetch = fetch
    }

    /// Starts again at the first row that was asked for.
    public func makeAsyncIterator() -> Iterator {
        Iterator(parameters: start, patience: patience, clock: clock, fetch: fetch)
    }

    /// Asks for the rows after the last one, again and again.
    public struct Iterator: AsyncIteratorProtocol {
        private static let firstPause = Duration.milliseconds(100)
        private static let longestPause = Duration.seconds(5)

        private var parameters: HistoryParameters
        private let patience: Duration
        private let clock: any Clock<Duration>
        private let fetch: Fetch
        private var waiting: ArraySlice<HistoryItem> = []
        private var pause = Self.firstPause
        /// The sum of the pauses since something answered.
        private var paused = Duration.zero

        init(parameters: HistoryParameters, patience: Duration, clock: any Clock<Duration>, fetch: @escaping Fetch) {
            self.parameters = parameters
            self.patience = patience
            self.clock = clock
            self.fetch = fetch
        }

        /// The next row; waits until there is one.
        public mutating func next() async throws -> HistoryItem? {
            while waiting.isEmpty {
                try Task.checkCancellation()
                do {
                    waiting = try await fetch(parameters).items[...]
                    paused = .zero
                    pause = Self.firstPause
                    // A daemon that answers without waiting must not be asked without a break.
                    if waiting.isEmpty { try await clock.sleep(for: pause) }
                } catch let error as ClientError where error.isTransient && paused < patience {
                    try await rest()
                }
            }
            let item = waiting.removeFirst()
            // Unlike a seq it is refused when a restore has changed what came before.
            parameters.cursor = item.cursor
            parameters.after = nil
            return item
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
    /// - Parameters:
    ///   - patience: How long to pause, in sum, for a daemon that does not answer.
    ///   - clock: For the pauses between attempts.
    public func followHistory(
        ofInstance name: String, after seq: Int64 = 0, detail: Bool = false, patience: Duration = .seconds(60),
        clock: any Clock<Duration> = ContinuousClock()
    ) -> HistoryFollow {
        let start = HistoryParameters(
            limit: APILimits.largestPageItems, after: seq, detail: detail, wait: APILimits.longestWaitSeconds)
        return HistoryFollow(start: start, patience: patience, clock: clock) {
            parameters throws(ClientError) in
            try await history(ofInstance: name, parameters)
        }
    }
}
