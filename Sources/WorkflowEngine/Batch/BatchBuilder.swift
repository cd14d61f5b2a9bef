import Statechart
import WorkflowJSON
import WorkflowStore

/// Applies commands in memory, on top of everything committed or being committed, until they are written as one
/// transaction.
///
/// Nothing of the batch is visible outside the writer before the commit. Recent instances are changed in place: code
/// that discards a batch must make the `WorkingSet` forget them.
struct BatchBuilder {
    /// The committed data.
    let store: any StoreLookup
    /// The changes of batches that are being committed, oldest first. The changes hold only if the commits succeed.
    let underWay: [BatchChanges]
    let parts: BatchParts
    /// The clock's time. A virtual clock moves within a batch, from timer to timer.
    var now: Timestamp
    var numbers: StoreNumbers
    /// The numbers at the beginning of the batch.
    private let base: StoreNumbers
    var changes = BatchChanges()
    private var touched: TouchedInstances
    var bytes = 0
    /// Units of evaluation of the recorded macrosteps.
    var cost = 0
    /// The notices to log once the batch is on disk.
    private(set) var notices: [Notice] = []
    /// The settings of machines that were committed when the batch began.
    let settledBefore: [MachineKey: MachineSetting]
    /// The number of commands that do a part of a bulk run and have no waiting caller.
    var slices = 0
    /// The number of commands for which a bulk run makes no room: changes of bulk runs, and wfd's background work.
    var orders = 0
    var digests = DigestBuffer()
    private var texts = RowTexts()
    private var readAhead: ArraySlice<InstanceRecord> = []

    /// - Parameters:
    ///   - underWay: See the property.
    ///   - numbers: The numbers after the last batch, whether it is committed or not.
    init(
        store: any StoreLookup, after underWay: [BatchChanges], numbers: StoreNumbers, parts: BatchParts,
        now: Timestamp
    ) {
        self.store = store
        self.underWay = underWay
        self.numbers = numbers
        base = numbers
        self.parts = parts
        settledBefore = parts.library.board.settings
        touched = TouchedInstances(number: parts.counter.next())
        self.now = now
    }

    /// The times at which the instances that the batch read or changed may have something due.
    var pending: [TimerHint] {
        touched.list.compactMap { instance in
            guard instance.state.hasTimers, let key = instance.state.nextKey else { return nil }
            return TimerHint(
                instance: instance.state.record.id, key: key, turn: instance.state.comesAtOnce ? now : nil)
        }
    }

    /// Returns everything to write, in one transaction.
    mutating func batch() -> StoreBatch {
        var batch = StoreBatch(numbers: numbers)
        changes.write(to: &batch)
        touched.settle(in: parts.recent)
        touched.write(to: &batch)
        parts.recent.recount(touched.list)
        return batch
    }

    /// Returns a copy of the batch, for changes that may have to be undone.
    func trial() -> BatchBuilder {
        var trial = self
        trial.touched = touched.trial(number: parts.counter.next())
        return trial
    }

    /// Reserves capacity for a number of commands.
    mutating func reserve(_ commands: Int) {
        changes.journal.reserveCapacity(commands)
        touched.reserve(commands)
    }

    /// Adds a notice to log once the batch is on disk.
    mutating func note(_ notice: Notice) { notices.append(notice) }
}

// MARK: Overlay

extension BatchBuilder {
    /// Returns the newest value that is not committed: of this batch first, then of the batches under way.
    @inline(__always)
    func newest<Value>(_ value: (BatchChanges) -> Value?) -> Value? {
        if let own = value(changes) { return own }
        for batch in underWay.reversed() { if let found = value(batch) { return found } }
        return nil
    }

    /// Adds up a count over everything that is not committed.
    @inline(__always)
    func uncommittedCount(_ count: (BatchChanges) -> Int) -> Int { underWay.reduce(count(changes)) { $0 + count($1) } }
}

// MARK: Machines

extension BatchBuilder {
    /// Adds a version that is stored with this batch.
    mutating func add(_ loaded: LoadedMachine) {
        numbers.nextMachine = MachineID(rawValue: numbers.nextMachine.rawValue + 1)
        changes.machines.append(loaded)
        bytes += loaded.record.source.utf8.count
    }

    func machine(_ key: MachineKey, version: MachineVersion?) throws(Rejection) -> LoadedMachine? {
        if let version, let loaded = parts.library.machine(key, version: version) { return loaded }
        let added = newest { changes in
            changes.machines.last { $0.record.key == key && (version == nil || $0.record.version == version) }
        }
        if let added { return added }
        guard let record = try read({ () throws(StoreError) in try store.machine(key, version: version) })
        else { return nil }
        return try parts.demand.machine(of: record)
    }

