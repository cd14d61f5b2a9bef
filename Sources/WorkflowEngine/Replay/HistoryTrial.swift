import JSON
import Statechart
package import WorkflowStore

/// What another definition makes of an instance's history.
package enum TrialVerdict: Sendable, Equatable {
    /// Every row leads where it led.
    case same
    /// The first row at which the two part: what happened there, and what would have.
    case differs(TrialDifference)
    /// The first row that the other definition does not take, and why.
    case refused(seq: Seq, event: String, reason: String)
}

/// Where a history and another definition part.
package struct TrialDifference: Sendable, Equatable {
    package var seq: Seq
    package var event: String
    /// The paths of the active leaves after the row.
    package var was: [String]
    /// The same under the other definition.
    package var wouldBe: [String]
    /// In plain words: what differs.
    package var reason: String

    package init(seq: Seq, event: String, was: [String], wouldBe: [String], reason: String) {
        self.seq = seq
        self.event = event
        self.was = was
        self.wouldBe = wouldBe
        self.reason = reason
    }
}

/// One instance, going through its history again under another definition.
///
/// Rows are given to it as they were recorded: start data, event data and times. An event that came by itself must be
/// armed under the other definition too, and none may be armed that would have come before a row.
struct HistoryTrial {
    private let machine: Machine
    private let identity: InstanceIdentity
    private var snapshot: Snapshot?
    /// Rows of kind `sent` one after another: past `StepLimits.chain` others may come between.
    private var sentInARow = 0
    /// The first row at which they part, or the refusal; nil so far.
    private(set) var verdict: TrialVerdict?

    /// - Parameter version: What expressions see as the instance's version: the recorded one, as other versions have no
    ///   number yet.
    init(of record: InstanceRecord, with machine: Machine, version: Int64) {
        self.machine = machine
        identity = InstanceIdentity(name: record.name, version: version, startedAt: LogicalTime(record.created))
    }

    /// Takes the next row.
    ///
    /// - Parameter status: The instance's after it.
    mutating func take(_ row: JournalRecord, status: InstanceStatus) {
        guard verdict == nil else { return }
        verdict = judge(row, status)
    }

    /// Says that there are no more rows, of an instance that runs.
    mutating func end(after row: JournalRecord) {
        guard verdict == nil, let snapshot, snapshot.status == .running, let next = snapshot.nextImmediate,
            sentInARow < StepLimits.chain
        else { return }
        verdict = difference(row, "it would go on with '\(next.event)', which it sends to itself")
    }

    private mutating func judge(_ row: JournalRecord, _ status: InstanceStatus) -> TrialVerdict? {
        if let early = earlier(than: row) { return difference(row, early) }
        let data: JSONValue?
        do throws(JSONError) {
            data = try row.data.map { text throws(JSONError) in try JSONReader.value(from: text) }
        } catch {
            return .refused(seq: row.seq, event: row.event, reason: "its data is not JSON: \(error)")
        }
        let waiting = waiting(for: row)
        if waiting == nil, row.kind.comesByItself {
            return difference(row, "'\(row.event)' came by itself, but would not be waiting")
        }
        let event = row.recordedEvent(data, from: waiting, hadFailed: snapshot?.status == .failed)
        guard let outcome = outcome(of: row, event) else {
            return .refused(
                seq: row.seq, event: row.event, reason: "a row of kind '\(row.kind.rawValue)' cannot be replayed")
        }
        sentInARow = row.kind == .sent ? sentInARow + 1 : 0
        switch outcome {
        case .refused(let refusal):
            if row.kind == .failed {
                snapshot?.status = .failed
                return nil
            }
            return .refused(
                seq: row.seq, event: row.event, reason: refusal.message(for: row.event, in: machine))
        case .accepted(let macrostep):
            // What it failed on would be taken; nothing says how it would go on.
            if row.kind == .failed { return difference(row, "'\(row.event)' would not fail", macrostep.snapshot) }
            return compare(row, status, macrostep.snapshot)
        }
    }

    private mutating func compare(_ row: JournalRecord, _ status: InstanceStatus, _ after: Snapshot) -> TrialVerdict? {
        guard machine.isText(row.to, of: after.configuration) else {
            return difference(row, "it leads to another state", after)
        }
        guard status == InstanceStatus(after.status) else {
            return difference(row, "the instance is '\(status)' after it, and would be '\(after.status)'", after)
        }
        snapshot = after
        return nil
    }

    private func outcome(of row: JournalRecord, _ event: Event) -> Outcome? {
        switch (row.kind, snapshot) {
        case (.started, nil): machine.start(with: event.data?.object ?? JSONObject(), as: identity)
        case (.event, let before?), (.sent, let before?), (.timer, let before?):
            machine.step(before, event, as: identity)
        case (.retried, var before?), (.failed, var before?):
            { () -> Outcome in
                before.status = .running
                return machine.step(before, event, as: identity)
            }()
        default: nil
        }
    }

    private func difference(_ row: JournalRecord, _ reason: String, _ after: Snapshot? = nil) -> TrialVerdict {
        let configuration = (after ?? snapshot)?.configuration ?? []
        return .differs(
            TrialDifference(
                seq: row.seq, event: row.event, was: SnapshotText.leafPaths(in: row.to),
                wouldBe: machine.leafPaths(of: configuration), reason: reason))
    }
}

// MARK: What comes by itself

extension HistoryTrial {
    /// What the row's event is among all that is armed under the other definition; nil when nothing of the kind is.
    private func waiting(for row: JournalRecord) -> ArmedTimer? {
        let sent = snapshot?.armed.first { $0.isImmediate && $0.event == row.event }
        return switch row.kind {
        case .sent: sent
        case .timer: timer(of: row)
        case .retried, .failed: sent ?? timer(of: row)
        case .started, .event, .result, .cancelled, .reset, .set, .migrated, .redacted: nil
        }
    }

    /// The timer of the row's event that is due first.
    private func timer(of row: JournalRecord) -> ArmedTimer? {
        snapshot?.armed.lazy.filter { !$0.isImmediate && $0.event == row.event }
            .min { ($0.due, $0.number) < ($1.due, $1.number) }
    }

    /// What would have come by itself before a row, and did not; nil when there is nothing.
    private func earlier(than row: JournalRecord) -> String? {
        // While it has failed, timers wait; and what it sends to itself comes before them.
        guard let snapshot, snapshot.status == .running, !snapshot.armed.isEmpty, row.kind != .sent else { return nil }
        if let next = snapshot.nextImmediate, row.kind != .failed, sentInARow < StepLimits.chain {
            return "'\(next.event)', which it sends to itself, would come before"
        }
        var limit = LogicalTime(row.at)
        // A timer that fires late is recorded with the time at which it was due, or later.
        if row.kind == .timer || row.kind == .failed, let timer = timer(of: row) { limit = min(limit, timer.due) }
        let early = snapshot.armed.lazy.filter { !$0.isImmediate && $0.due < limit }
            .min { ($0.due, $0.number) < ($1.due, $1.number) }
        return early.map { "timer '\($0.event)' would have fired before" }
    }
}

extension JournalKind {
    /// Whether it records an event that the instance had armed.
    fileprivate var comesByItself: Bool {
        switch self {
        case .sent, .timer, .retried, .failed: true
        case .started, .event, .result, .cancelled, .reset, .set, .migrated, .redacted: false
        }
    }
}
