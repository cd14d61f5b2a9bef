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
    /// What is set for queues, as committed.
    let board: QueueBoard
    private let bound: Int
    private var entries: [Position: Entry] = [:]
    private var counts: [String: Int] = [:]
    private var expiries = Heap<Expiry>()
    /// When leases were looked at last.
    private var seen: Timestamp?
    /// Of the queues that have one.
    private var rates: [String: StartRate] = [:]
    /// Queues of which somebody wanted more leases than there may be.
    private var wanting: Set<String> = []
    /// Those of them that have room again.
    private var freed: Set<String> = []

    /// From where on effects that are held are looked for, to be tried again; nil when all were.
    private(set) var heldPlace: HeldPlace? = .start

    /// A place among the effects that are held.
    enum HeldPlace {
        case start
        case behind(Position)
    }

    /// - Parameter bound: Leases of one queue at a time.
    init(generation: Int64, bound: Int, board: QueueBoard) {
        self.generation = generation
        self.bound = bound
        self.board = board
    }

    /// How many leases of a queue are known.
    func count(in queue: String) -> Int { counts[queue] ?? 0 }

    /// The queues that have a known lease.
    var queues: some Sequence<String> { counts.keys }

    /// Whether a lease of an effect of a queue is known.
    func knows(_ effect: Position, in queue: String) -> Bool { entries[effect].map { $0.queue == queue } ?? false }

    /// How many leases a queue may have at a time.
    func bound(_ settings: QueueSettings) -> Int { min(bound, settings.concurrency ?? bound) }

    /// How many more may start now.
    func startRoom(in queue: String, _ settings: QueueSettings, at now: Timestamp) -> Int {
        withRate(of: queue, settings) { rate in rate.room(at: now) } ?? .max
    }

    /// When more may start; nil where nothing says so.
    func nextStart(in queue: String, _ settings: QueueSettings, at now: Timestamp) -> Timestamp? {
        withRate(of: queue, settings) { rate in rate.next(at: now) }
    }

    /// So many have started.
    func started(_ starts: Int, in queue: String, _ settings: QueueSettings, at now: Timestamp) {
        withRate(of: queue, settings) { rate in rate.started(starts, at: now) }
    }

    @discardableResult
    private func withRate<Value>(
        of queue: String, _ settings: QueueSettings, _ body: (inout StartRate) -> Value
    ) -> Value? {
        guard let wanted = StartRate(settings) else {
            rates[queue] = nil
            return nil
        }
        var rate = rates[queue] ?? wanted
        if rate.count != wanted.count || rate.milliseconds != wanted.milliseconds { rate = wanted }
        defer { rates[queue] = rate }
        return body(&rate)
    }

    /// Lets what is held be tried again.
    func lookForHeld() { heldPlace = .start }

    /// What is held was looked through up to an effect; nil when there is no more.
    func lookedForHeld(upTo effect: Position?) { heldPlace = effect.map(HeldPlace.behind) }

    /// Somebody waits for room in a queue.
    func want(_ queue: String) { wanting.insert(queue) }

    /// The queues in which somebody wanted room, and that have some.
    func takeFreed() -> [String] {
        if freed.isEmpty { return [] }
        defer { freed = [] }
        return Array(freed)
    }

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
    func resume(_ effect: EffectRecord, at now: Timestamp) throws(StoreError) {
        guard let lease = TaskLease(effect.lease) else {
            throw StoreError(
                .corrupt,
                "The column 'lease' of the table 'effect' holds a value, which no wfd writes; restore a backup")
        }
        let rest = lease.generation == generation ? lease.milliseconds : 0
        enter(effect, lease, until: Timestamp(rawValue: now.rawValue + rest))
    }

    /// Lets a lease run on; when it is not on disk yet, it is entered by that.
    func prolong(_ effect: EffectRecord, _ lease: TaskLease, until: Timestamp) {
        enter(effect, lease, until: until)
    }

    /// Takes out an effect whose lease may have run out by a time.
    func popExpired(by now: Timestamp) -> (effect: Position, secret: [UInt8])? {
        if let seen, now < seen { shift(by: now.rawValue - seen.rawValue) }
        seen = now
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
        if heldPlace != nil { heldPlace = .start }
        expiries = Heap(entries.map { Expiry(until: $0.value.until, effect: $0.key) })
    }

    /// The clock was set: every lease runs as long as it would have.
    private func shift(by milliseconds: Int64) {
        entries = entries.mapValues { entry in
            var entry = entry
            entry.until = Timestamp(rawValue: entry.until.rawValue + milliseconds)
            return entry
        }
        restart()
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
        if !wanting.isEmpty, wanting.remove(entry.queue) != nil { freed.insert(entry.queue) }
    }
}