    func machine(_ id: MachineID) throws(Rejection) -> LoadedMachine? {
        if let loaded = parts.library.machine(id) { return loaded }
        if let added = newest({ $0.machines.first { $0.record.id == id } }) { return added }
        guard let record = try read({ () throws(StoreError) in try store.machine(id) }) else { return nil }
        return try parts.demand.machine(of: record)
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
    /// - Parameter origin: The origin of the first row. The other rows are events that the instance sends to itself.
    mutating func record(_ chain: Chain, of instance: LiveInstance, from origin: RowOrigin) {
        record(chain.first, of: instance, from: origin)
        if chain.rest.isEmpty { return }
        let itself = RowOrigin(.process(in: instance.state.record.namespace))
        charge(parts.limits.ownMacrostepCost * chain.rest.count)
        for link in chain.rest { record(link, of: instance, from: itself) }
    }

    private mutating func record(_ link: Chain.Link, of instance: LiveInstance, from origin: RowOrigin) {
        charge(link.macrostep.cost)
        let hasEffects = instance.state.machine.hasEffects || origin.machine?.machine.hasEffects ?? false
        let effects = hasEffects ? instance.state.effects : []
        let position = numbers.nextPosition
        let snapshot = instance.advance(
            to: link, at: position, now: now, from: origin, &digests, &texts, &changes.journal)
        numbers.nextPosition = position.next
        if link.input.kind == .suspended || link.input.kind == .reset,
            instance.state.snapshot.status == .suspended
        {
            changes.suspended.insert(instance.state.record.id)
        }
        if hasEffects { changeEffects(effects, by: link, of: instance) }
        bytes += 256 + (changes.journal.last?.data?.utf8.count ?? 0)
        if let snapshot { changes.snapshots.append(snapshot) }
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
    /// Returns an instance with the changes of the batch so far; `nil` if there is none.
    mutating func instance(_ key: InstanceKey) throws(Rejection) -> LiveInstance? {
        if let copy = touched.copy(of: key) { return copy }
        if let known = parts.recent.instance(key) { return touched.touch(known) }
        guard !changes.freed.contains(key), let instance = try stored(key) else { return nil }
        parts.recent.keep(instance)
        return touched.touch(instance)
    }

    /// Returns the id of an instance that begins now.
    func newID() -> UniqueID {
        var random = SystemRandomNumberGenerator()
        return UniqueID(at: now, random: &random)
    }

    /// Returns the id of an instance that begins now and has the id as its name, which belongs to this partition.
    func newName(in namespace: NamespaceID) -> UniqueID {
        while true {
            // Random numbers end the loop after as many ids as there are partitions, on average.
            let id = newID()
            if parts.placement.hasOne { return id }
            let name = InstanceKey(InstanceName(rawValue: id.text), in: namespace)
            if parts.placement.partition(of: name) == numbers.partition { return id }
        }
    }

    /// Returns a salt for an instance.
    func newSalt() -> Salt {
        var random = SystemRandomNumberGenerator()
        return Salt(random: &random)
    }

    /// Adds an instance that begins in this batch.
    mutating func add(started instance: LiveInstance) {
        touched.add(started: instance)
        // A trial may be discarded: `settle` keeps the instances that a trial started.
        if !touched.isTrial { parts.recent.keep(instance) }
    }

    /// Deletes an instance that accepts no more inputs. The instance must not belong to a trial.
    mutating func delete(
        _ instance: LiveInstance, by caller: Caller, reason: String?, key: Digest?
    ) -> AuditRecord {
        let record = instance.delete()
        let audit = AuditRecord(
            position: numbers.nextPosition, of: record, at: max(now, numbers.last), by: caller.actor, reason: reason,
            key: key)
        numbers.nextPosition = audit.position.next
        changes.purged.append(audit)
        changes.freed.insert(record.key)
        touched.free(record.key)
        parts.recent.remove(record)
        bytes += 256
        return audit
    }

    /// Returns the deletion that was requested with a key, in this batch or before. No batch with a deletion is under
    /// way.
    func audit(key: Digest) throws(Rejection) -> AuditRecord? {
        if let audit = changes.purged.first(where: { $0.key == key }) { return audit }
        return try read { () throws(StoreError) in try store.audit(key: key) }
    }

    private mutating func stored(_ key: InstanceKey) throws(Rejection) -> LiveInstance? {
        // The store may still know the instance by its former name.
        if newest({ $0.renamed.values.first { $0.old == key } }) != nil { return nil }
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

    /// Reads the instances that are looked up next at once, as long as no other lookup comes between. An instance that
    /// cannot be read is reported by its lookup.
    mutating func readTogether(_ ids: [InstanceID]) {
        // The changes of a recent batch may not be on disk yet.
        let unknown = ids.filter { id in parts.recent.key(of: id).map { parts.recent.instance($0) == nil } ?? true }
        readAhead = ((try? store.instances(unknown)) ?? [])[...]
    }

    /// Forgets the instances that were read together and not looked up.
    mutating func endReading() { readAhead = [] }

    /// Returns the name of an instance, with the changes applied so far.
    func key(of id: InstanceID) throws(Rejection) -> InstanceKey? {
        if let known = parts.recent.key(of: id) { return known }
        if let names = newest({ $0.renamed[id] }) { return names.new }
        return try read { () throws(StoreError) in try store.instanceKey(id) }
    }

    /// Returns an instance by its row number.
    mutating func instance(_ id: InstanceID) throws(Rejection) -> LiveInstance? {
        guard let key = try key(of: id) else { return nil }
        parts.recent.keep(key, of: id)
        return try instance(key)
    }

    /// Returns the row of an instance, which may be in another partition. The instance is not kept.
    func record(of id: InstanceID) throws(Rejection) -> InstanceRecord? {
        if let touched = touched.list.last(where: { $0.state.record.id == id }) { return touched.state.record }
        return try read { () throws(StoreError) in try store.instances([id]).first }
    }

    /// Records that an instance no longer has the name `old`.
    mutating func vacate(_ old: InstanceKey, of instance: LiveInstance) {
        let record = instance.state.record
        changes.renamed[record.id] = RenamedInstance(old: changes.renamed[record.id]?.old ?? old, new: record.key)
        parts.recent.rename(instance, from: old)
    }

    /// Changes parts of an instance's row other than its state.
    mutating func rewrite(_ instance: LiveInstance, _ body: (inout InstanceState) -> Void) {
        instance.rewrite(body)
        changes.erasure.instances.insert(instance.state.record.id)
    }

    /// Returns a row that this batch writes.
    func uncommittedRow(at position: Position) -> JournalRecord? {
        changes.journal.last { $0.position == position }
    }

    /// Returns the position where a key was used, in this batch or before.
    func position(of key: RequestKey, in scope: KeyScope) throws(Rejection) -> Position? {
        let place = KeyPlace(key: key, scope: scope)
        if let position = newest({ $0.keys[place] }) { return position }
        if isNew(scope) { return nil }
        return try read { () throws(StoreError) in try store.position(of: key, in: scope) }
    }

    /// Returns true if the instance or machine began in this batch, so the store knows no key of it.
    private func isNew(_ scope: KeyScope) -> Bool {
        switch scope {
        case .instance(let id): id >= base.nextInstance && id.partition == base.partition
        case .machine(let id): changes.machines.contains { $0.record.id == id }
        }
    }

    /// Remembers a key, and the row for which the key was used.
    mutating func remember(_ key: RequestKey?, in scope: KeyScope, at position: Position) {
        if let key { changes.keys[KeyPlace(key: key, scope: scope)] = position }
    }

    /// Counts units of evaluation.
    mutating func charge(_ units: Int) { cost += units }

    /// Returns an instance; throws if there is none.
    mutating func existing(_ key: InstanceKey) throws(Rejection) -> LiveInstance {
        guard let instance = try instance(key) else { throw .instanceNotFound(key.name) }
        return instance
    }

    /// Throws if the time in a key is too far ahead of the clock. Also throws if the key is so old that wfd may have
    /// forgotten its use.
    func refuseExpired(_ key: RequestKey) throws(Rejection) {
        guard let retention = parts.limits.keyAge, let time = key.time else { return }
        let forgotten = try read { () throws(StoreError) in try store.forgottenKeys(in: numbers.partition) }
        let oldest = max(Timestamp(rawValue: now.rawValue - retention), forgotten)
        if time <= oldest { throw .keyExpired(key.text, at: time, now: now) }
        let newest = max(now, numbers.last).rawValue + parts.limits.keyAheadMilliseconds
        if time.rawValue > newest { throw .keyAhead(key.text, at: time, now: now) }
    }
}
