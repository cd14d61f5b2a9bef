package import Statechart
import WorkflowJSON
package import WorkflowStore

// What a row of the journal means, both ways.

extension JournalRecord {
    /// The row that records an input of an instance; its digest is still that of the row before.
    ///
    /// - Parameters:
    ///   - event: The input's.
    ///   - kind: The input's.
    ///   - instance: As it is before.
    ///   - from: The configuration before.
    ///   - to: The configuration after.
    init(
        of event: Event, data: String?, as kind: Input.Kind, in instance: InstanceRecord, from: String, to: String,
        at position: Position, now: Timestamp,
        actor: Actor?, key: RequestKey?, note: String?
    ) {
        let at = Timestamp(rawValue: event.at.milliseconds)
        self.init(
            position: position, instanceID: instance.id, machineID: instance.machineID, seq: instance.seq.next,
            previous: instance.seq.rawValue == 0 ? nil : instance.head, at: at, real: at == now ? nil : now,
            kind: kind, event: event.name, data: data, from: from, to: to,
            actor: actor, key: key?.bytes, note: note, digest: instance.digest)
    }

    /// The input that the row records.
    ///
    /// Which of the armed things it took does not stand in the row: the snapshot alone decides what comes next. A row
    /// of another event does not fit the snapshot.
    ///
    /// - Parameters:
    ///   - snapshot: The instance before the row; nil before its first.
    ///   - earlier: What the instance ran then; nil where that is not known.
    func input(after snapshot: Snapshot?, of earlier: EarlierMachine? = nil) throws(RowError) -> Input {
        if isRedacted { throw RowError(.redacted, "what it says was redacted") }
        switch kind {
        case .started:
            guard snapshot == nil else { throw misplaced }
            return .started(try recordedEvent())
        case .event:
            guard snapshot != nil else { throw misplaced }
            return .event(try recordedEvent())
        case .sent: return .sent(try taken(snapshot?.armed.next, of: snapshot))
        case .timer: return .timer(try taken(snapshot?.armed.next, of: snapshot))
        case .result: return .result(try result(in: snapshot))
        case .failed: return .failed(try failed(in: snapshot))
        case .retried:
            guard snapshot?.status == .failed else { throw misplaced }
            return .retried(try taken(snapshot?.armed.kept, of: snapshot))
        case .effect:
            guard snapshot != nil else { throw misplaced }
            return .effect(try recordedEvent())
        case .skipped: return .skipped(try skipped(in: snapshot))
        case .suspended:
            guard snapshot?.status == .running else { throw misplaced }
            return .suspended(try recordedEvent())
        case .resumed:
            guard snapshot?.status == .suspended else { throw misplaced }
            return .resumed(try recordedEvent())
        case .cancelled:
            guard snapshot?.isFinished == false else { throw misplaced }
            return .cancelled(try recordedEvent())
        case .set:
            guard snapshot?.isFinished == false else { throw misplaced }
            return .set(try recordedEvent())
        case .reset:
            guard snapshot != nil else { throw misplaced }
            return .reset(try recordedEvent())
        case .redacted:
            guard snapshot != nil else { throw misplaced }
            return .redacted(try recordedEvent())
        case .migrated:
            guard let earlier, snapshot?.isFinished == false else { throw misplaced }
            return .migrated(try recordedEvent(), from: earlier)
        }
    }

    private var misplaced: RowError {
        RowError(.misplaced, "a row of kind '\(kind.rawValue)' cannot stand here")
    }

    private func recordedEvent() throws(RowError) -> Event {
        guard let data else { return Event(name: event, at: LogicalTime(at)) }
        do throws(JSONError) {
            return Event(name: event, data: try JSONReader.value(from: data), at: LogicalTime(at))
        } catch {
            throw RowError(.unreadable, "its data is not JSON: \(error)")
        }
    }

    /// What drops the event that the instance failed on; the row says which that was.
    private func skipped(in snapshot: Snapshot?) throws(RowError) -> Event {
        guard let kept = snapshot?.armed.kept else { throw misplaced }
        let word = try recordedEvent()
        guard word.data?.object?["event"]?.string == kept.event else {
            throw RowError(.disordered, "it drops another event than '\(kept.event)', on which the instance failed")
        }
        return word
    }

