import Statechart
import Testing
import WorkflowStore

/// Writes what an engine would: instances that take events, with digests that chain.
final class Scribe {
    let writer: any StoreWriter
    private(set) var batch: StoreBatch
    private(set) var numbers: StoreNumbers
    private(set) var machines: [MachineRecord] = []
    private(set) var instances: [String: InstanceRecord] = [:]
    /// Everything written, by instance, in seq order.
    private(set) var history: [String: [JournalRecord]] = [:]
    private(set) var snapshots: [SnapshotRecord] = []
    /// Where in the batch an instance stands.
    private var places: [InstanceID: WritableKeyPath<StoreBatch, InstanceRecord>] = [:]
    private var random = SystemRandomNumberGenerator()
    private var digests = DigestBuffer()

    init(_ writer: any StoreWriter) {
        self.writer = writer
        numbers = writer.numbers
        batch = StoreBatch(numbers: numbers)
    }

    /// A machine of the given name, the next version of it.
    @discardableResult
    func apply(_ name: String, source: String = "id: example\n") -> MachineRecord {
        let version = Int64(machines.count { $0.name.rawValue == name }) + 1
        let machine = MachineRecord(
            id: numbers.nextMachine, namespace: .default, name: MachineName(rawValue: name),
            version: MachineVersion(rawValue: version),
            digest: Digest(of: "\(name) \(version) \(source)".utf8),
            semantics: 1, source: source, created: tick())
        numbers.nextMachine = MachineID(rawValue: machine.id.rawValue + 1)
        machines.append(machine)
        batch.machines.append(machine)
        return machine
    }

    /// Begins an instance of a machine version, by default the last one applied.
    func start(_ name: String, _ machine: MachineRecord? = nil, in state: String = "idle", key: String? = nil) {
        let at = tick()
        let instance = InstanceRecord(
            id: numbers.nextInstance, uuid: UniqueID(at: at, random: &random), namespace: .default,
            name: InstanceName(rawValue: name),
            machineID: (machine ?? machines[machines.count - 1]).id, status: .running, seq: Seq(rawValue: 0),
            head: Position(rawValue: 0), state: SnapshotText(configuration: "", context: "{}", memory: "{}"),
            entered: at, salt: Salt(random: &random), digest: Digest(of: []), created: at, updated: at)
        numbers.nextInstance = InstanceID(rawValue: instance.id.rawValue + 1)
        instances[name] = instance
        write(
            name, .started, event: "init", data: #"{"amount":1.0}"#, to: state, at: at,
            key: key.flatMap(RequestKey.init(text:))?.bytes)
    }

    /// An instance takes an event.
    func send(
        _ name: String, _ event: String = "go", data: String? = #"{"card":"tok_9"}"#, to state: String = "busy",
        status: InstanceStatus = .running, actor: Actor? = nil, key: [UInt8]? = nil, real: Timestamp? = nil
    ) {
        instances[name]?.status = status
        write(name, .event, event: event, data: data, to: state, at: tick(), actor: actor, key: key, real: real)
    }

    /// Commits what was collected.
    func commit(_ writer: any StoreWriter) throws {
        try writer.commit(take())
    }

    /// One that goes on from what a store has, after a batch that was not written. For stores without other instances.
    func resumed(_ writer: any StoreWriter) -> Scribe {
        let scribe = Scribe(writer)
        scribe.machines = machines
        for (name, rows) in history {
            let kept = rows.filter { $0.position < scribe.numbers.nextPosition }
            scribe.history[name] = kept
            scribe.instances[name] = instances[name]
            if let last = kept.last {
                scribe.instances[name]?.seq = last.seq
                scribe.instances[name]?.head = last.position
                scribe.instances[name]?.digest = last.digest
            }
        }
        return scribe
    }

    /// Takes what was collected without committing it.
    func take() -> StoreBatch {
        batch.numbers = numbers
        defer {
            batch = StoreBatch(numbers: numbers)
            places = [:]
        }
        return batch
    }

    private func tick() -> Timestamp {
        numbers.last = Timestamp(rawValue: numbers.last.rawValue + 1)
        return numbers.last
    }

    private func write(
        _ name: String, _ kind: JournalKind, event: String, data: String?, to state: String, at: Timestamp,
        actor: Actor? = nil, key: [UInt8]? = nil, real: Timestamp? = nil
    ) {
        guard var instance = instances[name] else { preconditionFailure("no instance '\(name)'") }
        let before = instance
        instance.seq = instance.seq.next
        instance.head = numbers.nextPosition
        numbers.nextPosition = Position(rawValue: instance.head.rawValue + 1)
        instance.state = SnapshotText(
            configuration: state, context: #"{"count":\#(instance.seq.rawValue)}"#, memory: "{}")
        instance.updated = at
        if state != before.state.configuration { instance.entered = at }
        let isFirst = kind == .started
        var row = JournalRecord(
            position: instance.head, instanceID: instance.id, machineID: instance.machineID, seq: instance.seq,
            previous: isFirst ? nil : before.head, at: at, real: real, kind: kind, event: event, data: data,
            from: before.state.configuration, to: state, actor: actor, key: key, digest: before.digest)
        let isDue = instance.seq.rawValue.isMultiple(of: SnapshotRecord.interval)
        let snapshot = isDue ? digests.snapshot(of: instance) : nil
        row.digest = digest(row, of: instance, previous: isFirst ? nil : before.digest, snapshot)
        instance.digest = row.digest
        instances[name] = instance
        collect(row, instance, snapshot)
    }

    private func digest(
        _ row: JournalRecord, of instance: InstanceRecord, previous: Digest?, _ snapshot: SnapshotRecord?
    ) -> Digest {
        let machine = machines.first { $0.id == row.machineID }
        guard let machine else { preconditionFailure("no machine of the row") }
        return digests.digest(
            row: row, previous: previous, instance: ChainInstance(instance), machine: ChainMachine(machine),
            snapshot: snapshot?.digest)
    }

    private func collect(_ row: JournalRecord, _ instance: InstanceRecord, _ snapshot: SnapshotRecord?) {
        history[instance.name.rawValue, default: []].append(row)
        batch.journal.append(row)
        if let snapshot {
            snapshots.append(snapshot)
            batch.snapshots.append(snapshot)
        }
        if let place = places[instance.id] {
            batch[keyPath: place] = instance
        } else if row.kind == .started {
            places[instance.id] = \.newInstances[batch.newInstances.count]
            batch.newInstances.append(instance)
        } else {
            places[instance.id] = \.changedInstances[batch.changedInstances.count]
            batch.changedInstances.append(instance)
        }
    }
}

extension StoreWriter {
    /// Copying for backups, of a store that makes some.
    var copying: any BackupCopying {
        get throws { try #require(backups) }
    }
}
