import Statechart
import WorkflowJSON
import WorkflowStore

/// Compares the history of one instance, row by row, with itself and with the step, and finally with the stored
/// instance.
struct HistoryCheck {
    /// The instance as it was read before the first of its rows.
    let record: InstanceRecord
    /// The store's next position when `record` was read.
    let nextPosition: Position
    /// The first inconsistency that was found.
    private(set) var inconsistency: Inconsistency?
    /// True if all rows up to the head were taken.
    private(set) var isAtHead = false
    /// True if the instance's steps are repeated; false if the rules are unknown or the definition cannot be read.
    private(set) var isFolded = true

    /// The rows whose steps could not be repeated because of a redaction.
    private(set) var gaps: [ClosedRange<Int64>] = []

    /// The defect that an erasure may explain which began after the instance was read.
    var doubt: (seq: Seq, position: Position, message: String)? { erasures.doubt }

    /// The position behind the last row and the effects that it began; `nil` if the number of its effects is not known.
    private(set) var behind: Position?

    private var erasures = ErasureCheck([])
    private var fold: Fold
    private var seq = Seq(rawValue: 0)
    private var position: Position?
    private var digest: Digest?
    private var to = ""
    /// The last row that determines whether the instance has failed.
    private var failing: (note: String?, isRedacted: Bool, seq: Seq, at: Timestamp)?
    /// The value of `failing` before the last row.
    private var failingBefore: (note: String?, isRedacted: Bool, seq: Seq, at: Timestamp)?
    /// The machine version of the last row.
    private var machineID: MachineID?
    /// The position of the row that armed each armed item.
    private var armedAt: [Pending.ID: Position] = [:]
    /// The requests of the effects for armed items, by the ids of the effects.
    private(set) var asked: [Position: AskedEffect] = [:]
    /// The requests of calls whose rows were not looked up yet, by the ids of the effects.
    private(set) var calls: [Position: AskedEffect] = [:]
    private var first = Timestamp(rawValue: 0)
    private var age = ConfigurationAge()
    private var last = Timestamp(rawValue: 0)

    /// - Parameter migrations: The prepared migrations of all instances of the verification.
    init(_ instance: InspectedInstance, nextPosition: Position, migrations: PreparedMigrations) {
        record = instance.record
        self.nextPosition = nextPosition
        fold = Fold(of: record)
        fold.migrations = migrations
        // The results of a deleted instance's steps are gone.
        if record.status == .purging { isFolded = false }
        if let inconsistency = instance.inconsistency { find(nil, nil, inconsistency) }
    }

    /// Sets the erasures to compare with. Call this function before the first row.
    mutating func expect(_ erasures: [ErasureRecord]) {
        self.erasures = ErasureCheck(record.status == .purging ? [] : erasures)
    }

    /// Takes the next row of the instance, in the order of positions.
    ///
    /// - Parameters:
    ///   - slice: The slice with the row, and with the data of other tables about it.
    ///   - machine: The machine version of the row; `nil` if there is none.
    mutating func take(
        _ row: JournalRecord, _ slice: InspectedJournal, machine: CheckedMachine?, _ buffer: inout DigestBuffer
    ) {
        guard inconsistency == nil else { return }
        if isAtHead {
            // Later rows were written after the instance was read.
            if row.position < nextPosition { find(row, "the journal goes on behind the instance's last row") }
            return
        }
        let snapshot = slice.snapshots.isEmpty ? nil : slice.snapshots[row.position]
        if let mistake = slice.mistake(row) ?? placeMistake(row) ?? digestMistake(row, snapshot, machine, &buffer) {
            return find(row.seq > seq.next ? seq.next : row.seq, row.position, mistake)
        }
        // A deletion first removes the rows that record erasures.
        if record.status != .purging, let mistake = erasures.mistake(row, snapshot) { return find(row, mistake) }
        behind = nil
        if let mistake = stepMistake(row, snapshot, machine) { return find(row, mistake) }
        if let snapshot, let mistake = snapshotMistake(snapshot, machine) { return find(row, mistake) }
        if !slice.inconsistencies.isEmpty, let inconsistency = slice.inconsistencies[row.position] {
            return find(row, inconsistency)
        }
        seq = row.seq
        position = row.position
        digest = row.digest
        age.take(row)
        if machineID != row.machineID { machineID = row.machineID }
        if to != row.to { to = row.to }
        noteRedaction(row)
        noteFailure(row)
        if first.rawValue == 0 { first = row.at }
        last = row.at
        // A deletion removes the last rows first, and the list of remaining deletions has the place where the rows end.
        guard record.status != .purging, seq == record.seq || row.position == record.head else { return }
        isAtHead = true
        if let mistake = erasures.mistake(record) ?? recordMistake(machine) { find(record.seq, record.head, mistake) }
    }