    /// The invocation whose end the event is: at most one of its id is live.
    private func result(in snapshot: Snapshot?) throws(RowError) -> Taken {
        guard let snapshot else { throw misplaced }
        guard let id = Pending.invocation(of: event), let invocation = snapshot.armed.invocation(id) else {
            throw RowError(.disordered, "'\(event)' is the result of nothing that would run")
        }
        return Taken(invocation, result: try recordedEvent())
    }

    /// What the instance failed on: what it failed on before, a result, or what came by itself.
    private func failed(in snapshot: Snapshot?) throws(RowError) -> Taken {
        if let kept = snapshot?.armed.kept { return try taken(kept, of: snapshot) }
        if RowNote(note).result != nil { return try result(in: snapshot) }
        return try taken(snapshot?.armed.next, of: snapshot)
    }

    /// Whether the row says if the instance has failed, and why: a word on an effect, `set`, a migration and a
    /// redaction leave that as it is.
    var saysFailure: Bool {
        switch kind {
        case .effect, .set, .migrated, .redacted: false
        case .reset: !isUndo
        case .started, .event, .sent, .timer, .result, .failed, .retried, .skipped, .suspended, .resumed, .cancelled:
            true
        }
    }

    /// Whether it undoes the row before: the instance is as old in its configuration, and has failed for as long, as
    /// without both.
    var isUndo: Bool { kind == .reset && event == Reset.undoEvent }

    /// True for a row that corrects times after a clock that was ahead. Only such a row may be earlier than the
    /// previous one. The instance's state stays.
    var isClock: Bool { kind == .reset && event == Reset.clockEvent }

    /// True when the instance may run another version of its machine afterwards.
    var changesMachine: Bool { kind.changesMachine && !isClock }

    /// Whether the instance is in its configuration only since this row, where it undoes nothing.
    var isEntry: Bool {
        (kind == .reset && !isClock) || (kind == .migrated ? event == Migration.move : from != to)
    }

    /// What was erased of its instance with it; nil where it is of another kind, or erased itself.
    package var redaction: Redaction? {
        guard kind == .redacted, let data else { return nil }
        do throws(JSONError) {
            return Redaction(try JSONReader.value(from: data))
        } catch {
            return nil
        }
    }

    /// Whether it is the end of an invocation, which no clock brings.
    var isResult: Bool { kind == .result || RowNote(note).result != nil }

    /// - Parameter next: What comes next, or what the instance failed on.
    private func taken(_ next: Pending?, of snapshot: Snapshot?) throws(RowError) -> Taken {
        guard snapshot != nil else { throw misplaced }
        guard let next, next.event == event, kind != .sent || next.kind == .sent, kind != .timer || next.kind == .timer
        else {
            if let next, next.kind == .sent || next.due <= LogicalTime(at) {
                throw RowError(.disordered, next.wouldComeBefore)
            }
            throw RowError(.disordered, "'\(event)' came by itself, but would not be waiting")
        }
        return Taken(next, at: LogicalTime(at), firedAt: LogicalTime(real ?? at))
    }
}

extension Snapshot {
    /// Whether nothing happens to the instance any more.
    fileprivate var isFinished: Bool {
        switch status {
        case .done, .cancelled: true
        case .running, .failed, .suspended: false
        }
    }
}

extension Pending {
    /// For a row that is not of this, but of what comes behind it.
    var wouldComeBefore: String {
        kind == .sent
            ? "'\(event)', which it sends to itself, would come before" : "timer '\(event)' would have fired before"
    }
}

/// A row says nothing that the instance could be given.
struct RowError: Error {
    /// What is wrong.
    enum Code {
        /// A row of this kind never follows such a snapshot.
        case misplaced
        /// Its data is not JSON.
        case unreadable
        /// What it says was redacted.
        case redacted
        /// What it took is not what comes next.
        case disordered
    }

    let code: Code
    let message: String

    init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }
}

extension Reset {
    /// The event of a row that undoes the last one.
    static let undoEvent = "undo"
}
