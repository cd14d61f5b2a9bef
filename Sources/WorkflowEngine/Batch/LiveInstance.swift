import Statechart
import WorkflowStore

/// An instance in the writer's hands: what it is, and what the batch did to it that touched it last.
///
/// An instance goes from batch to batch in place; only a trial has a copy of its own. The writer's thread alone uses
/// it, one access at a time. To check that costs 500 instructions an event.
final class LiveInstance {
    @exclusivity(unchecked) var state: InstanceState
    @exclusivity(unchecked) var entry: BatchEntry
    /// The bytes that its cache counts for it; it is counted anew after each batch that changed it.
    fileprivate(set) var countedBytes: Int

    init(_ state: consuming InstanceState, entry: BatchEntry = .none) {
        countedBytes = state.size
        self.state = state
        self.entry = entry
    }

    /// The same, which can be changed without changing this one.
    func copy() -> LiveInstance {
        let copy = LiveInstance(state.copy(), entry: entry)
        copy.countedBytes = countedBytes
        return copy
    }

    /// Counts the bytes that it takes; gives how many more they are than before.
    func recount() -> Int {
        defer { countedBytes = state.size }
        return state.size - countedBytes
    }

    /// Takes a macrostep, as `InstanceState.advance` does.
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

    /// Deletes it; gives what it was.
    func delete() -> InstanceRecord {
        noteChange()
        entry.isDeleted = true
        return state.written()
    }

    /// Changes what else it says than its state.
    func rewrite(_ body: (inout InstanceState) -> Void) {
        noteChange()
        body(&state)
    }

    private func noteChange() {
        if entry.isChanged { return }
        entry.isChanged = true
        if !entry.isNew { entry.before = state.tallyKey }
    }

    /// Adds what the batch changed, for the transaction.
    func write(to batch: inout StoreBatch) {
        guard entry.isChanged else { return }
        let record = entry.isDeleted ? state.written().purging : state.written()
        batch.count(record, before: entry.before)
        if entry.isNew { batch.newInstances.append(record) } else { batch.changedInstances.append(record) }
        if let stored = entry.storedTimers { batch.change(timers: stored, to: state.timers) }
    }
}

/// What a batch did to an instance.
struct BatchEntry {
    /// Names the batch, or the trial within it; no batch has 0.
    var number: UInt64
    /// Whether the instance began in the batch.
    let isNew: Bool
    var isChanged = false
    /// Whether the batch deletes it.
    var isDeleted = false
    /// Macrosteps that it made by itself in the batch.
    var firings = 0
    /// Where it was counted before the batch; nil of what began in it, and as long as it is not changed.
    var before: TallyKey?
    /// Its timers in the store before the batch; nil as long as the batch leaves them as they are.
    var storedTimers: [TimerRecord]?

    /// What no batch did.
    static let none = BatchEntry(number: 0, isNew: false)
}

extension StoreBatch {
    /// Ends and arms timers of an instance so that it has others than before the batch: what is armed and ended within
    /// the batch never gets there.
    fileprivate mutating func change(timers stored: [TimerRecord], to timers: [TimerRecord]) {
        if stored.isEmpty, timers.isEmpty { return }
        let known = Set(stored)
        let kept = Set(timers)
        endedTimers += stored.lazy.filter { !kept.contains($0) }.map(\.key)
        armedTimers += timers.lazy.filter { !known.contains($0) }
    }
}

/// The instances that a batch read or changed, in the order in which it came to them.
struct TouchedInstances {
    private(set) var list: [LiveInstance] = []
    /// Names the batch, or the trial within it.
    private let number: UInt64
    /// Of a trial: its own copies. Nil where instances are changed in place.
    private var copies: [InstanceKey: LiveInstance]?

    /// - Parameter number: Another one for every batch and every trial.
    init(number: UInt64) {
        self.number = number
    }

    mutating func reserve(_ count: Int) { list.reserveCapacity(count) }

