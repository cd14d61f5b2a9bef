import Statechart
import WorkflowStore

/// Counts the macrosteps that instances make by themselves, to find those that never come to rest.
///
/// A class, because what is counted stays counted when a batch is thrown away.
final class SelfMotion {
    private struct Count {
        /// When the minute began: by the engine's clock, which a virtual one leaves behind, and in real time.
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

    /// Counts what came of one timer, or of one event that an instance sent to itself.
    ///
    /// - Parameters:
    ///   - macrosteps: It, and those that followed in its chain.
    ///   - due: When the timer was due; nil for an event that was sent without delay. What was due before the minute
    ///     began is an outage's, not the machine's.
    /// - Returns: How many there were when the instance is to be told of: once a minute.
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
        // The half that did least.
        for (id, _) in counts.sorted(by: { $0.value.macrosteps < $1.value.macrosteps }).prefix(counts.count / 2) {
            counts[id] = nil
        }
    }
}
