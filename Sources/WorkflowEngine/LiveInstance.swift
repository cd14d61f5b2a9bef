import JSON
import Statechart
import WorkflowStore

/// An instance as the writer works on it: the stored row, decoded.
///
/// A class, because it is large and goes from hand to hand.
final class LiveInstance {
    /// The row; its `state` is brought up to date by `written()`.
    private(set) var record: InstanceRecord
    let loaded: LoadedMachine
    private(set) var snapshot: Snapshot
    /// The stored form of the configuration; context and memory are encoded when they are written.
    private(set) var configuration: String
    /// What `record.state` is the stored form of.
    private var encoded: Encoded
    /// Timers in a row that fired more than `EngineLimits.lateMilliseconds` after they were due.
    var lateFirings = 0

    /// The batch that touched it last, and what it was and did in that one.
    private var batch: UInt64 = 0
    /// Whether it began in the batch.
    private(set) var isNew = false
    private(set) var isChanged = false
    /// Macrosteps of what came by itself in the batch.
    var firings = 0
    /// Its timers in the store before the batch.
    private var storedTimers: [TimerRecord] = []

    private enum Encoded {
        case snapshot
        /// A snapshot from which steps have led to `snapshot`.
        case earlier(Snapshot)
        case another
    }

    var machine: Machine { loaded.machine }

    /// Decodes a stored row.
    init(record: InstanceRecord, loaded: LoadedMachine) throws(Rejection) {
        self.record = record
        self.loaded = loaded
        snapshot = try record.snapshot(of: loaded)
        configuration = record.state.configuration
        encoded = .snapshot
        guard record.armedAt.count == snapshot.armed.count else {
            throw .fault("instance '\(record.name)' cannot be read: it has timers without the rows that armed them")
        }
    }

    /// An instance as it was at some time: not to be written.
    init(past record: InstanceRecord, snapshot: Snapshot, loaded: LoadedMachine) {
        self.record = record
        self.loaded = loaded
        self.snapshot = snapshot
        configuration = loaded.machine.configurationText(of: snapshot.configuration)
        encoded = .another
    }

    /// An instance that has just been started; `advance` gives it its first row.
    init(started id: InstanceID, uuid: UniqueID, name: String, loaded: LoadedMachine, at now: Timestamp) {
        self.loaded = loaded
        snapshot = Snapshot(status: .running, configuration: [], context: JSONObject(), memory: [])
        configuration = ""
        encoded = .another
        record = InstanceRecord(
            id: id, uuid: uuid, name: name, machineID: loaded.record.id, status: .running, seq: Seq(rawValue: 0),
            head: Position(rawValue: 0), state: SnapshotText(configuration: "", context: "{}", memory: "{}"),
            digest: Digest(bytes: Array(repeating: 0, count: 32)), created: now, updated: now)
    }

    /// The same instance, for another batch.
    init(copying other: LiveInstance) {
        record = other.record
        loaded = other.loaded
        snapshot = other.snapshot
        configuration = other.configuration
        encoded = other.encoded
        lateFirings = other.lateFirings
        batch = other.batch
        isNew = other.isNew
        isChanged = other.isChanged
        firings = other.firings
        storedTimers = other.storedTimers
    }

    func isTouched(by number: UInt64) -> Bool { batch == number }

    /// A batch takes it.
    func beginBatch(_ number: UInt64, isNew: Bool) {
        batch = number
        self.isNew = isNew
        isChanged = false
        firings = 0
        storedTimers = isNew ? [] : timers
    }

    /// A trial within the batch takes it as it is.
    func goOn(in number: UInt64) { batch = number }

    /// The timers that it had in the store before the batch, and those that it must have: what is armed and ended
    /// within the batch never gets there.
    func writeTimers(to batch: inout StoreBatch) {
        let timers = timers
        if storedTimers.isEmpty, timers.isEmpty { return }
        let known = Set(storedTimers)
        let kept = Set(timers)
        batch.endedTimers += storedTimers.lazy.filter { !kept.contains($0) }.map(\.key)
        batch.armedTimers += timers.lazy.filter { !known.contains($0) }
    }

