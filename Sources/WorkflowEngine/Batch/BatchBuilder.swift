import Statechart
import WorkflowJSON
import WorkflowStore

/// Applies commands in memory, on top of what is committed or being committed, until they are written as one
/// transaction.
///
/// Nothing of it is visible outside the writer before the commit. Recent instances are changed in place: whoever throws
/// a batch away has them forgotten.
struct BatchBuilder {
    /// What is committed.
    let store: any StoreLookup
    /// What is being committed, and holds only if that succeeds; the oldest first.
    let provisional: [UncommittedBatch]
    let library: MachineLibrary
    /// Gives versions that are not compiled yet.
    let demand: MachineDemand
    let recent: WorkingSet
    /// The clock's time. A virtual clock moves within a batch, from timer to timer.
    var now: Timestamp
    let limits: EngineLimits
    var numbers: StoreNumbers
    /// The numbers when it began.
    private let base: StoreNumbers
    private var machines: [LoadedMachine] = []
    private var journal: [JournalRecord] = []
    private var snapshots: [SnapshotRecord] = []
    private var touched: TouchedInstances
    /// Hands out numbers of batches and trials.
    private let nextNumber: () -> UInt64
    /// Makes the id of an instance that begins at a time.
    let newID: (Timestamp) -> UniqueID
    /// Makes the salt of an instance.
    let newSalt: () -> Salt
    var bytes = 0
    /// Units of evaluation of the macrosteps that were recorded.
    var cost = 0
    /// What is told when the batch is on disk.
    private(set) var notices: [Notice] = []
    let motion: SelfMotion
    let brake: Brake
    let leases: LeaseTable
    private var keys: [KeyPlace: Position] = [:]
    /// What the batch did to effects; of one that ended, that.
    var effects: [Position: EffectChange] = [:]
    /// The effects that the batch made ready, by their queues; something else may have become of them since.
    var readied: [String: [Position]] = [:]
    var attempts: [AttemptRecord] = []
    /// What was set for queues, by their names.
    var queues: [String: QueueRecord] = [:]
    /// Whether effects are held from now on; nil when nobody said anything.
    var hold: Bool?
    /// What was set for machines.
    var settings: [MachineKey: MachineSetting] = [:]
    /// What was set for them before, as committed when the batch began.
    let settledBefore: [MachineKey: MachineSetting]
    /// Runs that the batch begins or changes; nil of one that it forgets.
    var runs: [BulkKey: BulkRecord?] = [:]
    /// The instances of runs that begin in it.
    var runNames: [BulkKey: [InstanceName]] = [:]
    /// Commands that do a part of a run: nobody waits for them.
    var slices = 0
    /// Commands for which a run makes no room: those that begin or change runs, and what wfd does in the background.
    var orders = 0
    let share: BackgroundShare
    private var suspended: Set<InstanceID> = []
    /// What stays of the instances that it deletes, and the names that they had.
    private var purged: [AuditRecord] = []
    private var freed: Set<InstanceKey> = []
    /// What it erases.
    private(set) var erasure = BatchErasure()
    /// The salts that it gives to rows.
    private(set) var rewritten: [Position: RowSalt] = [:]
    /// Instances that it gave another name: their keys of before, and since.
    private var renamed: [InstanceID: RenamedInstance] = [:]
    var digests = DigestBuffer()
    private var texts = RowTexts()
    private var readAhead: ArraySlice<InstanceRecord> = []

    /// - Parameter numbers: As of the last batch, whether it is committed or not.
    init(
        store: any StoreLookup, after provisional: [UncommittedBatch], numbers: StoreNumbers, library: MachineLibrary,
        demand: MachineDemand, recent: WorkingSet, motion: SelfMotion, brake: Brake, leases: LeaseTable,
        share: BackgroundShare,
        now: Timestamp,
        limits: EngineLimits,
        nextNumber: @escaping () -> UInt64, newID: @escaping (Timestamp) -> UniqueID,
        newSalt: @escaping () -> Salt
    ) {
        self.store = store
        self.provisional = provisional
        self.numbers = numbers
        base = numbers
        self.library = library
        self.demand = demand
        settledBefore = library.board.settings
        self.recent = recent
        self.motion = motion
        self.brake = brake
        self.leases = leases
        self.share = share
        self.nextNumber = nextNumber
        self.newID = newID
        self.newSalt = newSalt
        touched = TouchedInstances(number: nextNumber())
        self.now = now
        self.limits = limits
    }

    /// The rows that the batch will write to the journal.
    var rows: Int {
        journal.count + machines.count + effects.count + attempts.count + queues.count + settings.count + purged.count
            + erasure.rows.count + erasure.salts.count + runs.count
    }

