import Statechart
import WorkflowJSON
import WorkflowStore

/// An instance as the engine works on it: the stored row, decoded.
///
/// A value that is copied only explicitly: it holds two dozen references, and each copy would count all of them up and
/// down.
struct InstanceState: ~Copyable, Sendable {
    /// The row; `written()` brings its `state` up to date.
    private(set) var record: InstanceRecord
    private(set) var loaded: LoadedMachine
    private(set) var snapshot: Snapshot
    /// The rows that armed the pending items, in the same order; empty for a past instance.
    private var positions: [Position]
    /// The stored form of the configuration; context and memory are encoded when they are written.
    private(set) var configuration: String
    /// The source of the stored form in `record.state`.
    private var encoded: Encoded
    /// Consecutive timers that fired more than `EngineLimits.lateMilliseconds` after they were due.
    var lateFirings: Int

    private enum Encoded {
        case snapshot
        /// A snapshot from which steps have led to `snapshot`.
        case earlier(Snapshot)
        case another
    }

    /// Decodes a stored row.
    init(record: InstanceRecord, loaded: LoadedMachine) throws(Rejection) {
        // Everything that can fail comes first: a noncopyable value cannot be given up half initialised.
        let snapshot = try record.snapshot(of: loaded)
        let positions = try record.armedPositions()
        self.record = record
        self.loaded = loaded
        self.snapshot = snapshot
        self.positions = positions
        configuration = record.state.configuration
        encoded = .snapshot
        lateFirings = 0
    }

    /// Creates an instance as it was at an earlier seq. The instance must not be written: only the parts that an answer
    /// needs are of that seq.
    init(_ record: InstanceRecord, asOf seq: Seq, snapshot: Snapshot, loaded: LoadedMachine) {
        self.record = record
        self.record.seq = seq
        self.record.status = InstanceStatus(snapshot.status)
        self.loaded = loaded
        self.snapshot = snapshot
        configuration = loaded.machine.configurationText(of: snapshot.configuration)
        encoded = .another
        positions = []
        lateFirings = 0
    }

    /// Creates an instance that has just been started; `advance` gives it its first row.
    init(
        started id: InstanceID, uuid: UniqueID, key: InstanceKey, loaded: LoadedMachine, salt: Salt, at now: Timestamp
    ) {
        self.loaded = loaded
        snapshot = Snapshot(status: .running, configuration: [], context: JSONObject(), memory: [])
        configuration = ""
        encoded = .another
        positions = []
        lateFirings = 0
        record = InstanceRecord(
            id: id, uuid: uuid, namespace: key.namespace, name: key.name, machineID: loaded.record.id,
            status: .running, seq: Seq(rawValue: 0), head: Position(rawValue: 0),
            state: SnapshotText(configuration: "", context: "{}", memory: "{}"), entered: now, salt: salt,
            digest: .zero, created: now, updated: now)
    }

    private init(copying other: borrowing InstanceState) {
        record = other.record
        loaded = other.loaded
        snapshot = other.snapshot
        positions = other.positions
        configuration = other.configuration
        encoded = other.encoded
        lateFirings = other.lateFirings
    }

    func copy() -> InstanceState { InstanceState(copying: self) }

    var machine: Machine { loaded.machine }

    /// The approximate number of bytes that the instance takes in a cache.
    var size: Int { record.size + 8 * snapshot.configuration.count }
}

// MARK: What it tells

extension InstanceState {
    /// The value that expressions see as `instance`.
    var identity: InstanceIdentity { identity(in: loaded) }

    /// Returns the value that expressions see as `instance`, in a version of its machine.
    func identity(in loaded: LoadedMachine) -> InstanceIdentity {
        InstanceIdentity(
            name: record.name.rawValue, version: loaded.record.version.rawValue,
            startedAt: LogicalTime(record.created))
    }

    /// The present machine version, for a row that changes the version.
    var earlier: EarlierMachine { EarlierMachine(machine, version: loaded.record.version.rawValue) }

    /// The event that the instance failed on, and the reason; `nil` if it has not failed.
    var failure: InstanceFailure? { record.failure(of: loaded, snapshot) }

    /// Returns the next pending item that is due by now: events that the instance sent to itself without delay, then
    /// its timers in order.
    func nextDue(by now: Timestamp) -> Pending? { nextDue(by: time(at: now)) }

