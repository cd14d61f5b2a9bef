import HeapModule
import WorkflowStore

/// The expiry times of leases: a hint for each lease that is on disk. The effect's row decides if the lease still
/// holds.
///
/// A class for the lane's thread alone. Nothing is taken back when a batch fails: a lease that was never written is
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

    /// The generation of the store.
    let generation: Int64
    /// The committed settings of queues.
    let board: QueueBoard
    private let partition: PartitionID
    private let bound: Int
    private var entries: [Position: Entry] = [:]
    private var counts: [String: Int] = [:]
    private var expiries = Heap<Expiry>()
    /// The time of the last search for expired leases.
    private var seen: Timestamp?
    /// The recent starts of the queues that have a rate.
    private var rates: [String: StartRate] = [:]
    /// Queues for which more leases were requested than there may be.
    private var wanting: Set<String> = []
    /// The wanted queues that have room again.
    private var freed: Set<String> = []

    /// The place from which held effects are searched, to be tried again; `nil` once all were examined.
    private(set) var heldPlace: HeldPlace? = .start

    /// A place among the held effects.
    enum HeldPlace {
        case start
        case behind(Position)
    }

    /// - Parameter bound: The greatest number of leases of one queue at a time.
    init(of partition: PartitionID = .first, generation: Int64, bound: Int, board: QueueBoard) {
        self.partition = partition
        self.generation = generation
        self.bound = bound
        self.board = board
    }

    /// True if other lanes lease tasks too.
    var isShared: Bool { board.counts != nil }

    /// Returns the number of known leases of a queue, in all lanes.
    func count(in queue: String) -> Int {
        (counts[queue] ?? 0) + (board.counts?.count(in: queue, outside: partition) ?? 0)
    }

    /// The queues that have a known lease.
    var queues: some Sequence<String> { counts.keys }

    /// Returns true if a lease of an effect of a queue is known.
    func knows(_ effect: Position, in queue: String) -> Bool { entries[effect].map { $0.queue == queue } ?? false }

    /// Returns the greatest number of leases that a queue may have at a time.
    func bound(_ settings: QueueSettings) -> Int { min(bound, settings.concurrency ?? bound) }

    /// Returns how many more tasks may start now.
    func startRoom(in queue: String, _ settings: QueueSettings, at now: Timestamp) -> Int {
        withRate(of: queue, settings) { rate in rate.room(at: now) } ?? .max
    }

    /// Returns when more tasks may start; `nil` if no rate limits them.
    func nextStart(in queue: String, _ settings: QueueSettings, at now: Timestamp) -> Timestamp? {
        withRate(of: queue, settings) { rate in rate.next(at: now) }
    }

    /// Counts tasks that have started.
    func started(_ starts: Int, in queue: String, _ settings: QueueSettings, at now: Timestamp) {
        withRate(of: queue, settings) { rate in rate.started(starts, at: now) }
    }

    @discardableResult
    private func withRate<Value: Sendable>(
        of queue: String, _ settings: QueueSettings, _ body: (inout StartRate) -> Value
    ) -> Value? {
        func change(_ rates: inout [String: StartRate]) -> Value? {
            guard let wanted = StartRate(settings) else {
                rates[queue] = nil
                return nil
            }
            var rate = rates[queue] ?? wanted
            if rate.count != wanted.count || rate.milliseconds != wanted.milliseconds { rate = wanted }
            defer { rates[queue] = rate }
            return body(&rate)
        }
        return board.counts.map { $0.withRates(change) } ?? change(&rates)
    }

    /// Starts a new search for held effects.
    func lookForHeld() { heldPlace = .start }

    /// Records that held effects were examined up to an effect; `nil` if there are no more.
    func lookedForHeld(upTo effect: Position?) { heldPlace = effect.map(HeldPlace.behind) }

    /// Records that a worker waits for room in a queue.
    func want(_ queue: String) {
        if let shared = board.counts { shared.want(queue) } else { wanting.insert(queue) }
    }

    /// Returns and clears the wanted queues that have room again.
    func takeFreed() -> [String] {
        if freed.isEmpty { return [] }
        defer { freed = [] }
        return Array(freed)
    }

    /// The next time at which a lease may expire; `nil` without leases.
    var nextExpiry: Timestamp? { expiries.min?.until }

    /// Adopts a committed batch.
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

    /// Enters a lease from before the start, which gets its whole time again. A lease from before a restore has
    /// expired.
    func resume(_ effect: EffectRecord, at now: Timestamp) throws(StoreError) {
        guard let lease = TaskLease(effect.lease) else {
            throw StoreError(
                .corrupt,
                "The column 'lease' of the table 'effect' holds a value, which no wfd writes; restore a backup")
        }
        let rest = lease.generation == generation ? lease.milliseconds : 0
        enter(effect, lease, until: Timestamp(rawValue: now.rawValue + rest))
        board.counts?.enter(effect.id, in: effect.queue)
    }

    /// Extends a lease; a lease that is not on disk yet is entered.
    func prolong(_ effect: EffectRecord, _ lease: TaskLease, until: Timestamp) {
        enter(effect, lease, until: until)
    }

    /// Removes and returns an effect whose lease may have expired by a time.
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

    /// Makes an effect due for another check later.
    func postpone(_ effect: Position, until: Timestamp) {
        guard entries[effect] != nil else { return }
        entries[effect]?.until = until
        expiries.insert(Expiry(until: until, effect: effect))
    }

    /// Restores the hints that were removed for a batch that failed.
    func restart() {
        if heldPlace != nil { heldPlace = .start }
        expiries = Heap(entries.map { Expiry(until: $0.value.until, effect: $0.key) })
    }

    /// Shifts all leases after the clock was set, so that every lease keeps its remaining time.
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