    /// What the next batch is applied on top of, before this one is committed.
    var result: UncommittedBatch {
        UncommittedBatch(
            machines: machines, keys: keys, effects: effects, readied: readied, attempts: attempts, queues: queues,
            settings: settings, hold: hold, runs: runs, renamed: renamed)
    }

    /// When something comes to the instances that it read or changed, as it leaves them.
    var pending: [TimerHint] {
        touched.list.compactMap { instance in
            guard instance.state.hasTimers, let key = instance.state.nextKey else { return nil }
            return TimerHint(
                instance: instance.state.record.id, key: key, turn: instance.state.comesAtOnce ? now : nil)
        }
    }

    /// Everything to write, in one transaction.
    mutating func batch() -> StoreBatch {
        var batch = StoreBatch(numbers: numbers)
        batch.numbers.last = journal.reduce(numbers.last) { max($0, $1.real ?? $1.at) }
        batch.machines = machines.map(\.record)
        batch.journal = journal
        batch.snapshots = snapshots
        batch.suspended = suspended
        batch.changedSettings = Array(settings.values)
        batch.purged = purged
        batch.numbers.last = purged.reduce(batch.numbers.last) { max($0, $1.at) }
        batch.erasure = erasure
        batch.keys = keys.map { KeyRecord(key: $0.key.key, scope: $0.key.scope, position: $0.value) }
        touched.settle(in: recent)
        touched.write(to: &batch)
        writeEffects(to: &batch)
        writeRuns(to: &batch)
        recent.recount(touched.list)
        return batch
    }

    /// The batch as it is, to try something that may have to be undone.
    func trial() -> BatchBuilder {
        var trial = self
        trial.touched = touched.trial(number: nextNumber())
        return trial
    }

    /// Makes room for so many commands.
    mutating func reserve(_ commands: Int) {
        journal.reserveCapacity(commands)
        touched.reserve(commands)
    }

    /// Adds what is told when the batch is on disk.
    mutating func note(_ notice: Notice) { notices.append(notice) }
}

// MARK: Machines

extension BatchBuilder {
    /// Takes a version that is stored with this batch.
    mutating func add(_ loaded: LoadedMachine) {
        numbers.nextMachine = MachineID(rawValue: numbers.nextMachine.rawValue + 1)
        machines.append(loaded)
        bytes += loaded.record.source.utf8.count
    }

    func machine(_ key: MachineKey, version: MachineVersion?) throws(Rejection) -> LoadedMachine? {
        if let version, let loaded = library.machine(key, version: version) { return loaded }
        for added in [machines] + provisional.reversed().map(\.machines) {
            let found = added.last { $0.record.key == key && (version == nil || $0.record.version == version) }
            if let found { return found }
        }
        guard let record = try read({ () throws(StoreError) in try store.machine(key, version: version) })
        else { return nil }
        return try demand.machine(of: record)
    }

    func machine(_ id: MachineID) throws(Rejection) -> LoadedMachine? {
        if let loaded = library.machine(id) { return loaded }
        for added in [machines] + provisional.reversed().map(\.machines) {
            if let loaded = added.first(where: { $0.record.id == id }) { return loaded }
        }
        guard let record = try read({ () throws(StoreError) in try store.machine(id) }) else { return nil }
        return try demand.machine(of: record)
    }

    func read<Value>(_ body: () throws(StoreError) -> Value) throws(Rejection) -> Value {
        do throws(StoreError) {
            return try body()
        } catch {
            throw .notCarriedOut(error)
        }
    }
}

// MARK: Rows

extension BatchBuilder {
    /// Adds the rows of a chain to the journal.
    ///
    /// - Parameters:
    ///   - key: The caller's, of the first row.
    ///   - reason: What the caller says, for the first row.
    ///   - run: The run over many instances that it is a part of.
    ///   - new: What the instance runs from the first row on, where that is of a kind that may change it.
    ///   - age: How long it is so after the first row, where that undoes the one before.
    mutating func record(
        _ chain: Chain, of instance: LiveInstance, by caller: Caller, key: RequestKey? = nil, reason: String? = nil,
        run: String? = nil, into new: LoadedMachine? = nil, age: FormerAge? = nil
    ) {
        record(chain.first, of: instance, by: caller, key: key, reason: reason, run: run, into: new, age: age)
        if chain.rest.isEmpty { return }
        // What the instance sends to itself comes from nobody.
        let itself = Caller.process(in: instance.state.record.namespace)
        charge(limits.ownMacrostepCost * chain.rest.count)
        for link in chain.rest { record(link, of: instance, by: itself) }
    }

