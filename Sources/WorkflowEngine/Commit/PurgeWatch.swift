import Synchronization
import WorkflowStore

/// What is left of deleted instances, as of the last commit: for the lane, which takes it away, and for who watches.
final class PurgeWatch: Sendable {
    private let state = Mutex(PurgeBacklog(floor: Position(rawValue: 0)))

    var backlog: PurgeBacklog { state.withLock { $0 } }

    func see(_ backlog: PurgeBacklog) { state.withLock { $0 = backlog } }
}

extension Lane {
    /// How much of what was deleted the next batch takes away: less while events come, and nothing while the store
    /// takes nothing.
    ///
    /// - Parameter isBusy: Whether the batch has something else to do.
    func sweepOrder(isBusy: Bool) -> SweepOrder? {
        guard purging.backlog.isDue else { return nil }
        if isBusy { lastBusy = .now }
        guard !areTimersResting, health.reason == nil else { return nil }
        let isQuiet = lastBusy + limits.sweepPause < .now
        return isQuiet
            ? SweepOrder(rows: limits.sweptRows, time: limits.sweeping)
            : SweepOrder(rows: limits.sweptBeside, time: limits.sweepingBeside)
    }
}
