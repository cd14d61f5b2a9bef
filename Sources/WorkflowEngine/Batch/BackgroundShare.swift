/// How much of a batch work may take that nobody waits for. For the writer's thread.
final class BackgroundShare {
    private let limits: EngineLimits
    private let statistics: BatchStatistics
    private var others: ContinuousClock.Instant?

    init(limits: EngineLimits, statistics: BatchStatistics) {
        self.limits = limits
        self.statistics = statistics
    }

    /// Commands were applied for which somebody waits.
    func othersCame(at now: ContinuousClock.Instant) { others = now }

    /// Rows that such work may bring into a batch, how long it may take, and whether that is a share.
    func bound(at now: ContinuousClock.Instant) -> (rows: Int, time: Duration, isShared: Bool) {
        guard let others, now - others < limits.sharing else { return (limits.batchRows, limits.batchApplying, false) }
        // Where a flush takes long, a few rows more are not noticed.
        let rows = Int(statistics.pace / limits.sharedRowPace)
        let range = limits.sharedRows
        return (min(max(rows, range.lowerBound), range.upperBound), limits.sharedApplying, true)
    }
}
