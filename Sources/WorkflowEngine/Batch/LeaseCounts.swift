import Synchronization
import WorkflowStore

/// Counts the leases and the starts of queues over all lanes of a daemon whose store has several partitions.
///
/// A commit is counted before its callers are answered. Requests for a queue with a limit take turns, so that none of
/// them misses the leases of another.
final class LeaseCounts: Sendable {
    private struct State {
        /// The queues of the leased effects.
        var effects: [Position: String] = [:]
        var counts: [String: [PartitionID: Int]] = [:]
        /// The recent starts of the queues that have a rate.
        var rates: [String: StartRate] = [:]
        /// Queues for which more leases were requested than there may be.
        var wanting: Set<String> = []
        /// True once the leases from before the start are counted.
        var isWhole = false

        mutating func enter(_ effect: Position, in queue: String) {
            guard effects.updateValue(queue, forKey: effect) == nil else { return }
            counts[queue, default: [:]][effect.partition, default: 0] += 1
        }

        /// Returns the queue of the lease, if there was one.
        mutating func remove(_ effect: Position) -> String? {
            guard let queue = effects.removeValue(forKey: effect) else { return nil }
            let left = (counts[queue]?[effect.partition] ?? 1) - 1
            counts[queue]?[effect.partition] = left == 0 ? nil : left
            if counts[queue]?.isEmpty ?? false { counts[queue] = nil }
            return queue
        }
    }

    /// The turns of requests for queues with a limit.
    let turns = Turns()
    private let state = Mutex(State())
    private let tell: @Sendable ([String]) -> Void

    /// - Parameter tell: Reports queues that have room again.
    init(_ tell: @escaping @Sendable ([String]) -> Void) {
        self.tell = tell
    }

    /// True once the leases from before the start are counted.
    var isWhole: Bool { state.withLock { $0.isWhole } }

    /// Records that all lanes have entered the leases from before the start.
    func becameWhole() { state.withLock { $0.isWhole = true } }

    /// Enters a lease.
    func enter(_ effect: Position, in queue: String) { state.withLock { $0.enter(effect, in: queue) } }

    /// Returns the number of leases of a queue in all partitions but one.
    func count(in queue: String, outside partition: PartitionID) -> Int {
        state.withLock { state in
            (state.counts[queue] ?? [:]).reduce(0) { $1.key == partition ? $0 : $0 + $1.value }
        }
    }

    /// Records that a worker waits for room in a queue.
    func want(_ queue: String) { state.withLock { _ = $0.wanting.insert(queue) } }

    /// Calls a function with the recent starts of the queues that have a rate.
    func withRates<Value: Sendable>(_ body: (inout [String: StartRate]) -> Value) -> Value {
        state.withLock { body(&$0.rates) }
    }

    /// Adopts the changes of committed batches, in their order.
    func adopt(_ batches: [StoreBatch]) {
        let freed = state.withLock { state in
            var freed: Set<String> = []
            for batch in batches {
                for id in batch.endedEffects { if let queue = state.remove(id) { freed.insert(queue) } }
                for effect in batch.changedEffects {
                    if effect.state == .leased {
                        state.enter(effect.id, in: effect.queue)
                    } else if let queue = state.remove(effect.id) {
                        freed.insert(queue)
                    }
                }
            }
            freed.formIntersection(state.wanting)
            state.wanting.subtract(freed)
            return freed
        }
        if !freed.isEmpty { tell(Array(freed)) }
    }
}
