import JSON
import Statechart
import WorkflowStore

/// Applies commands in memory, on top of what is committed, until they are written as one transaction.
///
/// Nothing of it is visible elsewhere before the commit, and throwing it away undoes it all.
struct BatchBuilder {
    private let store: any StoreWriter
    private let library: MachineLibrary
    private let now: Timestamp
    private var numbers: StoreNumbers
    private var machines: [LoadedMachine] = []
    private var started: [InstanceID] = []
    private var journal: [JournalRecord] = []
    private var snapshots: [SnapshotRecord] = []
    private var names: [String] = []
    /// The instances that this batch read or changed, by name.
    private(set) var touched: [String: LiveInstance] = [:]
    private var changed: Set<InstanceID> = []
    private(set) var bytes = 0

    init(store: any StoreWriter, library: MachineLibrary, now: Timestamp) {
        self.store = store
        self.library = library
        self.now = now
        numbers = store.numbers
    }

    /// The rows that the batch will write to the journal.
    var rows: Int { journal.count + machines.count }

    /// The machine versions that the batch adds.
    var newMachines: [LoadedMachine] { machines }

    /// What the journal gets, for those who wait for history.
    var changedInstances: Set<InstanceID> { changed }

    /// Everything to write, in one transaction.
    mutating func batch() -> StoreBatch {
        var batch = StoreBatch(numbers: numbers)
        batch.numbers.last = journal.reduce(numbers.last) { max($0, $1.at) }
        batch.machines = machines.map(\.record)
        batch.journal = journal
        batch.snapshots = snapshots
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
            case .start(let start): return .success(.started(try self.start(start, cached: cached, random: &random)))
            case .send(let send): return .success(.sent(try self.send(send, cached: cached)))
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

    private func machine(named name: String, version: Int64?) throws(Rejection) -> LoadedMachine? {
        let added = machines.last { $0.record.name == name && (version == nil || $0.record.version == version) }
        if let added { return added }
        guard let record = try read({ () throws(StoreError) in try store.machine(named: name, version: version) })
        else { return nil }
        return try library.machine(of: record)
    }

    private func machine(_ id: MachineID) throws(Rejection) -> LoadedMachine? {
        if let loaded = library.machine(id) ?? machines.first(where: { $0.record.id == id }) { return loaded }
        guard let record = try read({ () throws(StoreError) in try store.machine(id) }) else { return nil }
        return try library.machine(of: record)
    }

    private func read<Value>(_ body: () throws(StoreError) -> Value) throws(Rejection) -> Value {
        do throws(StoreError) {
            return try body()
        } catch {
            throw Rejection(error)
        }
    }
}

// MARK: Instances

extension BatchBuilder {
    private mutating func start(
        _ command: StartCommand, cached: (String) -> LiveInstance?, random: inout some RandomNumberGenerator
    ) throws(Rejection) -> InstanceView {
        guard let loaded = try machine(named: command.machine, version: command.version) else {
            let latest = try machine(named: command.machine, version: nil)
            throw .machineNotFound(
                name: command.machine, version: command.version, latest: latest?.record.version)
        }
        let uuid = UniqueID(at: now, random: &random)
        let name = command.instance ?? uuid.text
        if try instance(named: name, cached: cached) != nil { throw .instanceExists(name) }
        switch loaded.machine.start(with: command.data) {
        case .refused(.invalidData(let reason)): throw .invalidData(reason)
        case .refused(let refusal):
            throw .refused(refusal, event: "init", machine: loaded.machine, facts: nil)
        case .accepted(let macrostep):
            var instance = LiveInstance(
                started: numbers.nextInstance, uuid: uuid, name: name, loaded: loaded, at: now)
            numbers.nextInstance = InstanceID(rawValue: numbers.nextInstance.rawValue + 1)
            let data = command.data.isEmpty ? nil : JSONValue.object(command.data)
            record(macrostep, of: &instance, kind: .started, event: Event(name: "init", data: data))
            started.append(instance.record.id)
            let written = instance.written()
            keep(instance)
            return InstanceView(record: written, machine: loaded.record)
        }
    }

