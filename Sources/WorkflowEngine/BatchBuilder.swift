import JSON
import Statechart
import WorkflowStore

/// Applies commands in memory, on top of what is committed or being committed, until they are written as one
/// transaction.
///
/// Nothing of it is visible elsewhere before the commit, and throwing it away undoes it all.
struct BatchBuilder {
    /// What is committed.
    let store: any StoreLookup
    /// What is being committed, and holds only if that succeeds.
    let provisional: Provisional?
    let library: MachineLibrary
    /// The clock's time. A virtual clock moves within a batch, from timer to timer.
    var now: Timestamp
    let limits: EngineLimits
    var numbers: StoreNumbers
    private var machines: [LoadedMachine] = []
    var started: [InstanceID] = []
    private var journal: [JournalRecord] = []
    private var snapshots: [SnapshotRecord] = []
    private var names: [String] = []
    /// The instances that this batch read or changed, by name.
    private(set) var touched: [String: LiveInstance] = [:]
    private var changed: Set<InstanceID> = []
    private(set) var bytes = 0
    /// Units of evaluation of the macrosteps that were recorded.
    private(set) var cost = 0
    /// The timers in the store of the instances that this batch touched.
    private var storedTimers: [String: [TimerRecord]] = [:]
    private var keys: [KeyPlace: Position] = [:]
    /// Macrosteps of what came by itself in this batch, by instance.
    private var firings: [String: Int] = [:]

    /// - Parameter numbers: As of the last batch, whether it is committed or not.
    init(
        store: any StoreLookup, after provisional: Provisional?, numbers: StoreNumbers, library: MachineLibrary,
        now: Timestamp, limits: EngineLimits
    ) {
        self.store = store
        self.provisional = provisional
        self.numbers = numbers
        self.library = library
        self.now = now
        self.limits = limits
    }

    /// The rows that the batch will write to the journal.
    var rows: Int { journal.count + machines.count }

    /// What the next batch is applied on top of, before this one is committed.
    var result: Provisional { Provisional(instances: touched, machines: machines, keys: keys) }

    /// What the journal gets, for those who wait for history.
    var changedInstances: Set<InstanceID> { changed }

    /// The timers that an instance has in the store, and those that it must have: what is armed and ended within the
    /// batch never gets there.
    private func note(_ batch: inout StoreBatch, timersOf name: String) {
        guard let instance = touched[name] else { return }
        let before = storedTimers[name] ?? []
        let after = instance.timers
        if before.isEmpty, after.isEmpty { return }
        let known = Set(before)
        let kept = Set(after)
        batch.endedTimers += before.lazy.filter { !kept.contains($0) }.map(\.key)
        batch.armedTimers += after.lazy.filter { !known.contains($0) }
    }

    /// Everything to write, in one transaction.
    mutating func batch() -> StoreBatch {
        var batch = StoreBatch(numbers: numbers)
        batch.numbers.last = journal.reduce(numbers.last) { max($0, $1.at) }
        batch.machines = machines.map(\.record)
        batch.journal = journal
        batch.snapshots = snapshots
        batch.keys = keys.map { KeyRecord(key: $0.key.key, scope: $0.key.scope, position: $0.value) }
        let new = Set(started)
        for name in names {
            guard let record = touched[name]?.record, changed.contains(record.id),
                let written = touched[name]?.written()
            else { continue }
            if new.contains(record.id) {
                batch.newInstances.append(written)
            } else {
                batch.changedInstances.append(written)
            }
            note(&batch, timersOf: name)
        }
        return batch
    }

    /// Applies one command, or says why not; a rejected command leaves no trace in the batch.
    mutating func apply(
        _ command: Command, cached: (String) -> LiveInstance?, random: inout some RandomNumberGenerator
    ) -> Result<Answer, Rejection> {
        do throws(Rejection) {
            switch command {
            case .apply(let apply): return .success(.applied(try self.apply(apply)))
            case .start(let start): return .success(try self.start(start, cached: cached, random: &random))
            case .send(let send) where send.isDryRun:
                // What fires before it, and what it does, goes with the copy.
                var trial = self
                return .success(try trial.send(send, cached: cached))
            case .send(let send): return .success(try self.send(send, cached: cached))
            case .sendTogether(let sends): return .success(.sentTogether(try sendTogether(sends, cached: cached)))
            case .retry(let retry): return .success(.sent(try self.retry(retry, cached: cached)))
            case .moveClock: preconditionFailure("the writer moves the clock itself")
            }
        } catch {
            return .failure(error)
        }
    }
}

// MARK: Machines

