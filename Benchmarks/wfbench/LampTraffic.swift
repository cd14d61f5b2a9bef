import Foundation
import JSON
import Statechart
import WorkflowStore

/// Fills a store through its own writer: instances of a machine with two states, which take turns.
struct LampTraffic {
    /// One instance on its way.
    private struct Lamp {
        var record: InstanceRecord
        var snapshot: Snapshot
    }

    /// The definition.
    static let source = "{id: lamp, initial: off, states: {off: {on: {flip: on}}, on: {on: {flip: off}}}}"

    private let path: String
    private let instances: Int
    private let machine: Machine

    init(path: String, instances: Int) throws {
        self.path = path
        self.instances = instances
        machine = try DefinitionReader.read(Self.source).machine
    }

    /// Writes so many journal rows, in batches, and closes the store.
    func write(events: Int) throws {
        let store = try SQLiteStore.open(at: path, clock: Timestamp(rawValue: 1_700_000_000_000))
        let writer = store.writer
        var numbers = writer.numbers
        let version = MachineRecord(
            id: numbers.nextMachine, name: "lamp", version: 1, digest: Digest(of: Self.source.utf8), semantics: 1,
            source: Self.source, created: Timestamp(rawValue: 1_700_000_000_000))
        numbers.nextMachine = MachineID(rawValue: version.id.rawValue + 1)
        var first = StoreBatch(numbers: numbers)
        first.machines = [version]
        try writer.commit(first)
        var lamps: [Lamp] = []
        var written = 0
        while written < events {
            var batch = StoreBatch(numbers: numbers)
            var changed: Set<Int> = []
            for _ in 0..<min(512, events - written, instances) {
                let place = written % instances
                let isNew = place == lamps.count
                if isNew { lamps.append(try begin(numbers, version)) }
                advance(&lamps[place], version, isNew, &batch)
                if isNew { batch.newInstances.append(lamps[place].record) } else { changed.insert(place) }
                numbers = batch.numbers
                written += 1
            }
            batch.changedInstances = changed.map { lamps[$0].record }
            try writer.commit(batch)
            try writer.maintain()
        }
        try writer.close()
    }

    private func begin(_ numbers: StoreNumbers, _ version: MachineRecord) throws -> Lamp {
        var random = SystemRandomNumberGenerator()
        let at = Timestamp(rawValue: 1_700_000_000_000)
        let record = InstanceRecord(
            id: numbers.nextInstance, uuid: UniqueID(at: at, random: &random),
            name: "lamp-\(numbers.nextInstance.rawValue)", machineID: version.id, status: .running,
            seq: Seq(rawValue: 0), head: Position(rawValue: 0),
            state: SnapshotText(configuration: "", context: "{}", memory: "{}"), digest: .zero, created: at, updated: at
        )
        return Lamp(
            record: record, snapshot: Snapshot(status: .running, configuration: [], context: [:], memory: []))
    }

    private func advance(_ lamp: inout Lamp, _ version: MachineRecord, _ isNew: Bool, _ batch: inout StoreBatch) {
        let identity = InstanceIdentity(
            name: lamp.record.name, version: 1, startedAt: LogicalTime(milliseconds: lamp.record.created.rawValue))
        let event = Event(name: isNew ? "init" : "flip", at: identity.startedAt)
        let outcome = isNew ? machine.start(as: identity) : machine.step(lamp.snapshot, event, as: identity)
        guard case .accepted(let macrostep) = outcome else { preconditionFailure("a lamp takes every flip") }
        let before = lamp.record
        lamp.snapshot = macrostep.snapshot
        lamp.record.state = machine.text(of: lamp.snapshot)
        lamp.record.seq = before.seq.next
        lamp.record.head = batch.numbers.nextPosition
        var row = JournalRecord(
            position: lamp.record.head, instanceID: before.id, machineID: version.id, seq: lamp.record.seq,
            previous: isNew ? nil : before.head, at: before.updated, real: nil, kind: isNew ? .started : .event,
            event: event.name, data: nil, from: before.state.configuration, to: lamp.record.state.configuration,
            actor: nil, key: nil, digest: .zero)
        var stored: SnapshotRecord?
        if row.seq.rawValue % SnapshotRecord.interval == 0 {
            stored = SnapshotRecord(
                instanceID: before.id, seq: row.seq, position: row.position, status: .running,
                state: lamp.record.state)
        }
        row.digest = Digest(
            row: row, previous: isNew ? nil : before.digest, uuid: before.uuid, machine: version.digest, semantics: 1,
            snapshot: stored)
        lamp.record.digest = row.digest
        batch.journal.append(row)
        if let stored { batch.snapshots.append(stored) }
        batch.numbers.nextPosition = Position(rawValue: row.position.rawValue + 1)
        if isNew { batch.numbers.nextInstance = InstanceID(rawValue: before.id.rawValue + 1) }
        batch.numbers.last = before.updated
    }
}
