import HeapModule
import WorkflowStore

/// The timers of a partition that are due next, up to a bound; all others are only in the store.
///
/// An entry is a hint that an instance may have something due. The next timer of every instance is among the entries,
/// or after the last timer that was read. When an instance's timer fires, its next timer is entered. A cancelled or
/// duplicate entry is noticed when its time comes. So a failed batch undoes no entries: the window is read again.
struct TimerWindow {
    private struct Entry: Comparable {
        let key: TimerKey
        let instance: InstanceID
        /// The time of the timer's turn: its due time, or later.
        var turn: Timestamp

        private var order: TimerKey { TimerKey(due: turn, position: key.position, ordinal: key.ordinal) }

        static func < (lhs: Entry, rhs: Entry) -> Bool { lhs.order < rhs.order }
    }

    private let partition: PartitionID
    private let bound: Int
    private var entries = Heap<Entry>()
    /// The last timer that was read; later timers are not entered. `nil` if all timers have been read.
    private var horizon: TimerKey?
    private var isStale = true

    init(of partition: PartitionID, bound: Int) {
        self.partition = partition
        self.bound = bound
    }

    /// Forgets all entries; the next look reads the store again.
    mutating func invalidate() {
        isStale = true
    }

    /// Enters a timer that was armed, or that is still to come.
    mutating func insert(_ hint: TimerHint) {
        if isStale { return }
        let key = hint.key
        if let horizon, key > horizon { return }
        entries.insert(Entry(key: key, instance: hint.instance, turn: max(key.due, hint.turn ?? key.due)))
        if entries.count > 2 * bound { isStale = true }
    }

    /// Returns the time at which something may be due next; `nil` if nothing is armed.
    mutating func nextDue(_ store: any StoreWriter) throws(StoreError) -> Timestamp? {
        try refresh(store)
        return entries.min?.turn
    }

    /// Removes and returns the first entry if it is due by a time: the instance that may have something due, and its
    /// key.
    mutating func popDue(
        by now: Timestamp, _ store: any StoreWriter
    ) throws(StoreError) -> (key: TimerKey, instance: InstanceID)? {
        try refresh(store)
        guard let first = entries.min, first.turn <= now else { return nil }
        entries.removeMin()
        return (first.key, first.instance)
    }

    /// Returns the instances that may have something due by a time, in the order of their turns; at most `limit`.
    mutating func due(by now: Timestamp, limit: Int, _ store: any StoreWriter) throws(StoreError) -> [InstanceID] {
        try refresh(store)
        return entries.unordered.filter { $0.turn <= now }.sorted().prefix(limit).map(\.instance)
    }

    /// Returns true if a look would remove an entry or read the store.
    func isDue(by now: Timestamp) -> Bool {
        mustRead || entries.min.map { $0.turn <= now } ?? false
    }

    /// True if the next look reads the store. In the middle of a batch this read would return timers that the batch has
    /// fired.
    var mustRead: Bool { isStale || (entries.isEmpty && horizon != nil) }

    private mutating func refresh(_ store: any StoreWriter) throws(StoreError) {
        guard mustRead else { return }
        let timers = try store.timers(in: partition, limit: bound)
        entries = Heap(timers.map { Entry(key: $0.key, instance: $0.instanceID, turn: $0.key.due) })
        horizon = timers.count == bound ? timers.last?.key : nil
        isStale = false
    }
}