    /// Records that there are no more rows.
    mutating func end() {
        guard inconsistency == nil, !isAtHead, record.status != .purging || seq.rawValue == 0 else { return }
        find(seq.next, nil, "the row is missing")
    }

    /// Adds an inconsistency that was found elsewhere.
    mutating func find(_ seq: Seq?, _ position: Position?, _ message: String) {
        guard inconsistency == nil else { return }
        inconsistency = Inconsistency(
            instance: record.id, name: record.name, seq: seq, position: position, message)
    }

    private mutating func find(_ row: JournalRecord, _ message: String) {
        find(row.seq, row.position, message)
    }
}

extension InspectedJournal {
    /// Returns the reason why a row cannot be read; `nil` if it can.
    fileprivate func mistake(_ row: JournalRecord) -> String? {
        unreadable.isEmpty ? nil : unreadable[row.position]
    }
}

// MARK: A row

extension HistoryCheck {
    private func placeMistake(_ row: JournalRecord) -> String? {
        if row.seq > seq.next { return "the row is missing" }
        if row.seq < seq.next { return "the row stands behind that of seq \(seq.rawValue)" }
        guard row.previous == position else {
            let found = row.previous.map { "position \($0.rawValue)" } ?? "none"
            let wanted = position.map { "position \($0.rawValue)" } ?? "none"
            return "the row names \(found) as the instance's row before, which is \(wanted)"
        }
        return row.isClock ? clockMistake(row) : row.at < last ? Self.earlier : nil
    }

    private static let earlier = "the row's time lies before that of the row before"

    /// Checks a row that corrects a clock: it records by how much it is earlier than the previous row, and is not
    /// later. A redacted row does not record the difference.
    private func clockMistake(_ row: JournalRecord) -> String? {
        if row.isRedacted { return row.at < last ? nil : "the row takes back no time" }
        let data = row.data.flatMap(RecordedFailure.object).map(JSONValue.object)
        guard let difference = Reset.clock(in: data), last.rawValue - row.at.rawValue == difference else {
            return "the row does not say by how much it takes back the instance's time"
        }
        return nil
    }

    private func digestMistake(
        _ row: JournalRecord, _ snapshot: SnapshotRecord?, _ machine: CheckedMachine?, _ buffer: inout DigestBuffer
    ) -> String? {
        guard let machine else { return "machine \(row.machineID.rawValue) is missing" }
        if let snapshot {
            guard buffer.digest(snapshot: snapshot) ?? snapshot.digest == snapshot.digest else {
                return "the digest of the snapshot does not fit what the snapshot says"
            }
            guard snapshot.position == row.position else {
                return "the snapshot names position \(snapshot.position.rawValue) instead of the row's"
            }
        } else if row.seq.rawValue & (SnapshotRecord.interval - 1) == 0 || row.kind == .redacted {
            return "the snapshot is missing"
        }
        // Nothing else determines which rows keep their salts.
        if row.salt == .derived, row.seq < record.saltFrom, row.hasCommitment { return "the row's salt is missing" }
        let digest = buffer.digest(
            row: row, previous: digest, instance: ChainInstance(record), machine: machine.chain,
            snapshot: snapshot?.digest)
        return digest == row.digest ? nil : "the digest does not fit what the row says"
    }

    private mutating func stepMistake(
        _ row: JournalRecord, _ snapshot: SnapshotRecord?, _ machine: CheckedMachine?
    ) -> String? {
        guard row.from == to else { return "the row begins in '\(row.from)', but the one before ended in '\(to)'" }
        if let machineID, row.machineID != machineID, !row.changesMachine {
            return "the row belongs to machine \(row.machineID.rawValue), the instance to \(machineID.rawValue)"
        }
        guard isFolded, let loaded = machine?.loaded else {
            isFolded = false
            return nil
        }
        do throws(FoldError) {
            if fold.passes(row) { return try pass(row, snapshot, loaded) }
            noteArmed(by: try fold.apply(row, machine: loaded.machine, version: loaded.record.version), row.position)
        } catch {
            return error.message
        }
        guard
            fold.failure != nil || fold.result != nil || fold.exitFailure != nil || fold.skipped != nil
                || row.note != nil
        else { return nil }
        // Version 0.1 did not record skipped timers.
        if row.note == nil, fold.skipped != nil, loaded.machine.semantics == .first { return nil }
        return isSaid(by: RowNote(row.note), row.kind) ? nil : "the row's note is not what the step says"
    }