    private mutating func send(
        _ command: SendCommand, cached: (String) -> LiveInstance?
    ) throws(Rejection) -> SentEvent {
        guard var instance = try instance(named: command.instance, cached: cached) else {
            throw .instanceNotFound(command.instance)
        }
        switch instance.record.status {
        case .running: break
        case .failed: throw .failed(instance.facts)
        case .done, .cancelled, .purging: throw .finished(instance.facts)
        }
        try check(command, against: instance)
        let outcome = instance.machine.step(instance.snapshot, command.event)
        guard case .accepted(let macrostep) = outcome else {
            keep(instance)
            throw Self.rejection(outcome, of: command.event, in: instance)
        }
        let from = instance.machine.leafPaths(of: instance.snapshot.configuration)
        if command.isDryRun {
            return Self.answer(command, instance, macrostep, from: from, seq: instance.record.seq.next)
        }
        record(macrostep, of: &instance, kind: .event, event: command.event)
        keep(instance)
        return Self.answer(command, instance, macrostep, from: from, seq: instance.record.seq)
    }

    private func check(_ command: SendCommand, against instance: LiveInstance) throws(Rejection) {
        if let expected = command.expectedSeq, expected != instance.record.seq {
            throw .preconditionFailed("seq \(expected.rawValue)", instance.facts)
        }
        guard let path = command.expectedState else { return }
        let isActive = instance.machine.state(atPath: path).map(instance.snapshot.configuration.contains) ?? false
        if !isActive { throw .preconditionFailed("state '\(path)'", instance.facts) }
    }

    private func instance(
        named name: String, cached: (String) -> LiveInstance?
    ) throws(Rejection) -> LiveInstance? {
        if let live = touched[name] ?? cached(name) { return live }
        guard let record = try read({ () throws(StoreError) in try store.instance(named: name) }) else { return nil }
        guard let loaded = try machine(record.machineID) else {
            throw .fault("the machine of instance '\(name)' is not in the store")
        }
        return try LiveInstance(record: record, loaded: loaded)
    }

    private mutating func record(
        _ macrostep: Macrostep, of instance: inout LiveInstance, kind: JournalKind, event: Event
    ) {
        let written = instance.advance(
            to: macrostep, kind: kind, event: event, position: numbers.nextPosition, now: now)
        numbers.nextPosition = Position(rawValue: numbers.nextPosition.rawValue + 1)
        journal.append(written.row)
        if let snapshot = written.snapshot { snapshots.append(snapshot) }
        changed.insert(instance.record.id)
        bytes += 256 + (written.row.data?.utf8.count ?? 0)
    }

    private mutating func keep(_ instance: LiveInstance) {
        if touched.updateValue(instance, forKey: instance.record.name) == nil { names.append(instance.record.name) }
    }

    private static func rejection(_ outcome: Outcome, of event: Event, in instance: LiveInstance) -> Rejection {
        guard case .refused(let refusal) = outcome else { preconditionFailure("only refusals are rejected") }
        return .refused(refusal, event: event.name, machine: instance.machine, facts: instance.facts)
    }

    private static func answer(
        _ command: SendCommand, _ instance: LiveInstance, _ macrostep: Macrostep, from: [String], seq: Seq
    ) -> SentEvent {
        let machine = instance.machine
        return SentEvent(
            instance: command.instance, event: command.event.name, seq: seq, from: from,
            to: machine.leafPaths(of: macrostep.snapshot.configuration),
            status: InstanceStatus(macrostep.snapshot.status), context: macrostep.snapshot.context,
            exited: machine.paths(of: macrostep.exited), entered: machine.paths(of: macrostep.entered),
            isDryRun: command.isDryRun)
    }
}