    /// Roughly the bytes that the instance takes in a cache.
    var size: Int { record.size + 8 * snapshot.configuration.count }

    /// What expressions see as `instance`.
    var identity: InstanceIdentity {
        InstanceIdentity(
            name: record.name, version: loaded.record.version, startedAt: LogicalTime(record.created))
    }

    /// The event that it failed on, and why; nil when it has not failed.
    var failure: InstanceFailure? { record.failure(of: loaded, snapshot) }

    /// What comes by itself and is due by a time: what it sent to itself without delay, then its timers in their order.
    func nextDue(by now: Timestamp) -> ArmedTimer? {
        guard hasTimers, let next = snapshot.nextTimer else { return nil }
        return next.isImmediate || next.due <= time(at: now) ? next : nil
    }

    /// Its next timer's row; nil when nothing comes by itself.
    var nextKey: TimerKey? {
        guard snapshot.status == .running, let next = snapshot.nextTimer,
            let index = snapshot.armed.firstIndex(where: { $0.number == next.number })
        else { return nil }
        return TimerKey(next, at: record.armedAt[index])
    }

    /// Whether what comes next was sent or armed without delay. Its time stands still however often that happens, so
    /// others that are due have their turn before it.
    var comesAtOnce: Bool {
        guard let next = snapshot.nextTimer else { return false }
        return next.isImmediate || (next.due <= LogicalTime(record.updated) && nextKey?.position == record.head)
    }

    /// Whether anything comes by itself.
    var hasTimers: Bool { !snapshot.armed.isEmpty && snapshot.status == .running }

    /// The rows that stand in the store for what is armed: none while the instance does not run.
    var timers: [TimerRecord] {
        guard hasTimers else { return [] }
        return zip(snapshot.armed, record.armedAt).map { timer, position in
            TimerRecord(key: TimerKey(timer, at: position), instanceID: record.id, event: timer.event)
        }
    }

    /// The logical time of what happens to the instance now: never before its last row.
    func time(at now: Timestamp) -> LogicalTime { LogicalTime(max(now, record.updated)) }

    /// The tags of the active states; nil when no state of the machine has any.
    var tags: [String]? { machine.hasTags ? machine.tags(of: snapshot.configuration) : nil }

    /// What a refusal tells about the instance.
    var facts: InstanceFacts {
        InstanceFacts(
            name: record.name, machine: loaded.record.name, status: record.status,
            configuration: machine.leafPaths(of: snapshot.configuration), seq: record.seq,
            accepted: machine.accepted(in: snapshot, as: identity, at: LogicalTime(record.updated)))
    }

    /// The row with its state encoded.
    func written() -> InstanceRecord {
        switch encoded {
        case .snapshot: return record
        case .earlier(let earlier): record.state = machine.text(of: snapshot, after: earlier, record.state)
        case .another: record.state = machine.text(of: snapshot)
        }
        encoded = .snapshot
        return record
    }

