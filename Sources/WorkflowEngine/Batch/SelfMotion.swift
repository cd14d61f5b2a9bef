import Statechart
import WorkflowStore

/// Counts the macrosteps that instances make by themselves, to find those that never come to rest.
///
/// A class, because counts stay when a batch is discarded.
final class SelfMotion {
    private struct Count {
        /// The beginning of the minute by the engine's clock, and in real time in case the engine's clock is virtual.
        var began: Timestamp
        let reallyBegan: ContinuousClock.Instant
        var macrosteps = 0
        var isTold = false
    }

    private static let minute: Int64 = 60_000
    private let limits: EngineLimits
    private var counts: [InstanceID: Count] = [:]

    init(limits: EngineLimits) {
        self.limits = limits
    }

    /// Counts the macrosteps of one timer, or of one event that an instance sent to itself.
    ///
    /// - Parameters:
    ///   - macrosteps: The macrostep of the timer or event, and those that followed in its chain.
    ///   - due: The time at which the timer was due; `nil` for an event that was sent without delay. Timers due before
    ///     the minute began are due to an outage, not to the machine.
    /// - Returns: The number of macrosteps if the instance is to be reported, once a minute; `nil` otherwise.
    func count(
        _ macrosteps: Int, of id: InstanceID, due: LogicalTime?, at now: Timestamp,
        _ real: @autoclosure () -> ContinuousClock.Instant = .now
    ) -> Int? {
        var count = counts[id] ?? Count(began: now, reallyBegan: real())
        if now < count.began || now.rawValue - count.began.rawValue >= Self.minute {
            count = Count(began: now, reallyBegan: real())
        }
        if due.map({ $0 >= LogicalTime(count.began) }) ?? true { count.macrosteps += macrosteps }
        defer { keep(count, of: id) }
        guard count.macrosteps > limits.restlessMacrosteps else { return nil }
        if real() - count.reallyBegan >= .seconds(60) {
            count = Count(began: now, reallyBegan: real())
            return nil
        }
        if count.isTold { return nil }
        count.isTold = true
        return count.macrosteps
    }

    private func keep(_ count: Count, of id: InstanceID) {
        counts[id] = count
        guard counts.count > limits.countedInstances else { return }
        // Forgets the half with the fewest macrosteps.
        for (id, _) in counts.sorted(by: { $0.value.macrosteps < $1.value.macrosteps }).prefix(counts.count / 2) {
            counts[id] = nil
        }
    }
}
