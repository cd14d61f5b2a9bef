import JSON
import Statechart
import WorkflowStore

/// An instance as the writer works on it: the stored row, decoded.
struct LiveInstance {
    /// The row; its `state` is brought up to date by `written()`.
    private(set) var record: InstanceRecord
    let loaded: LoadedMachine
    private(set) var snapshot: Snapshot
    /// The stored form of the configuration; context and memory are encoded when they are written.
    private(set) var configuration: String
    private var isEncoded: Bool

    var machine: Machine { loaded.machine }

    /// Decodes a stored row.
    init(record: InstanceRecord, loaded: LoadedMachine) throws(Rejection) {
        self.record = record
        self.loaded = loaded
        do throws(SnapshotTextError) {
            snapshot = try loaded.machine.snapshot(of: record.state, status: Snapshot.Status(record.status))
        } catch {
            throw .fault("instance '\(record.name)' cannot be read: \(error)")
        }
        configuration = record.state.configuration
        isEncoded = true
    }

    /// An instance that has just been started; `advance` gives it its first row.
    init(started id: InstanceID, uuid: UniqueID, name: String, loaded: LoadedMachine, at now: Timestamp) {
        self.loaded = loaded
        snapshot = Snapshot(status: .running, configuration: [], context: JSONObject(), memory: [])
        configuration = ""
        isEncoded = false
        record = InstanceRecord(
            id: id, uuid: uuid, name: name, machineID: loaded.record.id, status: .running, seq: Seq(rawValue: 0),
            head: Position(rawValue: 0), state: SnapshotText(configuration: "", context: "{}", memory: "{}"),
            armed: "[]", digest: Digest(bytes: Array(repeating: 0, count: 32)), created: now, updated: now)
    }

    /// Roughly the bytes that the instance takes in a cache.
    var size: Int {
        512 + record.name.utf8.count + record.state.configuration.utf8.count + 2 * record.state.context.utf8.count
            + record.state.memory.utf8.count + 8 * snapshot.configuration.count
    }

    /// What a refusal tells about the instance.
    var facts: InstanceFacts {
        InstanceFacts(
            name: record.name, machine: loaded.record.name, status: record.status,
            configuration: machine.leafPaths(of: snapshot.configuration), seq: record.seq,
            accepted: machine.accepted(in: snapshot))
    }

    /// The row with its state encoded.
    mutating func written() -> InstanceRecord {
        if !isEncoded {
            record.state = machine.text(of: snapshot)
            isEncoded = true
        }
        return record
    }

    /// Takes a macrostep: gives the journal row that records it, and the snapshot to store where one is due.
    mutating func advance(
        to macrostep: Macrostep, kind: JournalKind, event: Event, position: Position, now: Timestamp
    ) -> (row: JournalRecord, snapshot: SnapshotRecord?) {
        let isFirst = record.seq.rawValue == 0
        let at = max(now, record.updated)
        let from = configuration
        if macrostep.snapshot.configuration != snapshot.configuration {
            configuration = machine.leafPaths(of: macrostep.snapshot.configuration).joined(separator: ",")
        }
        var row = JournalRecord(
            position: position, instanceID: record.id, machineID: record.machineID, seq: record.seq.next,
            previous: isFirst ? nil : record.head, at: at, real: at == now ? nil : now, kind: kind,
            event: event.name, data: event.data.map(JSONWriter.string), from: from, to: configuration, actor: nil,
            key: nil, digest: record.digest)
        snapshot = macrostep.snapshot
        isEncoded = false
        record.seq = row.seq
        record.head = position
        record.status = InstanceStatus(snapshot.status)
        record.updated = at
        let stored = row.seq.rawValue % SnapshotRecord.interval == 0 ? snapshotRecord() : nil
        row.digest = Digest(
            row: row, previous: isFirst ? nil : record.digest, uuid: record.uuid, machine: loaded.record.digest,
            semantics: loaded.record.semantics, snapshot: stored)
        record.digest = row.digest
        return (row, stored)
    }

    private mutating func snapshotRecord() -> SnapshotRecord {
        let record = written()
        return SnapshotRecord(
            instanceID: record.id, seq: record.seq, position: record.head, status: record.status,
            state: record.state, armed: record.armed)
    }
}

extension Snapshot.Status {
    /// Everything but `running` is at rest.
    init(_ status: InstanceStatus) {
        self = status == .running ? .running : .done
    }
}

extension InstanceStatus {
    init(_ status: Snapshot.Status) {
        self =
            switch status {
            case .running: .running
            case .done: .done
            }
    }
}
