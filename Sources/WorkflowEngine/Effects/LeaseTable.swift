import HeapModule
import WorkflowStore

/// When leases run out: a hint for each lease that is on disk. The effect's row decides whether it still holds.
///
/// A class for the lane's thread alone. Nothing of it is taken back when a batch fails: what was never leased is
/// noticed when its time comes.
final class LeaseTable {
    private struct Entry {
        let queue: String
        let secret: [UInt8]
        var until: Timestamp
    }

    private struct Expiry: Comparable {
        let until: Timestamp
        let effect: Position

        static func < (lhs: Expiry, rhs: Expiry) -> Bool { (lhs.until, lhs.effect) < (rhs.until, rhs.effect) }
    }

    /// Of the store.
    let generation: Int64
    private let bound: Int
    private var entries: [Position: Entry] = [:]
    private var counts: [String: Int] = [:]
    private var expiries = Heap<Expiry>()

    /// - Parameter bound: Leases of one queue at a time.
    init(generation: Int64, bound: Int) {
        self.generation = generation
        self.bound = bound
    }

    /// How many more leases a queue may have.
    func room(in queue: String) -> Int { max(0, bound - (counts[queue] ?? 0)) }

    /// When a lease may run out next; nil without leases.
    var nextExpiry: Timestamp? { expiries.min?.until }

    /// Takes over what is on disk.
    func adopt(_ batch: StoreBatch) {
        for id in batch.endedEffects { remove(id) }
        for effect in batch.changedEffects {
            if effect.state == .leased, let lease = TaskLease(effect.lease) {
                enter(effect, lease, until: effect.due)
            } else {
                remove(effect.id)
            }
        }
    }

    /// Takes a lease of before the start, which runs its whole time anew. One of before a restore has run out.
    func resume(_ effect: EffectRecord, at now: Timestamp) {
        guard let lease = TaskLease(effect.lease) else { return }
        let rest = lease.generation == generation ? lease.milliseconds : 0
        enter(effect, lease, until: Timestamp(rawValue: now.rawValue + rest))
    }

    /// Lets a lease run on; when it is not on disk yet, it is entered by that.
    func prolong(_ effect: EffectRecord, _ lease: TaskLease, until: Timestamp) {
        enter(effect, lease, until: until)
    }

    /// Takes out an effect whose lease may have run out by a time.
    func popExpired(by now: Timestamp) -> (effect: Position, secret: [UInt8])? {
        while let first = expiries.min, first.until <= now {
            expiries.removeMin()
            guard let entry = entries[first.effect], entry.until == first.until else { continue }
            return (first.effect, entry.secret)
        }
        return nil
    }

    /// Looks at an effect again later.
    func postpone(_ effect: Position, until: Timestamp) {
        guard entries[effect] != nil else { return }
        entries[effect]?.until = until
        expiries.insert(Expiry(until: until, effect: effect))
    }

    /// A batch failed: what was taken out for it waits again.
    func restart() {
        expiries = Heap(entries.map { Expiry(until: $0.value.until, effect: $0.key) })
    }

    private func enter(_ effect: EffectRecord, _ lease: TaskLease, until: Timestamp) {
        var until = until
        if let known = entries[effect.id] {
            if known.secret == lease.secret { until = max(until, known.until) }
            counts[known.queue, default: 1] -= 1
        }
        entries[effect.id] = Entry(queue: effect.queue, secret: lease.secret, until: until)
        counts[effect.queue, default: 0] += 1
        expiries.insert(Expiry(until: until, effect: effect.id))
        if expiries.count > 2 * entries.count + 1_024 { restart() }
    }

    private func remove(_ id: Position) {
        guard let entry = entries.removeValue(forKey: id) else { return }
        let left = (counts[entry.queue] ?? 1) - 1
        counts[entry.queue] = left == 0 ? nil : left
    }
}
