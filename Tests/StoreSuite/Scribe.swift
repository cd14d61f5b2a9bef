import Statechart
import Testing
package import WorkflowStore

/// Writes the same rows as an engine: instances that take events, with chained digests. The name of an instance decides
/// its partition; machines are in the first.
package final class Scribe {
    /// The collected rows of a partition.
    private struct Part {
        var batch: StoreBatch
        var numbers: StoreNumbers

        init(_ numbers: StoreNumbers) {
            self.numbers = numbers
            batch = StoreBatch(numbers: numbers)
        }
    }

    package let writer: any StoreWriter
    private let partitions: [PartitionID]
    /// The partitions' parts, in the order of the partitions.
    private var parts: [Part]
    /// The latest written time.
    package private(set) var last: Timestamp
    package private(set) var machines: [MachineRecord] = []
    package private(set) var instances: [String: InstanceRecord] = [:]
    /// The written rows by instance, in seq order.
    package private(set) var history: [String: [JournalRecord]] = [:]
    package private(set) var snapshots: [SnapshotRecord] = []
    /// The effects that instances wait for, in the order in which they began.
    private var waiting: [InstanceID: [EffectRecord]] = [:]
    /// The tally keys under which the instances were counted when their rows were last taken.
    private var counted: [InstanceID: TallyKey] = [:]
    /// The places of the instances in the batches of their partitions.
    private var places: [InstanceID: WritableKeyPath<StoreBatch, InstanceRecord>] = [:]
    private var random = Numbers()
    private var digests = DigestBuffer()

    /// Creates a scribe that continues from the committed state.
    package init(_ writer: any StoreWriter) {
        self.writer = writer
        partitions = writer.partitions
        parts = partitions.map { Part(writer.numbers(in: $0)) }
        last = parts.map(\.numbers.last).max() ?? Timestamp(rawValue: 0)
    }

    /// Returns the partition of an instance: an arbitrary one, but always the same.
    package func partition(of name: String) -> PartitionID { partitions[place(of: name)] }

    private func place(of name: String) -> Int {
        if partitions.count == 1 { return 0 }
        let bytes = Digest(of: name.utf8).bytes
        return (Int(bytes[0]) << 8 | Int(bytes[1])) % partitions.count
    }

    /// Returns the numbers of a partition after the collected rows.
    package func numbers(in partition: PartitionID) -> StoreNumbers {
        guard let place = partitions.firstIndex(of: partition) else { preconditionFailure("no such partition") }
        return parts[place].numbers
    }

    /// The numbers of the first partition.
    package var numbers: StoreNumbers { parts[0].numbers }

    /// Applies the next version of a machine.
    @discardableResult
    package func apply(
        _ name: String, semantics: Int64 = 1, source: String = "id: example\n"
    ) -> MachineRecord {
        let version = Int64(machines.count { $0.name.rawValue == name }) + 1
        let machine = MachineRecord(
            id: parts[0].numbers.nextMachine, namespace: .default, name: MachineName(rawValue: name),
            version: MachineVersion(rawValue: version),
            digest: Digest(of: "\(name) \(version) \(source)".utf8),
            semantics: semantics, source: source, created: tick(0))
        parts[0].numbers.nextMachine = MachineID(rawValue: machine.id.rawValue + 1)
        machines.append(machine)
        parts[0].batch.machines.append(machine)
        return machine
    }

    /// Begins an instance of a machine version, by default the last one applied.
    package func start(_ name: String, _ machine: MachineRecord? = nil, in state: String = "idle", key: String? = nil) {
        let place = place(of: name)
        let at = tick(place)
        let instance = InstanceRecord(
            id: parts[place].numbers.nextInstance, uuid: UniqueID(at: at, random: &random), namespace: .default,
            name: InstanceName(rawValue: name),
            machineID: (machine ?? machines[machines.count - 1]).id, status: .running, seq: Seq(rawValue: 0),
            head: Position(rawValue: 0), state: SnapshotText(configuration: "", context: "{}", memory: "{}"),
            entered: at, salt: Salt(random: &random), digest: Digest(of: []), created: at, updated: at)
        parts[place].numbers.nextInstance = instance.id.next
        instances[name] = instance
        write(
            name, .started, event: "init", data: #"{"amount":1.0}"#, to: state, at: at,
            key: key.flatMap(RequestKey.init(text:))?.bytes)
    }

    /// Lets an instance take an event.
    package func send(
        _ name: String, _ event: String = "go", data: String? = #"{"card":"tok_9"}"#, to state: String = "busy",
        status: InstanceStatus = .running, failure: String? = nil, actor: Actor? = nil, key: [UInt8]? = nil,
        real: Timestamp? = nil
    ) {
        instances[name]?.status = status
        instances[name]?.failure = failure
        let at = tick(place(of: name))
        write(name, .event, event: event, data: data, to: state, at: at, actor: actor, key: key, real: real)
    }

    /// Deletes an instance, so that its name is free.
    @discardableResult
    package func delete(_ name: String, reason: String? = nil, key: Digest? = nil) -> AuditRecord {
        guard let instance = instances.removeValue(forKey: name) else { preconditionFailure("no instance '\(name)'") }
        let place = place(of: name)
        let at = tick(place)
        let audit = AuditRecord(
            position: parts[place].numbers.nextPosition, of: instance, at: at, by: nil, reason: reason, key: key)
        parts[place].numbers.nextPosition = audit.position.next
        parts[place].batch.purged.append(audit)
        if let known = places[instance.id] {
            parts[place].batch[keyPath: known] = instance.purging
        } else {
            parts[place].batch.changedInstances.append(instance.purging)
        }
        history[name] = nil
        return audit
    }

    /// Records a change that belongs to no instance's history.
    @discardableResult
    package func change(
        _ action: ChangeAction, of object: String? = nil, version: MachineVersion? = nil, number: Int64? = nil,
        by actor: Actor? = nil, reason: String? = nil
    ) -> ChangeRecord {
        let change = ChangeRecord(
            position: parts[0].numbers.nextPosition, namespace: .default, at: tick(0), by: actor, action, of: object,
            version: version, number: number, detail: "detail", reason: reason)
        parts[0].numbers.nextPosition = change.position.next
        parts[0].batch.changes.append(change)
        return change
    }

    /// Begins an effect in the last row of an instance. No other row may have been written in its partition since.
    @discardableResult
    package func begin(
        _ name: String, queue: String = "task:pack", change: (inout EffectRecord) -> Void = { _ in }
    ) -> EffectRecord {
        guard let instance = instances[name] else { preconditionFailure("no instance '\(name)'") }
        let place = place(of: name)
        let id = parts[place].numbers.nextPosition
        parts[place].numbers.nextPosition = id.next
        let number = id.rawValue - instance.head.rawValue
        var effect = EffectRecord(
            id: id, instanceID: instance.id, seq: instance.seq, number: number, name: "pack-\(number)", queue: queue,
            priority: 3, due: instance.updated, request: #"{"input":{"order":"\#(name)"}}"#)
        change(&effect)
        parts[place].batch.newEffects.append(effect)
        wait(name) { $0.append(effect) }
        return effect
    }

    /// Ends a committed effect in the last row of an instance, which is not committed yet.
    package func end(_ effect: EffectRecord, of name: String) {
        parts[place(of: name)].batch.endedEffects.append(effect.id)
        wait(name) { $0.removeAll { $0.id == effect.id } }
    }

    /// Changes a committed effect.
    package func change(_ effect: EffectRecord, of name: String) {
        parts[place(of: name)].batch.changedEffects.append(effect)
    }

    /// Changes the effects that an instance waits for, in its row of the batch.
    private func wait(_ name: String, _ change: (inout [EffectRecord]) -> Void) {
        guard var instance = instances[name], let place = places[instance.id] else {
            preconditionFailure("nothing of '\(name)' is in the batch")
        }
        change(&waiting[instance.id, default: []])
        let elements = waiting[instance.id, default: []].filter { $0.number != nil }.map { effect in
            """
            {"invoke":"\(effect.name)","kind":"invocation","number":\(effect.number ?? 0),\
            "position":\(effect.id.rawValue),"seq":\(effect.seq.rawValue),"state":"idle"}
            """
        }
        instance.state.armed = "[\(elements.joined(separator: ","))]"
        instances[name] = instance
        parts[self.place(of: name)].batch[keyPath: place] = instance
    }

    /// Commits the collected rows.
    package func commit(_ writer: any StoreWriter) throws {
        try writer.commit(takeAll())
    }

    /// Returns a scribe that continues from the state of a store, after a batch that was not written. For stores
    /// without other instances.
    package func resumed(_ writer: any StoreWriter) throws -> Scribe {
        let scribe = Scribe(writer)
        scribe.machines = machines
        for (name, rows) in history {
            let kept = rows.filter { $0.position < scribe.numbers(in: $0.position.partition).nextPosition }
            scribe.history[name] = kept
            scribe.instances[name] = instances[name]
            if let last = kept.last {
                scribe.instances[name]?.seq = last.seq
                scribe.instances[name]?.head = last.position
                scribe.instances[name]?.digest = last.digest
            }
            guard let key = instances[name]?.key, let record = try writer.instance(key) else { continue }
            scribe.counted[record.id] = TallyKey(record)
        }
        return scribe
    }

    /// Takes the collected rows, which are of one partition, without committing them.
    package func take() -> StoreBatch {
        let batches = takeAll()
        precondition(batches.count < 2, "what was collected is of more than one partition")
        return batches.first ?? StoreBatch(numbers: parts[0].numbers)
    }

    /// Takes the collected rows without committing them: a batch for each partition with rows.
    package func takeAll() -> [StoreBatch] {
        places = [:]
        return parts.indices.compactMap { place in
            var batch = parts[place].batch
            guard batch.numbers != parts[place].numbers || !batch.isEmpty else { return nil }
            batch.numbers = parts[place].numbers
            for instance in batch.newInstances + batch.changedInstances {
                batch.count(instance, before: counted.updateValue(TallyKey(instance), forKey: instance.id))
            }
            parts[place].batch = StoreBatch(numbers: batch.numbers)
            return batch
        }
    }

    private func tick(_ place: Int) -> Timestamp {
        last = Timestamp(rawValue: last.rawValue + 1)
        parts[place].numbers.last = last
        return last
    }

    private func write(
        _ name: String, _ kind: JournalKind, event: String, data: String?, to state: String, at: Timestamp,
        actor: Actor? = nil, key: [UInt8]? = nil, real: Timestamp? = nil
    ) {
        guard var instance = instances[name] else { preconditionFailure("no instance '\(name)'") }
        let before = instance
        let place = place(of: name)
        instance.seq = instance.seq.next
        instance.head = parts[place].numbers.nextPosition
        parts[place].numbers.nextPosition = instance.head.next
        instance.state = SnapshotText(
            configuration: state, context: #"{"count":\#(instance.seq.rawValue)}"#, memory: "{}",
            armed: before.state.armed)
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
        collect(row, instance, snapshot, in: place)
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

    private func collect(
        _ row: JournalRecord, _ instance: InstanceRecord, _ snapshot: SnapshotRecord?, in part: Int
    ) {
        history[instance.name.rawValue, default: []].append(row)
        parts[part].batch.journal.append(row)
        if let snapshot {
            snapshots.append(snapshot)
            parts[part].batch.snapshots.append(snapshot)
        }
        if let place = places[instance.id] {
            parts[part].batch[keyPath: place] = instance
        } else if row.kind == .started {
            places[instance.id] = \.newInstances[parts[part].batch.newInstances.count]
            parts[part].batch.newInstances.append(instance)
        } else {
            places[instance.id] = \.changedInstances[parts[part].batch.changedInstances.count]
            parts[part].batch.changedInstances.append(instance)
        }
    }
}

extension StoreWriter {
    /// The copying for backups, in a store that makes them.
    package var copying: any BackupCopying {
        get throws { try #require(backups) }
    }
}

/// Numbers that begin at a random one. Unlike `SystemRandomNumberGenerator`, this generator has content, and so an
/// address: without one ThreadSanitizer ends the program.
private struct Numbers: RandomNumberGenerator {
    private var number = UInt64.random(in: .min ... .max)

    mutating func next() -> UInt64 {
        // Knuth's multiplier of 64 bits.
        number = number &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return number
    }
}
