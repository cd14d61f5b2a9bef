import Statechart
import WorkflowStore

/// An instance that the writer works on: its state, and the changes of the batch that touched it last.
///
/// An instance goes from batch to batch in place; only a trial has a copy of its own. Only the writer's thread uses the
/// instance, one access at a time. Checking the exclusivity costs 500 instructions an event.
final class LiveInstance {
    @exclusivity(unchecked) var state: InstanceState
    @exclusivity(unchecked) var entry: BatchEntry
    /// The bytes that its cache counts for the instance; counted anew after each batch that changed the instance.
    fileprivate(set) var countedBytes: Int

    init(_ state: consuming InstanceState, entry: BatchEntry = .none) {
        countedBytes = state.size
        self.state = state
        self.entry = entry
    }

    /// Returns a copy that can be changed without changing this instance.
    func copy() -> LiveInstance {
        let copy = LiveInstance(state.copy(), entry: entry)
        copy.countedBytes = countedBytes
        return copy
    }

    /// Counts the bytes that the instance takes; returns the increase.
    func recount() -> Int {
        defer { countedBytes = state.size }
        return state.size - countedBytes
    }

    /// Advances by a macrostep, as `InstanceState.advance` does.
    func advance(
        to link: Chain.Link, at position: Position, now: Timestamp, from origin: RowOrigin,
        _ digests: inout DigestBuffer, _ texts: inout RowTexts, _ journal: inout [JournalRecord]
    ) -> SnapshotRecord? {
        noteChange()
        if entry.storedTimers == nil, link.changesTimers(after: state.snapshot.status) {
            entry.storedTimers = entry.isNew ? [] : state.timers
        }
        return state.advance(to: link, at: position, now: now, from: origin, &digests, &texts, &journal)
    }

    /// Deletes the instance; returns its last row.
    func delete() -> InstanceRecord {
        noteChange()
        entry.isDeleted = true
        return state.written()
    }

    /// Changes parts of the row other than its state.
    func rewrite(_ body: (inout InstanceState) -> Void) {
        noteChange()
        body(&state)
    }

    private func noteChange() {
        if entry.isChanged { return }
        entry.isChanged = true
        if !entry.isNew { entry.before = state.tallyKey }
    }

    /// Adds the changes of the batch to the transaction.
    func write(to batch: inout StoreBatch) {
        guard entry.isChanged else { return }
        let record = entry.isDeleted ? state.written().purging : state.written()
        batch.count(record, before: entry.before)
        if entry.isNew { batch.newInstances.append(record) } else { batch.changedInstances.append(record) }
        if let stored = entry.storedTimers { batch.change(timers: stored, to: state.timers) }
    }
}

/// The changes that a batch made to an instance.
struct BatchEntry {
    /// The number of the batch, or of the trial within it; no batch has 0.
    var number: UInt64
    /// True if the instance began in the batch.
    let isNew: Bool
    var isChanged = false
    /// True if the batch deletes the instance.
    var isDeleted = false
    /// The number of macrosteps that the instance made by itself in the batch.
    var firings = 0
    /// The tally that counted the instance before the batch; `nil` if the instance began in the batch, or is unchanged.
    var before: TallyKey?
    /// The instance's timers in the store before the batch; `nil` while the batch leaves them unchanged.
    var storedTimers: [TimerRecord]?

    /// An entry without a batch.
    static let none = BatchEntry(number: 0, isNew: false)
}

extension StoreBatch {
    /// Ends and arms the timers that differ from those before the batch. A timer armed and ended within the batch is
    /// never written.
    fileprivate mutating func change(timers stored: [TimerRecord], to timers: [TimerRecord]) {
        if stored.isEmpty, timers.isEmpty { return }
        let known = Set(stored)
        let kept = Set(timers)
        endedTimers += stored.lazy.filter { !kept.contains($0) }.map(\.key)
        armedTimers += timers.lazy.filter { !known.contains($0) }
    }
}

/// The instances that a batch read or changed, in the order of their first use.
struct TouchedInstances {
    private(set) var list: [LiveInstance] = []
    /// The number of the batch, or of the trial within it.
    private let number: UInt64
    /// The copies of a trial; `nil` if instances are changed in place.
    private var copies: [InstanceKey: LiveInstance]?

    /// - Parameter number: A number that is unique to each batch and each trial.
    init(number: UInt64) {
        self.number = number
    }

    mutating func reserve(_ count: Int) { list.reserveCapacity(count) }

    /// True if instances are copied before they are changed.
    var isTrial: Bool { copies != nil }

    /// Returns the trial's copy of an instance, if there is one.
    func copy(of key: InstanceKey) -> LiveInstance? { copies?[key] }

    /// Records an instance as touched; returns the object that this batch may change.
    mutating func touch(_ known: LiveInstance) -> LiveInstance {
        if known.entry.number == number { return known }
        let own = copies == nil ? known : known.copy()
        own.entry = BatchEntry(number: number, isNew: false)
        enter(own)
        return own
    }

