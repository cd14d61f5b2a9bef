/// How much of a batch work may take that nobody waits for. For the writer's thread.
final class BackgroundShare {
    private let limits: EngineLimits
    private var others: ContinuousClock.Instant?

    init(limits: EngineLimits) {
        self.limits = limits
    }

    /// Commands were applied for which somebody waits.
    func othersCame(at now: ContinuousClock.Instant) { others = now }

    /// Rows that such work may bring into a batch, how long it may take, and whether that is a share.
    func bound(at now: ContinuousClock.Instant) -> (rows: Int, time: Duration, isShared: Bool) {
        let isShared = others.map { now - $0 < limits.sharing } ?? false
        return isShared
            ? (limits.sharedRows, limits.sharedApplying, true) : (limits.batchRows, limits.batchApplying, false)
    }
}
