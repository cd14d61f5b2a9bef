public import WorkflowAPI

/// The history of an instance, row by row, as it grows. The sequence ends when the instance is done or cancelled and
/// all its rows were delivered. A failed instance may be retried, so the sequence continues.
///
/// The sequence survives restarts of the daemon. Without a connection, the iterator tries again, at first after 100 ms,
/// then at growing intervals up to 5 s. The sequence continues after the last delivered row, so no row is left out or
/// delivered twice. The iterator throws the last error when these intervals add up to `patience`.
public struct HistoryFollow: AsyncSequence, Sendable {
    /// One row of the history.
    public typealias Element = HistoryItem
    typealias Fetch = @Sendable (HistoryParameters) async throws(ClientError) -> Page<HistoryItem>
    typealias Look = @Sendable () async throws(ClientError) -> Instance

    fileprivate let start: HistoryParameters
    /// The seq of the row before the first delivered one.
    fileprivate let seq: Int64
    fileprivate let reconnection: Reconnection
    fileprivate let fetch: Fetch
    fileprivate let look: Look

    /// Returns an iterator that starts at the first requested row.
    public func makeAsyncIterator() -> Iterator {
        Iterator(follow: self, parameters: start, seq: seq, reconnection: reconnection)
    }

    /// Requests the rows after the last one, again and again.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate let follow: HistoryFollow
        fileprivate var parameters: HistoryParameters
        /// The seq of the last delivered row.
        fileprivate var seq: Int64
        fileprivate var reconnection: Reconnection
        fileprivate var waiting: ArraySlice<HistoryItem> = []

        /// Returns the next row, or `nil` if no more rows will come; waits for the row.
        public mutating func next() async throws -> HistoryItem? {
            while waiting.isEmpty {
                try Task.checkCancellation()
                do {
                    waiting = try await follow.fetch(parameters).items[...]
                    reconnection.reached()
                    if waiting.isEmpty {
                        if try await hasEnded() { return nil }
                        // If a daemon answers without waiting, the client must pause between requests.
                        try await reconnection.rest()
                        reconnection.reached()
                    }
                } catch let error as ClientError where error.isTransient && !reconnection.isSpent {
                    try await reconnection.rest()
                }
            }
            let item = waiting.removeFirst()
            // If a restore has changed the earlier rows, the daemon refuses a cursor, but not a seq.
            parameters.cursor = item.cursor
            parameters.after = nil
            seq = item.seq
            return item
        }

        /// Returns true if no row can follow the delivered ones.
        private func hasEnded() async throws(ClientError) -> Bool {
            let instance = try await follow.look()
            return switch instance.status {
            case .done, .cancelled: instance.seq <= seq
            case .running, .failed, .suspended: false
            }
        }
    }
}

extension WorkflowClient {
    /// Follows the history of an instance from the row after `seq`.
    ///
    /// The sequence pauses for a daemon that does not answer, for `patience` in total, measured by `clock`.
    public func followHistory(
        ofInstance name: String, after seq: Int64 = 0, detail: Bool = false, patience: Duration = .seconds(60),
        clock: any Clock<Duration> = ContinuousClock()
    ) -> HistoryFollow {
        let start = HistoryParameters(
            limit: APILimits.largestPageItems, after: seq, detail: detail, wait: APILimits.longestWaitSeconds)
        return follow(name, from: start, seq: seq, patience: patience, clock: clock)
    }

    /// Follows the history of an instance from the row after `row`; a restore in between is detected.
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
        HistoryFollow(start: start, seq: seq, reconnection: Reconnection(patience: patience, clock: clock)) {
            parameters throws(ClientError) in
            try await history(ofInstance: name, parameters)
        } look: { () async throws(ClientError) in
            try await instance(name)
        }
    }
}