    /// True: instances are copied before they are changed.
    var isTrial: Bool { copies != nil }

    /// An instance of which a trial has a copy already.
    func copy(of key: InstanceKey) -> LiveInstance? { copies?[key] }

    /// Takes an instance; gives the one that this batch may change.
    mutating func touch(_ known: LiveInstance) -> LiveInstance {
        if known.entry.number == number { return known }
        let own = copies == nil ? known : known.copy()
        own.entry = BatchEntry(number: number, isNew: false)
        enter(own)
        return own
    }

    /// Takes an instance that begins in this batch.
    mutating func add(started instance: LiveInstance) {
        instance.entry = BatchEntry(number: number, isNew: true)
        enter(instance)
    }

    private mutating func enter(_ instance: LiveInstance) {
        list.append(instance)
        copies?[instance.state.record.key] = instance
    }

    /// Lets a name be another instance's: the one that has it is deleted.
    mutating func free(_ key: InstanceKey) { copies?[key] = nil }

    /// The same instances, which can be changed without changing these.
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

    /// Puts what a trial made in the place of what it was made of.
    func settle(in recent: WorkingSet) {
        guard let copies else { return }
        for instance in copies.values { recent.keep(instance) }
    }

    /// Encodes what changed, for the transaction.
    func write(to batch: inout StoreBatch) {
        batch.changedInstances.reserveCapacity(list.count)
        for instance in list { instance.write(to: &batch) }
    }
}

/// Recent instances as the last command left them, whether that is on disk or not; for the writer's thread.
///
/// Batches change them in place. So when one fails all are forgotten, and read again from what is committed.
final class WorkingSet {
    private let bound: Int
    @exclusivity(unchecked) private var cache: GenerationCache<InstanceKey, LiveInstance>
    /// Of instances that have effects: these know the id only.
    private var keys: GenerationCache<InstanceID, InstanceKey>
    /// As they are on disk.
    private var effects: GenerationCache<Position, EffectRecord>

    /// - Parameter bound: Bytes, about.
    init(bound: Int) {
        self.bound = bound
        cache = GenerationCache(bound: bound)
        keys = GenerationCache(bound: bound / Self.shareOfKeys)
        effects = GenerationCache(bound: bound / Self.shareOfEffects)
    }

    /// What part of the bound names may take beside it.
    private static let shareOfKeys = 16
    /// The same of effects.
    private static let shareOfEffects = 8

    /// The key of an instance that was kept.
    func key(of id: InstanceID) -> InstanceKey? { keys.value(for: id, cost: Self.cost) }

    func keep(_ key: InstanceKey, of id: InstanceID) { keys.insert(key, for: id, cost: Self.cost(key)) }

    private static func cost(_ key: InstanceKey) -> Int { 128 + key.name.rawValue.utf8.count }

    /// An effect of a recent batch that is on disk, unless it has ended.
    func effect(_ id: Position) -> EffectRecord? { effects.value(for: id, cost: Self.cost) }

    /// A batch is on disk. Others may be under way, and what they do to effects comes before what is here.
    func adopt(_ batch: StoreBatch) {
        for effect in batch.newEffects { keep(effect) }
        for effect in batch.changedEffects {
            // It may have grown, and what replaces another is not counted.
            effects.remove(effect.id)
            keep(effect)
        }
        for id in batch.endedEffects { effects.remove(id) }
    }

    /// A large one is read when it is wanted.
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

    /// An instance has another name than before.
    func rename(_ instance: LiveInstance, from old: InstanceKey) {
        cache.remove(old)
        keep(instance)
        keys.remove(instance.state.record.id)
        keep(instance.state.record.key, of: instance.state.record.id)
    }

    /// Counts what instances take after a batch.
    func recount(_ instances: [LiveInstance]) {
        cache.grow(by: instances.reduce(0) { $1.entry.isChanged ? $0 + $1.recount() : $0 })
    }

    /// Makes room. What was asked for or kept since the last call stays.
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
