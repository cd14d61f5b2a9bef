package import Statechart
import WorkflowJSON
package import WorkflowStore

// The meaning of a journal row, in both directions.

extension JournalRecord {
    /// Creates the row that records an input of an instance; its digest is still the digest of the row before.
    ///
    /// - Parameters:
    ///   - event: The event of the input.
    ///   - kind: The kind of the input.
    ///   - instance: The instance before the input.
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

    /// Returns the input that the row records.
    ///
    /// The row does not name the pending item that it took: the snapshot alone decides which item comes next. A row of
    /// another event does not fit the snapshot.
    ///
    /// - Parameters:
    ///   - snapshot: The instance before the row; `nil` before its first.
    ///   - earlier: The machine version that the instance ran then; `nil` if it is unknown.
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

    /// Returns the event that drops the event that the instance failed on; the row names the dropped event.
    private func skipped(in snapshot: Snapshot?) throws(RowError) -> Event {
        guard let kept = snapshot?.armed.kept else { throw misplaced }
        let word = try recordedEvent()
        guard word.data?.object?["event"]?.string == kept.event else {
            throw RowError(.disordered, "it drops another event than '\(kept.event)', on which the instance failed")
        }
        return word
    }

    /// Returns the invocation whose end the event is: at most one invocation of its id is live.
    private func result(in snapshot: Snapshot?) throws(RowError) -> Taken {
        guard let snapshot else { throw misplaced }
        guard let id = Pending.invocation(of: event), let invocation = snapshot.armed.invocation(id) else {
            throw RowError(.disordered, "'\(event)' is the result of nothing that would run")
        }
        return Taken(invocation, result: try recordedEvent())
    }

    /// Returns the item that the instance failed on: an earlier failure's item, a result, or an item that came by
    /// itself.
    private func failed(in snapshot: Snapshot?) throws(RowError) -> Taken {
        if let kept = snapshot?.armed.kept { return try taken(kept, of: snapshot) }
        if RowNote(note).result != nil { return try result(in: snapshot) }
        return try taken(snapshot?.armed.next, of: snapshot)
    }

    /// True if the row records whether the instance has failed, and why. An operator's verb on an effect, `set`, a
    /// migration and a redaction leave the failure as it is.
    var saysFailure: Bool {
        switch kind {
        case .effect, .set, .migrated, .redacted: false
        case .reset: !isUndo
        case .started, .event, .sent, .timer, .result, .failed, .retried, .skipped, .suspended, .resumed, .cancelled:
            true
        }
    }

    /// True if the row undoes the row before. Then the times of the configuration and of the failure are as if both
    /// rows were absent.
    var isUndo: Bool { kind == .reset && event == Reset.undoEvent }

    /// True for a row that corrects times after a clock that was ahead. Only such a row may be earlier than the
    /// previous one. The instance's state stays.
    var isClock: Bool { kind == .reset && event == Reset.clockEvent }

    /// True if the instance may run another version of its machine afterwards.
    var changesMachine: Bool { kind.changesMachine && !isClock }

    /// True if the instance entered its configuration with this row, provided that the row undoes nothing.
    var isEntry: Bool {
        (kind == .reset && !isClock) || (kind == .migrated ? event == Migration.move : from != to)
    }

    /// The redaction that the row records; `nil` if the row is of another kind, or was itself erased.
    package var redaction: Redaction? {
        guard kind == .redacted, let data else { return nil }
        do throws(JSONError) {
            return Redaction(try JSONReader.value(from: data))
        } catch {
            return nil
        }
    }

    /// True if the row is the end of an invocation, which no clock brings.
    var isResult: Bool { kind == .result || RowNote(note).result != nil }

    /// - Parameter next: The next pending item, or the item that the instance failed on.
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
    /// True if the instance accepts no more inputs.
    fileprivate var isFinished: Bool {
        switch status {
        case .done, .cancelled: true
        case .running, .failed, .suspended: false
        }
    }
}

extension Pending {
    /// The message for a row that takes a later item than this one.
    var wouldComeBefore: String {
        kind == .sent
            ? "'\(event)', which it sends to itself, would come before" : "timer '\(event)' would have fired before"
    }
}

/// The error of a row from which no input can be derived.
struct RowError: Error {
    /// The kind of error.
    enum Code {
        /// A row of this kind never follows such a snapshot.
        case misplaced
        /// The row's data is not JSON.
        case unreadable
        /// The row's data was redacted.
        case redacted
        /// The row took another item than the next one.
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