    private mutating func record(
        _ link: Chain.Link, of instance: LiveInstance, by caller: Caller, key: RequestKey? = nil,
        reason: String? = nil, run: String? = nil, into new: LoadedMachine? = nil, age: FormerAge? = nil
    ) {
        charge(link.macrostep.cost)
        let hasEffects = instance.state.machine.hasEffects || new?.machine.hasEffects ?? false
        let effects = hasEffects ? instance.state.effects : []
        let position = numbers.nextPosition
        let snapshot = instance.advance(
            to: link, at: position, now: now, by: caller, key: key, reason: reason, run: run, into: new,
            age: age, &digests, &texts, &journal)
        numbers.nextPosition = position.next
        if link.input.kind == .suspended || link.input.kind == .reset,
            instance.state.snapshot.status == .suspended
        {
            suspended.insert(instance.state.record.id)
        }
        if hasEffects { changeEffects(effects, by: link, of: instance) }
        bytes += 256 + (journal[journal.count - 1].data?.utf8.count ?? 0)
        if let snapshot { snapshots.append(snapshot) }
        if link.refusal != nil, let failure = link.failure(in: instance.state.machine) {
            let told = failure.caused(by: InvocationError(instance.state.snapshot.armed.kept?.data))
            note(.failed(instance.state.record, machine: instance.state.loaded.record, told))
        }
        if let skipped = link.macrostep.skipped {
            let snapshot = link.macrostep.snapshot
            note(
                .skipped(
                    skipped, event: link.event.name, instance.state.record, machine: instance.state.loaded.record,
                    isLast: snapshot.status == .running && snapshot.armed.isEmpty))
        }
    }
}

// MARK: Instances and keys

extension BatchBuilder {
    /// An instance as it is after what the batch did so far; nil when there is none.
    mutating func instance(_ key: InstanceKey) throws(Rejection) -> LiveInstance? {
        if let copy = touched.copy(of: key) { return copy }
        if let known = recent.instance(key) { return touched.touch(known) }
        guard !freed.contains(key), let instance = try stored(key) else { return nil }
        recent.keep(instance)
        return touched.touch(instance)
    }

    /// Takes an instance that begins in this batch.
    mutating func add(started instance: LiveInstance) {
        touched.add(started: instance)
        // A trial may be thrown away: `settle` keeps what it started.
        if !touched.isTrial { recent.keep(instance) }
    }

    /// Deletes an instance to which nothing can come any more. It must not be a trial's.
    mutating func delete(
        _ instance: LiveInstance, by caller: Caller, reason: String?, key: Digest?
    ) -> AuditRecord {
        let record = instance.delete()
        let audit = AuditRecord(
            position: numbers.nextPosition, of: record, at: max(now, numbers.last), by: caller.actor, reason: reason,
            key: key)
        numbers.nextPosition = audit.position.next
        purged.append(audit)
        freed.insert(record.key)
        touched.free(record.key)
        recent.remove(record)
        bytes += 256
        return audit
    }

    /// The deletion that was asked for with a key, in this batch or before. No batch with one is under way.
    func audit(key: Digest) throws(Rejection) -> AuditRecord? {
        if let audit = purged.first(where: { $0.key == key }) { return audit }
        return try read { () throws(StoreError) in try store.audit(key: key) }
    }

    private mutating func stored(_ key: InstanceKey) throws(Rejection) -> LiveInstance? {
        // The store may still know it by the name that it had.
        if renamings.contains(where: { $0.values.contains { $0.old == key } }) { return nil }
        guard let record = try record(key) else { return nil }
        guard let loaded = try machine(record.machineID) else {
            throw Rejection(.damaged, "The machine of instance '\(key.name)' is not in the store")
        }
        return LiveInstance(try InstanceState(record: record, loaded: loaded))
    }

    private mutating func record(_ key: InstanceKey) throws(Rejection) -> InstanceRecord? {
        guard let place = readAhead.firstIndex(where: { $0.key == key }) else {
            return try read { () throws(StoreError) in try store.instance(key) }
        }
        defer { readAhead = readAhead[(place + 1)...] }
        return readAhead[place]
    }

    /// Reads at once what is looked up next, as long as nothing else comes between. What cannot be read is told where
    /// it is looked up.
    mutating func readTogether(_ ids: [InstanceID]) {
        // What a recent batch has changed may not be on disk yet.
        let unknown = ids.filter { id in recent.key(of: id).map { recent.instance($0) == nil } ?? true }
        readAhead = ((try? store.instances(unknown)) ?? [])[...]
    }