extension BatchBuilder {
    private mutating func apply(_ command: ApplyCommand) throws(Rejection) -> AppliedMachine {
        let name = command.machine.name
        let latest = try machine(named: name, version: nil)
        if let latest, latest.record.source.utf8.elementsEqual(command.source.utf8) {
            return AppliedMachine(record: latest.record, isNew: false)
        }
        let record = MachineRecord(
            id: numbers.nextMachine, name: name, version: (latest?.record.version ?? 0) + 1,
            digest: Digest(of: command.source.utf8), semantics: Engine.semantics, source: command.source, created: now)
        numbers.nextMachine = MachineID(rawValue: numbers.nextMachine.rawValue + 1)
        machines.append(LoadedMachine(record: record, machine: command.machine))
        bytes += command.source.utf8.count
        return AppliedMachine(record: record, isNew: true)
    }

    func machine(named name: String, version: Int64?) throws(Rejection) -> LoadedMachine? {
        for added in [machines, provisional?.machines ?? []] {
            let found = added.last { $0.record.name == name && (version == nil || $0.record.version == version) }
            if let found { return found }
        }
        guard let record = try read({ () throws(StoreError) in try store.machine(named: name, version: version) })
        else { return nil }
        return try library.machine(of: record)
    }

    func machine(_ id: MachineID) throws(Rejection) -> LoadedMachine? {
        if let loaded = library.machine(id) { return loaded }
        for added in [machines, provisional?.machines ?? []] {
            if let loaded = added.first(where: { $0.record.id == id }) { return loaded }
        }
        guard let record = try read({ () throws(StoreError) in try store.machine(id) }) else { return nil }
        return try library.machine(of: record)
    }

    func read<Value>(_ body: () throws(StoreError) -> Value) throws(Rejection) -> Value {
        do throws(StoreError) {
            return try body()
        } catch {
            throw Rejection(error)
        }
    }
}

// MARK: Rows

extension BatchBuilder {
    /// Adds a row to the journal: what an event made of an instance.
    mutating func record(
        _ snapshot: Snapshot, of instance: inout LiveInstance, kind: JournalKind, event: Event, key: RequestKey? = nil
    ) {
        let written = instance.advance(
            to: snapshot, kind: kind, event: event, position: numbers.nextPosition, now: now, key: key)
        numbers.nextPosition = Position(rawValue: numbers.nextPosition.rawValue + 1)
        journal.append(written.row)
        if let snapshot = written.snapshot { snapshots.append(snapshot) }
        changed.insert(instance.record.id)
        bytes += 256 + (written.row.data?.utf8.count ?? 0)
    }

    /// Keeps an instance that was read or changed for the commands that follow, and for the cache.
    mutating func keep(_ instance: LiveInstance) {
        if touched.updateValue(instance, forKey: instance.record.name) == nil { names.append(instance.record.name) }
    }
}

// MARK: Instances and keys

extension BatchBuilder {
    /// An instance as it is after what the batch did so far; nil when there is none.
    mutating func instance(
        named name: String, cached: (String) -> LiveInstance?
    ) throws(Rejection) -> LiveInstance? {
        if let live = touched[name] { return live }
        var found = provisional?.instances[name] ?? cached(name)
        if found == nil { found = try stored(name) }
        guard let live = found else { return nil }
        let timers = live.timers
        if !timers.isEmpty { storedTimers[name] = timers }
        return live
    }

    private func stored(_ name: String) throws(Rejection) -> LiveInstance? {
        guard let record = try read({ () throws(StoreError) in try store.instance(named: name) }) else { return nil }
        guard let loaded = try machine(record.machineID) else {
            throw .fault("the machine of instance '\(name)' is not in the store")
        }
        return try LiveInstance(record: record, loaded: loaded)
    }

    /// Where a key was used, in this batch or before.
    func position(of key: RequestKey, in scope: KeyScope) throws(Rejection) -> Position? {
        let place = KeyPlace(key: key, scope: scope)
        if let position = keys[place] ?? provisional?.keys[place] { return position }
        return try read { () throws(StoreError) in try store.position(of: key, in: scope) }
    }

    /// Remembers a key, and the row that it was used for.
    mutating func remember(_ key: RequestKey?, in scope: KeyScope, at position: Position) {
        if let key { keys[KeyPlace(key: key, scope: scope)] = position }
    }

    /// Counts what was evaluated.
    mutating func charge(_ units: Int) { cost += units }

    /// Counts what comes by itself; how often that was for this instance in this batch.
    mutating func countFiring(of name: String) -> Int {
        firings[name, default: 0] += 1
        return firings[name, default: 0]
    }

    func firings(of name: String) -> Int { firings[name] ?? 0 }
}

