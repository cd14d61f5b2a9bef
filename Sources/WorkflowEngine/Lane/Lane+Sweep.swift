import Foundation
import WorkflowStore

extension Lane {
    /// How much of what was deleted the next batch takes away: less while events come, and nothing while the store
    /// takes nothing.
    ///
    /// - Parameter isBusy: Whether the batch has something else to do.
    func sweepOrder(isBusy: Bool) -> SweepOrder? {
        guard purging.backlog.isDue else { return nil }
        let now = ContinuousClock.now
        if isBusy { lastBusy = now }
        guard !areTimersResting, health.reason == nil else { return nil }
        if lastBusy + limits.sweepPause < now { return SweepOrder(rows: limits.sweptRows, time: limits.sweeping) }
        guard nextSweep <= now else { return nil }
        nextSweep = now + limits.sweptBesidePause
        return SweepOrder(rows: limits.sweptBeside, time: limits.sweepingBeside)
    }

    /// When more of it is to be taken away; nil when nothing is.
    var nextSweepWake: Date? {
        guard purging.backlog.isDue, !areTimersResting, health.reason == nil else { return nil }
        let now = ContinuousClock.now
        return nextSweep <= now ? .distantPast : clock.date(after: nextSweep - now)
    }
}
