import Statechart
import WorkflowStore

/// The number of macrosteps that an instance may make by itself before wfd suspends it.
package struct BrakeSetting: Sendable, Equatable {
    /// The capacity of a bucket, which is also the amount that flows back within `milliseconds`.
    package let macrosteps: Int
    package let milliseconds: Int64

    package init(macrosteps: Int, milliseconds: Int64) {
        self.macrosteps = macrosteps
        self.milliseconds = milliseconds
    }
}

/// Limits the instances that act by themselves, with one token bucket each. Timers, results and events that an instance
/// sends to itself draw from the bucket. Logical time and callers' events refill the bucket, so catching up after an
/// outage does not empty a bucket.
///
/// A class, because tokens that were drawn stay drawn when a batch is discarded.
final class Brake {
    private struct Bucket {
        var level: Double
        var filled: LogicalTime
    }

    /// The tokens that a caller's event adds: the most macrosteps that one event can make an instance send to itself.
    private static let perEvent = Double(StepLimits.chain)

    private let setting: BrakeSetting?
    /// The greatest number of buckets. The brake forgets the fullest buckets first; a forgotten bucket starts full
    /// again.
    private let bound: Int
    private var buckets: [InstanceID: Bucket] = [:]

    /// - Parameter setting: The capacity of the buckets; `nil` if there is no brake.
    init(_ setting: BrakeSetting?, bound: Int) {
        self.setting = setting
        self.bound = bound
    }

    /// Draws from the bucket of an instance. Returns false if the bucket is empty; the instance's next bucket is full.
    ///
    /// - Parameter time: The time of the last macrostep.
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

    /// Adds tokens to the bucket of an instance that received a caller's event.
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
