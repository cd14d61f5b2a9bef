import Foundation
import WorkflowStore

extension Lane {
    /// Returns the amount of deleted data that the next batch removes, which is less while events come. Returns `nil`
    /// if none is due or the store accepts no writes.
    ///
    /// - Parameter isBusy: True if the batch has other work.
    func sweepOrder(isBusy: Bool) -> SweepOrder? {
        guard purging.isDue(in: partition) else { return nil }
        let now = ContinuousClock.now
        if isBusy { lastBusy = now }
        guard !areTimersResting, health.reason == nil else { return nil }
        if lastBusy + limits.sweepPause < now { return SweepOrder(rows: limits.sweptRows, time: limits.sweeping) }
        guard nextSweep <= now else { return nil }
        nextSweep = now + limits.sweptBesidePause
        return SweepOrder(rows: limits.sweptBeside, time: limits.sweepingBeside)
    }

    /// The time of the next removal of deleted data; `nil` if none is due.
    var nextSweepWake: Date? {
        guard purging.isDue(in: partition), !areTimersResting, health.reason == nil else { return nil }
        let now = ContinuousClock.now
        return nextSweep <= now ? .distantPast : clock.date(after: nextSweep - now)
    }
}