    /// Adds an instance that begins in this batch.
    mutating func add(started instance: LiveInstance) {
        instance.entry = BatchEntry(number: number, isNew: true)
        enter(instance)
    }

    private mutating func enter(_ instance: LiveInstance) {
        list.append(instance)
        copies?[instance.state.record.key] = instance
    }

    /// Frees the name of a deleted instance for another instance.
    mutating func free(_ key: InstanceKey) { copies?[key] = nil }

    /// Returns copies of the instances, which can be changed without changing the originals.
    func trial(number: UInt64) -> TouchedInstances {
        var trial = TouchedInstances(number: number)
        trial.copies = [:]
        for instance in list {
            let copy = instance.copy()
            copy.entry.number = number
            trial.enter(copy)
        }
        return trial
    }

    /// Puts the copies of a trial in the place of the originals.
    func settle(in recent: WorkingSet) {
        guard let copies else { return }
        for instance in copies.values { recent.keep(instance) }
    }

    /// Encodes the changed instances for the transaction.
    func write(to batch: inout StoreBatch) {
        batch.changedInstances.reserveCapacity(list.count)
        for instance in list { instance.write(to: &batch) }
    }
}

/// Recent instances as the last command left them, whether on disk or not; for the writer's thread.
///
/// Batches change the instances in place. So if a batch fails, all are forgotten, and read again from the committed
/// data.
final class WorkingSet {
    private let bound: Int
    @exclusivity(unchecked) private var cache: GenerationCache<InstanceKey, LiveInstance>
    /// The keys of instances that have effects: an effect knows only the instance's id.
    private var keys: GenerationCache<InstanceID, InstanceKey>
    /// The effects as they are on disk.
    private var effects: GenerationCache<Position, EffectRecord>

    /// - Parameter bound: The approximate number of bytes.
    init(bound: Int) {
        self.bound = bound
        cache = GenerationCache(bound: bound)
        keys = GenerationCache(bound: bound / Self.shareOfKeys)
        effects = GenerationCache(bound: bound / Self.shareOfEffects)
    }

    /// The divisor of the bound that gives the bytes for names, in addition to the bound.
    private static let shareOfKeys = 16
    /// The divisor of the bound that gives the bytes for effects.
    private static let shareOfEffects = 8

    /// Returns the key of an instance that was kept.
    func key(of id: InstanceID) -> InstanceKey? { keys.value(for: id, cost: Self.cost) }

    func keep(_ key: InstanceKey, of id: InstanceID) { keys.insert(key, for: id, cost: Self.cost(key)) }

    private static func cost(_ key: InstanceKey) -> Int { 128 + key.name.rawValue.utf8.count }

    /// Returns an effect of a recent batch that is on disk, unless the effect has ended.
    func effect(_ id: Position) -> EffectRecord? { effects.value(for: id, cost: Self.cost) }

    /// Adopts a batch that is on disk. Other batches may be under way, and their changes of effects take precedence.
    func adopt(_ batch: StoreBatch) {
        for effect in batch.newEffects { keep(effect) }
        for effect in batch.changedEffects {
            // The effect may have grown, and the cost of a replacement is not counted.
            effects.remove(effect.id)
            keep(effect)
        }
        for id in batch.endedEffects { effects.remove(id) }
    }

    /// Keeps an effect, unless it is large; a large effect is read on demand.
    private func keep(_ effect: EffectRecord) {
        let cost = Self.cost(effect)
        if cost <= Self.largestEffect { effects.insert(effect, for: effect.id, cost: cost) }
    }

    private static let largestEffect = 16 << 10

    private static func cost(_ effect: EffectRecord) -> Int {
        512 + effect.request.utf8.count
            + [effect.progress, effect.error, effect.answer].reduce(0) { $0 + ($1?.utf8.count ?? 0) }
    }

    func instance(_ key: InstanceKey) -> LiveInstance? { cache.value(for: key, cost: \.countedBytes) }

    func keep(_ instance: LiveInstance) {
        cache.insert(instance, for: instance.state.record.key, cost: instance.countedBytes)
    }

    /// Forgets an instance that is deleted.
    func remove(_ record: InstanceRecord) {
        cache.remove(record.key)
        keys.remove(record.id)
    }

    /// Records the new name of an instance.
    func rename(_ instance: LiveInstance, from old: InstanceKey) {
        cache.remove(old)
        keep(instance)
        keys.remove(instance.state.record.id)
        keep(instance.state.record.key, of: instance.state.record.id)
    }

    /// Counts the bytes of the changed instances after a batch.
    func recount(_ instances: [LiveInstance]) {
        cache.grow(by: instances.reduce(0) { $1.entry.isChanged ? $0 + $1.recount() : $0 })
    }

    /// Makes room. Entries that were requested or kept since the last call stay.
    func trim() {
        cache.trim()
        keys.trim()
        effects.trim()
    }

    func forgetAll() {
        cache = GenerationCache(bound: bound)
        keys = GenerationCache(bound: bound / Self.shareOfKeys)
        effects = GenerationCache(bound: bound / Self.shareOfEffects)
    }
}
