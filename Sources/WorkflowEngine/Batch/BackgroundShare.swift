/// Limits the rows and time that background work, for which no caller waits, takes in one batch. For the writer's
/// thread.
final class BackgroundShare {
    private let limits: EngineLimits
    private let statistics: BatchStatistics
    private var others: ContinuousClock.Instant?

    init(limits: EngineLimits, statistics: BatchStatistics) {
        self.limits = limits
        self.statistics = statistics
    }

    /// Records that commands with waiting callers were applied.
    func othersCame(at now: ContinuousClock.Instant) { others = now }

    /// Returns the rows and the time that background work may take in a batch, and whether this is a reduced share.
    func bound(at now: ContinuousClock.Instant) -> (rows: Int, time: Duration, isShared: Bool) {
        guard let others, now - others < limits.sharing else { return (limits.batchRows, limits.batchApplying, false) }
        // If a flush takes long, a few more rows go unnoticed.
        let rows = Int(statistics.pace / limits.sharedRowPace)
        let range = limits.sharedRows
        return (min(max(rows, range.lowerBound), range.upperBound), limits.sharedApplying, true)
    }
}