    /// Takes a macrostep, or with an unchanged snapshot what becomes of the instance's status: gives the journal row
    /// that records it, and the snapshot to store where one is due.
    ///
    /// - Parameters:
    ///   - event: Its time is the row's.
    ///   - failure: Why the event could not be taken; nil when it could.
    func advance(
        to next: Snapshot, kind: JournalKind, event: Event, position: Position, now: Timestamp,
        key: RequestKey? = nil, failure: RecordedFailure? = nil, _ digests: inout DigestBuffer
    ) -> (row: JournalRecord, snapshot: SnapshotRecord?) {
        let isFirst = record.seq.rawValue == 0
        let at = Timestamp(rawValue: event.at.milliseconds)
        let from = configuration
        if next.configuration != snapshot.configuration {
            configuration = machine.configurationText(of: next.configuration)
        }
        var row = JournalRecord(
            position: position, instanceID: record.id, machineID: record.machineID, seq: record.seq.next,
            previous: isFirst ? nil : record.head, at: at, real: at == now ? nil : now, kind: kind,
            event: event.name, data: event.data.map(JSONWriter.string), from: from, to: configuration, actor: nil,
            key: key?.bytes, note: failure?.note, digest: record.digest)
        record.armedAt = Self.positions(of: next.armed, before: snapshot.armed, record.armedAt, now: position)
        if case .snapshot = encoded { encoded = .earlier(snapshot) }
        isChanged = true
        snapshot = next
        record.seq = row.seq
        record.head = position
        record.status = InstanceStatus(next.status)
        record.failure = failure?.text(seq: row.seq, at: at)
        record.updated = at
        let stored = row.seq.rawValue % SnapshotRecord.interval == 0 ? snapshotRecord() : nil
        row.digest = digests.digest(
            row: row, previous: isFirst ? nil : record.digest, uuid: record.uuid, machine: loaded.record.digest,
            semantics: loaded.record.semantics, names: kind == .started ? names : nil, snapshot: stored)
        record.digest = row.digest
        return (row, stored)
    }

    private var names: StartedNames {
        StartedNames(instance: record.name, machine: loaded.record.name, version: loaded.record.version)
    }

    /// The rows that armed what is armed after a macrostep. What was armed before keeps its number and its row.
    private static func positions(
        of armed: [ArmedTimer], before: [ArmedTimer], _ known: [Position], now: Position
    ) -> [Position] {
        if armed.isEmpty { return [] }
        var offset = 0
        return armed.map { timer in
            while offset < before.count, before[offset].number < timer.number { offset += 1 }
            return offset < before.count && before[offset].number == timer.number ? known[offset] : now
        }
    }

    private func snapshotRecord() -> SnapshotRecord {
        let record = written()
        return SnapshotRecord(
            instanceID: record.id, seq: record.seq, position: record.head, status: record.status,
            state: record.state)
    }
}

extension InstanceRecord {
    /// What the row says, decoded; also of a row that was made again from the history, which has no `armedAt`.
    func snapshot(of loaded: LoadedMachine) throws(Rejection) -> Snapshot {
        do throws(SnapshotTextError) {
            return try loaded.machine.snapshot(of: state, status: Snapshot.Status(status))
        } catch {
            throw .fault("instance '\(name)' cannot be read: \(error)")
        }
    }

    /// The event that it failed on, and what is wrong with it; nil when it has not failed.
    func failure(of loaded: LoadedMachine, _ snapshot: Snapshot) -> InstanceFailure? {
        guard status == .failed, let failure,
            let reason = RecordedFailure.object(failure).flatMap({ RecordedFailure(.object($0)) })
        else { return nil }
        return InstanceFailure(
            reason: reason, data: snapshot.nextTimer?.data, machine: loaded.record.name, seq: seq, at: updated)
    }

    /// Roughly the bytes that the instance takes in a cache, but for its configuration as a list.
    var size: Int {
        512 + name.utf8.count + state.configuration.utf8.count + 2 * state.context.utf8.count
            + state.memory.utf8.count + 2 * state.armed.utf8.count
    }
}

extension Snapshot.Status {
    /// Everything but `running` is at rest.
    init(_ status: InstanceStatus) {
        self =
            switch status {
            case .running: .running
            case .failed: .failed
            case .done, .cancelled, .purging: .done
            }
    }
}

extension InstanceStatus {
    init(_ status: Snapshot.Status) {
        self =
            switch status {
            case .running: .running
            case .done: .done
            case .failed: .failed
            }
    }
}

extension LogicalTime {
    init(_ time: Timestamp) {
        self.init(milliseconds: time.rawValue)
    }
}

extension TimerKey {
    init(_ timer: ArmedTimer, at position: Position) {
        self.init(
            due: Timestamp(rawValue: timer.due.milliseconds), position: position, ordinal: Int64(timer.number))
    }
}
