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
/// What came from outside is given to it as it was recorded, with its data and time. What came by itself is what the
/// other definition has armed: it must be the same event that comes next, and none may come before a row.
struct BacktestRun {
    private let machine: Machine
    private let identity: InstanceIdentity
    private var snapshot: Snapshot?
    /// Rows of kind `sent` one after another: past `StepLimits.chain` others may come between.
    private var sentInARow = 0
    /// Whether somebody let the instance go on and no caller's event has come since: results that waited meanwhile come
    /// before timers that have been due since.
    private var isCatchingUp = false
    /// Whether what was redacted leaves open what the instance is.
    private var isInGap = false
    /// Says that the instance would be done behind the last row. It was so only if a reset follows.
    private var suspicion: TrialVerdict?
    /// The first row at which they part, or the refusal; nil so far.
    private(set) var verdict: TrialVerdict?

    /// - Parameter version: What expressions see as the instance's version: the recorded one, as other versions have no
    ///   number yet.
    init(of record: InstanceRecord, with machine: Machine, version: MachineVersion) {
        self.machine = machine
        identity = InstanceIdentity(
            name: record.name.rawValue, version: version.rawValue, startedAt: LogicalTime(record.created))
    }

    /// Takes the next row.
    ///
    /// - Parameters:
    ///   - status: The instance's after it; nil where that is not known.
    ///   - stored: What is stored with it as a snapshot; nil when nothing is.
    mutating func take(_ row: JournalRecord, status: InstanceStatus?, _ stored: SnapshotRecord? = nil) {
        guard verdict == nil else { return }
        verdict = row.kind == .reset ? nil : suspicion
        suspicion = nil
        if isInGap || row.isRedacted {
            verdict = verdict ?? pass(row, stored)
        } else if verdict == nil {
            verdict = judge(row, status)
        }
    }

    /// Passes a row of which nobody knows what it led to. From a redaction on, the instance is what its snapshot says,
    /// where the other definition has such states.
    private mutating func pass(_ row: JournalRecord, _ stored: SnapshotRecord?) -> TrialVerdict? {
        isInGap = true
        snapshot = nil
        guard row.kind == .redacted, let stored else { return nil }
        do throws(SnapshotTextError) {
            snapshot = try machine.snapshot(
                of: stored.state, status: Snapshot.Status(stored.status), seq: stored.seq.rawValue)
        } catch {
            return .refused(
                seq: row.seq, event: row.event,
                reason: "what came before was redacted, and where that led cannot be taken over: \(error.message)")
        }
        isInGap = false
        return nil
    }

    /// Says that there are no more rows, of an instance that runs.
    mutating func end(after row: JournalRecord) {
        if verdict == nil { verdict = suspicion }
        if isInGap, verdict == nil {
            verdict = .refused(seq: row.seq, event: row.event, reason: "what happened was redacted")
        }
        guard verdict == nil, let snapshot, snapshot.status == .running, let next = snapshot.armed.nextSent,
            sentInARow < StepLimits.chain
        else { return }
        verdict = difference(row, "it would go on with '\(next.event)', which it sends to itself")
    }

    private mutating func judge(_ row: JournalRecord, _ status: InstanceStatus?) -> TrialVerdict? {
        noteGoingOn(row)
        if row.kind == .event || row.isResult && !isCatchingUp, let early = earlier(than: row) {
            return difference(row, early)
        }
        let input: Input
        do throws(RowError) {
            input = try row.input(after: snapshot)
        } catch {
            return error.code == .disordered
                ? difference(row, error.message) : .refused(seq: row.seq, event: row.event, reason: error.message)
        }
        sentInARow = row.kind == .sent ? sentInARow + 1 : 0
        switch machine.apply(input, to: snapshot, as: identity) {
        case .failed(let macrostep, _) where row.kind == .failed:
            snapshot = macrostep.snapshot
            return nil
        case .refused(let refusal), .failed(_, let refusal):
            return .refused(
                seq: row.seq, event: row.event, reason: refusal.message(for: row.event, in: machine))
        case .accepted(let macrostep):
            // What it failed on would be taken; nothing says how it would go on.
            if row.kind == .failed { return difference(row, "'\(row.event)' would not fail", macrostep.snapshot) }
            return compare(row, status, macrostep.snapshot)
        }
    }

    private mutating func compare(_ row: JournalRecord, _ status: InstanceStatus?, _ after: Snapshot) -> TrialVerdict? {
        guard machine.isText(row.to, of: after.configuration) else {
            return difference(row, "it leads to another state", after)
        }
        if let status, status != InstanceStatus(after.status) {
            let verdict = difference(
                row, "the instance is '\(status)' after it, and would be '\(after.status)'", after)
            guard status == .running, after.status == .done else { return verdict }
            suspicion = verdict
        }
        snapshot = after
        return nil
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

extension BacktestRun {
    private mutating func noteGoingOn(_ row: JournalRecord) {
        switch row.kind {
        case .retried, .skipped, .resumed, .effect, .reset: isCatchingUp = true
        case .event: isCatchingUp = false
        default: break
        }
    }
}

extension BacktestRun {
    /// What would have come by itself before a caller's event or a result, and did not; nil when there is nothing.
    private func earlier(than row: JournalRecord) -> String? {
        // While it has failed, what is armed waits.
        guard let snapshot, snapshot.status == .running, let next = snapshot.armed.next else { return nil }
        if next.kind == .sent { return sentInARow < StepLimits.chain ? next.wouldComeBefore : nil }
        return next.due < LogicalTime(row.at) ? next.wouldComeBefore : nil
    }
}