    /// Records a row that could not be applied, and continues from its snapshot if it has one for this purpose.
    private mutating func pass(
        _ row: JournalRecord, _ stored: SnapshotRecord?, _ loaded: LoadedMachine
    ) throws(FoldError) -> String? {
        let seq = row.seq.rawValue
        if let last = gaps.last, last.upperBound == seq - 1 {
            gaps[gaps.count - 1] = last.lowerBound...seq
        } else {
            gaps.append(seq...seq)
        }
        asked = [:]
        calls = [:]
        armedAt = [:]
        guard row.kind == .redacted, let stored, stored.salt != nil else { return nil }
        try fold.goOn(after: stored, machine: loaded.machine, version: loaded.record.version)
        for pending in fold.snapshot?.armed ?? [] { armedAt[pending.id] = Self.unknown }
        return nil
    }

    /// The position of an item that was armed by a row that could not be applied.
    private static let unknown = Position(rawValue: 0)

    /// Marks a failure as redacted, because the instance may lose it before the failure's row does.
    private mutating func noteRedaction(_ row: JournalRecord) {
        guard let failing, row.redaction?.seqs.contains(failing.seq.rawValue) ?? false else { return }
        self.failing?.isRedacted = true
    }

    /// Records the failure of a row; an undone row no longer counts.
    private mutating func noteFailure(_ row: JournalRecord) {
        let before = failing
        if row.isUndo {
            failing = failingBefore
        } else if row.saysFailure {
            failing = (row.note, row.isRedacted, row.seq, row.at)
        }
        failingBefore = before
    }

    /// Returns true if a note matches the step. A note may have a reason only if a caller asked for the row, or sent
    /// the event to many.
    private func isSaid(by note: RowNote, _ kind: Input.Kind) -> Bool {
        let isAsked = kind.canBeAsked || (kind == .event && note.run != nil)
        guard note.text != nil, fold.result == note.result, (note.reason == nil && note.run == nil) || isAsked
        else { return false }
        return isAlike(fold.failure, note.failure) && isAlike(fold.exitFailure, note.exit)
            && fold.skipped == note.skipped
    }

    private func isAlike(_ one: RecordedFailure?, _ other: RecordedFailure?) -> Bool {
        one.map { $0.isAlike(other) } ?? (other == nil)
    }

    /// Records the rows that armed items. The position of an invocation is that of its effect behind the row.
    private mutating func noteArmed(by macrostep: Macrostep, _ position: Position) {
        let effects = macrostep.requests.isEmpty ? [] : macrostep.effects(after: position)
        behind = (effects.last?.id ?? position).next
        for effect in effects where effect.invocation == nil {
            calls[effect.id] = AskedEffect(effect.request, seq: macrostep.snapshot.seq, number: nil)
        }
        guard let armed = fold.snapshot?.armed, !armed.isEmpty || !armedAt.isEmpty else { return }
        var places: [Pending.ID: Position] = [:]
        for effect in effects {
            guard let id = effect.invocation else { continue }
            places[id] = effect.id
            asked[effect.id] = AskedEffect(effect.request, seq: id.seq, number: Int64(id.number))
        }
        places.merge(armedAt) { new, _ in new }
        armedAt = Dictionary(
            armed.map { ($0.id, places[$0.id] ?? position) }, uniquingKeysWith: { first, _ in first })
        if !asked.isEmpty {
            let live = Set(armedAt.values)
            asked = asked.filter { live.contains($0.key) }
        }
    }

    /// Returns the request of a call whose row was found, and reports a row that no call asked for. Returns `nil`, too,
    /// if the request cannot be known.
    mutating func askedCall(_ id: Position) -> AskedEffect? {
        guard inconsistency == nil, isFolded, id < nextPosition else { return nil }
        if let asked = calls[id] { return asked }
        // The effect may belong to a row that could not be applied.
        guard gaps.isEmpty else { return nil }
        find(nil, id, "there is an effect that its history does not ask for")
        return nil
    }

    /// Forgets calls whose rows were looked up.
    mutating func forgetCalls(through position: Int64) {
        if !calls.isEmpty { calls = calls.filter { $0.key.rawValue > position } }
    }

    private func snapshotMistake(_ stored: SnapshotRecord, _ machine: CheckedMachine?) -> String? {
        guard isFolded, stored.salt != nil, let snapshot = fold.snapshot, let loaded = machine?.loaded else {
            return nil
        }
        guard stored.status == InstanceStatus(snapshot.status) else {
            return "the snapshot's status is '\(stored.status)', not '\(snapshot.status)'"
        }
        guard let part = stored.state.difference(from: loaded.machine.text(of: snapshot)) else { return nil }
        return "the snapshot's \(part) is not what the history leads to"
    }
}