    /// Forgets what was read so and not looked up.
    mutating func endReading() { readAhead = [] }

    /// What names an instance after what was applied so far.
    func key(of id: InstanceID) throws(Rejection) -> InstanceKey? {
        if let known = recent.key(of: id) { return known }
        for names in renamings { if let name = names[id] { return name.new } }
        return try read { () throws(StoreError) in try store.instanceKey(id) }
    }

    /// An instance by its row number.
    mutating func instance(_ id: InstanceID) throws(Rejection) -> LiveInstance? {
        guard let key = try key(of: id) else { return nil }
        recent.keep(key, of: id)
        return try instance(key)
    }

    /// Of the batches that are not committed, the last first.
    private var renamings: [[InstanceID: RenamedInstance]] {
        [renamed].filter { !$0.isEmpty } + provisional.reversed().map(\.renamed).filter { !$0.isEmpty }
    }

    /// An instance has another name than `old` from now on.
    mutating func vacate(_ old: InstanceKey, of instance: LiveInstance) {
        let record = instance.state.record
        renamed[record.id] = RenamedInstance(old: renamed[record.id]?.old ?? old, new: record.key)
        recent.rename(instance, from: old)
    }

    /// Changes what else an instance says than its state.
    mutating func rewrite(_ instance: LiveInstance, _ body: (inout InstanceState) -> Void) {
        instance.rewrite(body)
        erasure.instances.insert(instance.state.record.id)
    }

    /// Erases more.
    mutating func add(_ more: BatchErasure) {
        erasure.add(more)
        for (position, salt) in more.salts { rewritten[position] = .kept(salt) }
        for (position, commitment) in more.rows { rewritten[position] = .redacted(commitment: commitment) }
    }

    /// A row that this batch writes.
    func uncommittedRow(at position: Position) -> JournalRecord? {
        journal.last { $0.position == position }
    }

    /// Where a key was used, in this batch or before.
    func position(of key: RequestKey, in scope: KeyScope) throws(Rejection) -> Position? {
        let place = KeyPlace(key: key, scope: scope)
        if let position = keys[place] { return position }
        if isNew(scope) { return nil }
        for batch in provisional { if let position = batch.keys[place] { return position } }
        return try read { () throws(StoreError) in try store.position(of: key, in: scope) }
    }

    /// Whether it began in this batch: the store knows no key of it.
    private func isNew(_ scope: KeyScope) -> Bool {
        switch scope {
        case .instance(let id): id >= base.nextInstance && id.partition == base.partition
        case .machine(let id): machines.contains { $0.record.id == id }
        }
    }

    /// Remembers a key, and the row that it was used for.
    mutating func remember(_ key: RequestKey?, in scope: KeyScope, at position: Position) {
        if let key { keys[KeyPlace(key: key, scope: scope)] = position }
    }

    /// Counts what was evaluated.
    mutating func charge(_ units: Int) { cost += units }

    /// An instance that must be there.
    mutating func existing(_ key: InstanceKey) throws(Rejection) -> LiveInstance {
        guard let instance = try instance(key) else { throw .instanceNotFound(key.name) }
        return instance
    }

    /// A key that says its age may have been forgotten: then nobody knows whether it was used.
    func refuseExpired(_ key: RequestKey) throws(Rejection) {
        guard let retention = limits.keyAge, let time = key.time else { return }
        let forgotten = try read { () throws(StoreError) in try store.forgottenKeys(in: numbers.partition) }
        let oldest = max(Timestamp(rawValue: now.rawValue - retention), forgotten)
        if time <= oldest { throw .keyExpired(key.text, at: time, now: now) }
        let newest = max(now, numbers.last).rawValue + limits.keyAheadMilliseconds
        if time.rawValue > newest { throw .keyAhead(key.text, at: time, now: now) }
    }
}

/// What a batch that is not committed yet adds to the store, as far as later commands look it up there. Its instances
/// are among the `WorkingSet`.
struct UncommittedBatch {
    let machines: [LoadedMachine]
    let keys: [KeyPlace: Position]
    let effects: [Position: EffectChange]
    let readied: [String: [Position]]
    let attempts: [AttemptRecord]
    let queues: [String: QueueRecord]
    let settings: [MachineKey: MachineSetting]
    let hold: Bool?
    let runs: [BulkKey: BulkRecord?]
    let renamed: [InstanceID: RenamedInstance]
}

/// The names of an instance that got another one.
struct RenamedInstance {
    let old: InstanceKey
    let new: InstanceKey
}

/// A key within its scope.
struct KeyPlace: Hashable {
    let key: RequestKey
    let scope: KeyScope
}