    /// Returns the next pending item that is due by a logical time.
    func nextDue(by time: LogicalTime) -> Pending? {
        guard hasTimers, let next = snapshot.armed.next else { return nil }
        return next.kind == .sent || next.due <= time ? next : nil
    }

    /// The row of the instance's next timer; `nil` if nothing is armed to come by itself.
    var nextKey: TimerKey? {
        guard snapshot.status == .running, let next = snapshot.armed.next,
            let place = snapshot.armed.firstIndex(where: { $0.id == next.id })
        else { return nil }
        return TimerKey(next, armedAt: positions[place])
    }

    /// True if the next item was sent or armed without delay. Its time stands still however often that happens, so
    /// other due instances have their turn before it.
    var comesAtOnce: Bool {
        guard let next = snapshot.armed.next else { return false }
        return next.kind == .sent || (next.due <= LogicalTime(record.updated) && next.id.seq == snapshot.seq)
    }

    /// True if the instance runs and has pending items.
    var hasTimers: Bool { !snapshot.armed.isEmpty && snapshot.status == .running }

    /// The timer rows that the store has for the pending items: none while the instance does not run.
    var timers: [TimerRecord] {
        guard hasTimers else { return [] }
        return zip(snapshot.armed, positions).compactMap { TimerRecord($0, of: record.id, armedAt: $1) }
    }

    /// The ids of the effects that run for the instance, in the order in which they began. The effects of a failed
    /// instance run on.
    var effects: [Position] {
        guard machine.hasInvocations else { return [] }
        return zip(snapshot.armed, positions).compactMap { $0.kind == .invocation ? $1 : nil }
    }

    /// Returns the invocation that belongs to an effect; `nil` if the effect has ended.
    func invocation(of effect: Position) -> Pending? {
        positions.firstIndex(of: effect).map { snapshot.armed[$0] }.flatMap { $0.kind == .invocation ? $0 : nil }
    }

    /// Returns when an invocation times out; `nil` if it has no timeout, as after a retry.
    func timeout(ofInvocation id: String) -> Timestamp? {
        let timer = snapshot.armed.first { $0.kind == .timer && $0.invocation == id }
        return timer.map { Timestamp(rawValue: $0.due.milliseconds) }
    }

    /// Returns the logical time of an input that comes now: never before the instance's last row.
    func time(at now: Timestamp) -> LogicalTime { LogicalTime(max(now, record.updated)) }

    /// The tally in which the instance is counted.
    var tallyKey: TallyKey {
        TallyKey(machineID: record.machineID, status: record.status, configuration: configuration)
    }

    /// The tags of the active states; `nil` if no state of the machine has any.
    var tags: [String]? { machine.hasTags ? machine.tags(of: snapshot.configuration) : nil }

    /// The facts that a refusal reports about the instance.
    var facts: InstanceFacts {
        InstanceFacts(
            name: record.name, machine: loaded.record.name, status: record.status,
            configuration: machine.leafPaths(of: snapshot.configuration), seq: record.seq,
            accepted: machine.accepted(in: snapshot, as: identity, at: LogicalTime(record.updated)))
    }
}

// MARK: What its machine says

extension InstanceState {
    /// Returns the chain of macrosteps that an input leads to.
    ///
    /// - Parameters:
    ///   - isTracing: True to record the microsteps, for a rehearsal.
    ///   - spent: Grows by the cost of a refused input; a macrostep carries its own cost.
    func chain(_ input: Input, isTracing: Bool = false, spending spent: inout Int) -> Result<Chain, Refusal> {
        machine.chain(input, from: snapshot, as: identity, isTracing: isTracing, spending: &spent)
    }

    /// Returns every candidate transition for an event, in the order tried.
    func explained(_ event: Event) -> [CandidateView] {
        machine.explain(snapshot, event, as: identity).map { CandidateView($0, of: machine) }
    }

    func rejection(_ refusal: Refusal, of event: Event) -> Rejection {
        .refused(refusal, event: event.name, machine: machine, facts: facts)
    }

    /// Throws if the instance has another seq than expected.
    func refuse(unless expected: Seq?) throws(Rejection) {
        if let expected, expected != record.seq { throw .preconditionFailed("seq \(expected.rawValue)", facts) }
    }
}

// MARK: What is written of it

