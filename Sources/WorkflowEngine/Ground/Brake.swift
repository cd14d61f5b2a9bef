import Statechart
import WorkflowStore

/// How many macrosteps an instance may make by itself before it is suspended.
package struct BrakeSetting: Sendable, Equatable {
    /// What a full bucket has, and what flows in again within the time.
    package let macrosteps: Int
    package let milliseconds: Int64

    package init(macrosteps: Int, milliseconds: Int64) {
        self.macrosteps = macrosteps
        self.milliseconds = milliseconds
    }
}

/// A bucket for each instance that acts by itself: timers, results and what it sends to itself draw from it, and
/// logical time and callers' events fill it again. So an outage that is made up for empties none.
///
/// A class, because what was drawn stays drawn when a batch is thrown away.
final class Brake {
    private struct Bucket {
        var level: Double
        var filled: LogicalTime
    }

    /// What a caller's event brings: as much as it can make an instance send to itself.
    private static let perEvent = Double(StepLimits.chain)

    private let setting: BrakeSetting?
    /// Buckets at most; those with the most in them are forgotten first, and are full when they are looked for again.
    private let bound: Int
    private var buckets: [InstanceID: Bucket] = [:]

    /// - Parameter setting: Nil for none.
    init(_ setting: BrakeSetting?, bound: Int) {
        self.setting = setting
        self.bound = bound
    }

    /// Draws from the bucket of an instance; false when it is empty. The next one is full.
    ///
    /// - Parameter time: Of the last of the macrosteps.
    func admits(_ macrosteps: Int, of id: InstanceID, at time: LogicalTime) -> Bool {
        guard let setting else { return true }
        let size = Double(setting.macrosteps)
        var bucket = buckets[id] ?? Bucket(level: size, filled: time)
        let passed = Double(max(0, time.milliseconds - bucket.filled.milliseconds))
        bucket.level = min(size, bucket.level + size * passed / Double(setting.milliseconds)) - Double(macrosteps)
        bucket.filled = max(bucket.filled, time)
        guard bucket.level >= 0 else {
            buckets[id] = nil
            return false
        }
        buckets[id] = bucket
        if buckets.count > bound { forgetFullest() }
        return true
    }

    /// A caller's event came to an instance.
    func fill(_ id: InstanceID) {
        guard !buckets.isEmpty, let setting, var bucket = buckets[id] else { return }
        bucket.level = min(Double(setting.macrosteps), bucket.level + Self.perEvent)
        buckets[id] = bucket
    }

    private func forgetFullest() {
        for (id, _) in buckets.sorted(by: { $0.value.level > $1.value.level }).prefix(buckets.count / 2) {
            buckets[id] = nil
        }
    }
}
