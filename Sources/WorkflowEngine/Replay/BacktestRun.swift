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
    /// - Parameter status: The instance's after it; nil where that is not known.
    mutating func take(_ row: JournalRecord, status: InstanceStatus?) {
        guard verdict == nil else { return }
        verdict = judge(row, status)
    }

    /// Goes on from what the instance was after a row; what came before is not asked.
    mutating func begin(behind row: JournalRecord, _ state: SnapshotText, _ status: Snapshot.Status) {
        (sentInARow, isCatchingUp, verdict) = (0, false, nil)
        do throws(SnapshotTextError) {
            snapshot = try machine.snapshot(of: state, status: status, seq: row.seq.rawValue)
        } catch {
            verdict = .refused(seq: row.seq, event: row.event, reason: error.message)
        }
    }

    /// Says that there are no more rows, of an instance that runs.
    mutating func end(after row: JournalRecord) {
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
        switch outcome(of: input, as: row) {
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

    /// What comes of a row's input within the bounds of now. What was taken before there were more was within those.
    private func outcome(of input: Input, as row: JournalRecord) -> Outcome {
        let outcome = machine.apply(input, to: snapshot, as: identity, within: .live)
        guard row.kind != .failed, outcome.dependsOnBounds else { return outcome }
        let earlier = machine.apply(input, to: snapshot, as: identity, within: .recorded)
        return if case .accepted = earlier { earlier } else { outcome }
    }

    private mutating func compare(_ row: JournalRecord, _ status: InstanceStatus?, _ after: Snapshot) -> TrialVerdict? {
        guard machine.isText(row.to, of: after.configuration) else {
            return difference(row, "it leads to another state", after)
        }
        if let status, status != InstanceStatus(after.status) {
            return difference(row, "the instance is '\(status)' after it, and would be '\(after.status)'", after)
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
        case .retried, .skipped, .resumed, .effect: isCatchingUp = true
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