extension InstanceState {
    /// Returns the row with its state encoded.
    mutating func written() -> InstanceRecord {
        // Taken out, and not copied.
        var before = Encoded.snapshot
        swap(&before, &encoded)
        switch consume before {
        case .snapshot: break
        case .earlier(let earlier):
            machine.update(&record.state, of: earlier, to: snapshot, positions: rawPositions)
        case .another: record.state = machine.text(of: snapshot, positions: rawPositions)
        }
        return record
    }

    /// Advances the instance by a macrostep and adds the journal row that records it. Returns the snapshot to store, if
    /// one is due.
    mutating func advance(
        to link: Chain.Link, at position: Position, now: Timestamp, from origin: RowOrigin,
        _ digests: inout DigestBuffer, _ texts: inout RowTexts, _ journal: inout [JournalRecord]
    ) -> SnapshotRecord? {
        let isFirst = record.seq.rawValue == 0
        let new = origin.machine
        if let new { loaded = new }
        let macrostep = link.macrostep
        let event = link.event
        let isReset = link.input.kind == .reset
        let entered = record.entered
        let failure = link.failure(in: machine)
        let from = configuration
        if let new {
            record.machineID = new.record.id
            configuration = machine.configurationText(of: macrostep.snapshot.configuration)
        } else if isReset || macrostep.snapshot.configuration != snapshot.configuration {
            configuration = machine.configurationText(of: macrostep.snapshot.configuration)
            record.entered = Timestamp(rawValue: event.at.milliseconds)
        }
        var row = JournalRecord(
            of: event, data: texts.data(of: event, as: link.input.kind), as: link.input.kind, in: record, from: from,
            to: configuration, at: position, now: now, actor: origin.caller.actor, key: origin.key,
            note: texts.text(of: note(failure, link.input, origin.reason, origin.run, macrostep)))
        if new != nil, row.isEntry { record.entered = row.at }
        if row.isClock { record.entered = min(entered, row.at) }
        if let age = origin.age { record.entered = age.entered }
        if link.changesTimers(after: snapshot.status) {
            positions = armingRows(
                of: macrostep.snapshot.armed, last: position, macrostep.invocationPositions(after: position))
        }
        var before = macrostep.snapshot
        swap(&before, &snapshot)
        if new != nil || isReset {
            encoded = .another
        } else if case .snapshot = encoded {
            encoded = .earlier(consume before)
        }
        record.seq = row.seq
        record.head = position
        record.status = InstanceStatus(snapshot.status)
        // An instance that has failed on something else stays failed.
        if let age = origin.age {
            record.failure = snapshot.status == .failed ? age.failure : nil
        } else if row.saysFailure || snapshot.status != .failed {
            record.failure = failure?.text(seq: row.seq, at: row.at)
        }
        record.updated = row.at
        let hasSnapshot = row.seq.rawValue % SnapshotRecord.interval == 0 || row.kind == .redacted
        let stored = hasSnapshot ? digests.snapshot(of: unplaced()) : nil
        row.digest = digests.digest(
            row: row, previous: isFirst ? nil : record.digest, instance: ChainInstance(record), machine: loaded.chain,
            snapshot: stored?.digest)
        record.digest = row.digest
        journal.append(consume row)
        return stored
    }

    /// Makes rows from the next one on derive their salts from another salt.
    mutating func renew(_ salt: Salt) {
        record.salt = salt
        record.saltFrom = record.seq.next
    }

    mutating func rename(to name: InstanceName) { record.name = name }

    /// Clears the failure reason.
    mutating func forgetFailure() { record.failure = nil }

    /// Returns true if the context has a value at a path.
    func hasPath(_ path: String) -> Bool { machine.hasPath(path, in: snapshot) }

    private func note(
        _ failure: RecordedFailure?, _ input: Input, _ reason: String?, _ run: String?, _ macrostep: Macrostep
    ) -> RowNote? {
        let result = snapshot.armed.isEmpty ? nil : snapshot.ended(by: input)
        // Compared with nil by pattern: a comparison of equatable values would copy a failure each time.
        if case .none = failure, case .none = macrostep.exitFailure, result == nil, reason == nil, run == nil,
            macrostep.skipped == nil
        {
            return nil
        }
        let exit = macrostep.exitFailure.flatMap { RecordedFailure($0, of: input.event.name, in: machine) }
        return RowNote(
            failure: failure, result: result, reason: reason, run: run, exit: exit, skipped: macrostep.skipped)
    }

