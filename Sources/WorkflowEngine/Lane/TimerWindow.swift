import HeapModule
import WorkflowStore

/// The timers of a partition that are due next, a bounded number of them; all others are only in the store.
///
/// Entries are hints: each says that an instance may have something due, and the next timer of every instance is among
/// them or past the last that was read. An instance whose timer fires is entered again with its next one; one that was
/// cancelled, or is there twice, is noticed when its time comes. So nothing has to be taken back when a batch fails:
/// the window is read anew.
struct TimerWindow {
    private struct Entry: Comparable {
        let key: TimerKey
        let instance: InstanceID
        /// When its turn is: when it is due, or later.
        var turn: Timestamp

        private var order: TimerKey { TimerKey(due: turn, position: key.position, ordinal: key.ordinal) }

        static func < (lhs: Entry, rhs: Entry) -> Bool { lhs.order < rhs.order }
    }

    private let partition: PartitionID
    private let bound: Int
    private var entries = Heap<Entry>()
    /// The last timer that was read; later ones are not entered. Nil when all that there are have been read.
    private var horizon: TimerKey?
    private var isStale = true

    init(of partition: PartitionID, bound: Int) {
        self.partition = partition
        self.bound = bound
    }

    /// Forgets everything; the next look reads anew.
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

    /// When something may be due next; nil when nothing is armed.
    mutating func nextDue(_ store: any StoreWriter) throws(StoreError) -> Timestamp? {
        try refresh(store)
        return entries.min?.turn
    }

    /// The instance that may have something due first, and what, if it is due by a time; takes the entry out.
    mutating func popDue(
        by now: Timestamp, _ store: any StoreWriter
    ) throws(StoreError) -> (key: TimerKey, instance: InstanceID)? {
        try refresh(store)
        guard let first = entries.min, first.turn <= now else { return nil }
        entries.removeMin()
        return (first.key, first.instance)
    }

    /// The instances that may have something due by a time, in the order of their turns; at most `limit`.
    mutating func due(by now: Timestamp, limit: Int, _ store: any StoreWriter) throws(StoreError) -> [InstanceID] {
        try refresh(store)
        return entries.unordered.filter { $0.turn <= now }.sorted().prefix(limit).map(\.instance)
    }

    /// Whether a look would take something out, or read the store.
    func isDue(by now: Timestamp) -> Bool {
        mustRead || entries.min.map { $0.turn <= now } ?? false
    }

    /// Whether the next look reads the store. In the midst of a batch that would give what the batch has fired.
    var mustRead: Bool { isStale || (entries.isEmpty && horizon != nil) }

    private mutating func refresh(_ store: any StoreWriter) throws(StoreError) {
        guard mustRead else { return }
        let timers = try store.timers(in: partition, limit: bound)
        entries = Heap(timers.map { Entry(key: $0.key, instance: $0.instanceID, turn: $0.key.due) })
        horizon = timers.count == bound ? timers.last?.key : nil
        isStale = false
    }
}