// MARK: The instance

extension HistoryCheck {
    private func recordMistake(_ machine: CheckedMachine?) -> String? {
        guard record.seq == seq else {
            return "the instance says that its seq is \(record.seq.rawValue), but its last row has \(seq.rawValue)"
        }
        guard record.machineID == machineID else {
            let found = machineID?.rawValue ?? 0
            return "the instance belongs to machine \(record.machineID.rawValue), its last row to \(found)"
        }
        guard record.head == position else {
            let found = position?.rawValue ?? 0
            return "the instance says that its last row is at \(record.head.rawValue), but it is at \(found)"
        }
        guard record.digest == digest else { return "the instance's digest is not that of its last row" }
        guard record.state.configuration == to else {
            return "the instance's configuration is '\(record.state.configuration)', but its last row ends in '\(to)'"
        }
        guard isFailureSaid else { return "the instance's failure is not that of its last row" }
        guard record.created == first else { return "the instance's start time is not that of its first row" }
        guard record.updated == last else { return "the instance's last time is not that of its last row" }
        guard record.entered == age.entered else {
            return "the instance's configuration is not as old as its history says"
        }
        guard isFolded, let snapshot = fold.snapshot, let loaded = machine?.loaded else { return nil }
        guard record.status == InstanceStatus(snapshot.status) else {
            return "the instance's status is '\(record.status)', but its history leads to '\(snapshot.status)'"
        }
        let positions = positions(of: snapshot.armed)
        if let part = record.state.difference(from: loaded.machine.text(of: snapshot, positions: positions)) {
            return "the instance's \(part) is not what its history leads to"
        }
        return nil
    }
}

extension HistoryCheck {
    /// Returns the positions of the rows that armed items; unknown ones are taken from the instance.
    private func positions(of armed: [Pending]) -> [Int64] {
        let positions = armed.map { armedAt[$0.id]?.rawValue ?? 0 }
        if gaps.isEmpty { return positions }
        // An unreadable list is found as a difference.
        let stored = (try? SnapshotText.positions(in: record.state.armed)) ?? []
        guard stored.count == positions.count else { return positions }
        return zip(positions, stored).map { $0 == Self.unknown.rawValue ? $1 : $0 }
    }

    /// True if the instance has the same failure as its history.
    private var isFailureSaid: Bool {
        guard record.status == .failed, let failing else { return record.failure == nil }
        return failing.isRedacted
            || record.failure == RecordedFailure(note: failing.note)?.text(seq: failing.seq, at: failing.at)
    }
}

extension Input.Kind {
    /// True if an operator may have asked for such a row with a reason. A retry that fails again is a row `failed`.
    fileprivate var canBeAsked: Bool {
        switch self {
        case .retried, .failed, .skipped, .suspended, .resumed, .cancelled, .set, .effect, .migrated, .reset, .redacted:
            true
        case .started, .event, .sent, .timer, .result: false
        }
    }
}

extension SnapshotText {
    /// Returns the name of the first part that differs; `nil` if all are the same.
    fileprivate func difference(from other: SnapshotText) -> String? {
        if configuration != other.configuration { return "configuration" }
        if !context.utf8.elementsEqual(other.context.utf8) { return "context" }
        if !memory.utf8.elementsEqual(other.memory.utf8) { return "history memory" }
        if !armed.utf8.elementsEqual(other.armed.utf8) { return "list of what is armed" }
        let isSame =
            switch (output, other.output) {
            case (nil, nil): true
            case (let ours?, let theirs?): ours.utf8.elementsEqual(theirs.utf8)
            default: false
            }
        return isSame ? nil : "output"
    }
}

/// The content that an effect's row must have, as far as the history determines it. The value is small, because a pass
/// keeps one for each running effect.
struct AskedEffect: Equatable {
    private let digest: Digest

    /// - Parameter number: The invocation's number; `nil` for a call.
    init(_ request: EffectRequest, seq: Int64, number: Int64?) {
        digest = Self.digest(request.name, request.queue, request.priority, seq, number ?? 0, request.text)
    }

    init(_ effect: EffectRecord) {
        digest = Self.digest(
            effect.name, effect.queue, effect.priority, effect.seq.rawValue, effect.number ?? 0, effect.request)
    }

    private static func digest(
        _ name: String, _ queue: String, _ priority: Int64, _ seq: Int64, _ number: Int64, _ request: String
    ) -> Digest {
        Digest(of: Array([name, queue, "\(priority) \(seq) \(number)", request].joined(separator: "\u{0}").utf8))
    }
}