    /// Returns the rows that armed the pending items after a macrostep. An item that was pending before keeps its row;
    /// an invocation has the position of its effect.
    private func armingRows(
        of armed: [Pending], last: Position, _ effects: [Pending.ID: Position]
    ) -> [Position] {
        var place = 0
        return armed.map { pending in
            while place < snapshot.armed.count, snapshot.armed[place].id < pending.id { place += 1 }
            if place < snapshot.armed.count, snapshot.armed[place].id == pending.id { return positions[place] }
            return effects[pending.id] ?? last
        }
    }

    private var rawPositions: [Int64] { positions.map(\.rawValue) }

    /// Returns the row in the form of its snapshots, which omit the positions of the rows that armed something.
    private mutating func unplaced() -> InstanceRecord {
        var record = written()
        if !snapshot.armed.isEmpty { record.state.armed = machine.text(of: snapshot).armed }
        return record
    }
}

extension Chain.Link {
    /// Returns the reason why the instance has failed, or had failed in the state that a reset brings back; `nil`
    /// otherwise.
    func failure(in machine: Machine) -> RecordedFailure? {
        if let refusal { return RecordedFailure(refusal, of: event.name, in: machine) }
        if case .reset(let event) = input { return RecordedFailure(ofReset: event.data) }
        return nil
    }

    /// Returns true if a macrostep changes the rows of timers. Only a running instance has such rows: with another
    /// status they are removed, or added again.
    func changesTimers(after status: Snapshot.Status) -> Bool {
        !macrostep.requests.isEmpty || input.changesArmed || macrostep.snapshot.status != status
    }
}

extension InstanceRecord {
    /// Returns the decoded snapshot of the row, which may be a row rebuilt from the history.
    func snapshot(of loaded: LoadedMachine) throws(Rejection) -> Snapshot {
        do throws(SnapshotTextError) {
            return try loaded.machine.snapshot(of: state, status: Snapshot.Status(status), seq: seq.rawValue)
        } catch {
            throw Rejection(.damaged, "Instance '\(name)' cannot be read: \(error)")
        }
    }

    /// Returns the positions of the rows that armed the pending items, in order.
    func armedPositions() throws(Rejection) -> [Position] {
        do throws(SnapshotTextError) {
            return try SnapshotText.positions(in: state.armed).map(Position.init(rawValue:))
        } catch {
            throw Rejection(.damaged, "Instance '\(name)' cannot be read: \(error)")
        }
    }

    /// Returns the event that the instance failed on, and the reason; `nil` if it has not failed.
    func failure(of loaded: LoadedMachine, _ snapshot: Snapshot) -> InstanceFailure? {
        guard status == .failed, let failure else { return nil }
        return InstanceFailure(failure, data: snapshot.armed.kept?.data, machine: loaded.record.name)
    }

    /// The approximate number of bytes that the instance takes in a cache, without its configuration as a list.
    var size: Int {
        512 + name.rawValue.utf8.count + state.configuration.utf8.count + 2 * state.context.utf8.count
            + state.memory.utf8.count + 2 * state.armed.utf8.count
    }
}

extension Snapshot.Status {
    /// Converts a stored status; an instance that is being deleted accepts no more inputs.
    init(_ status: InstanceStatus) {
        self =
            switch status {
            case .running: .running
            case .failed: .failed
            case .suspended: .suspended
            case .cancelled: .cancelled
            case .done, .purging: .done
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
            case .suspended: .suspended
            case .cancelled: .cancelled
            }
    }
}

extension LogicalTime {
    init(_ time: Timestamp) {
        self.init(milliseconds: time.rawValue)
    }
}

extension TimerKey {
    init(_ pending: Pending, armedAt position: Position) {
        self.init(
            due: Timestamp(rawValue: pending.due.milliseconds), position: position, ordinal: Int64(pending.id.number))
    }
}

extension TimerRecord {
    /// Creates the row of a pending item; `nil` for an invocation, which no clock ends.
    init?(_ pending: Pending, of instance: InstanceID, armedAt position: Position) {
        switch pending.kind {
        case .sent, .timer:
            self.init(
                key: TimerKey(pending, armedAt: position), instanceID: instance, event: pending.event)
        case .invocation: return nil
        }
    }
}
