import Statechart
package import WorkflowStore

/// The result of replaying an instance's history with another definition.
package enum TrialVerdict: Sendable, Equatable {
    /// Every row leads to the recorded state.
    case same
    /// The first row at which the definitions differ, with the recorded and the other result.
    case differs(TrialDifference)
    /// The first row that the other definition refuses, and the reason.
    case refused(seq: Seq, event: String, reason: String)
}

/// A difference between a history and another definition.
package struct TrialDifference: Sendable, Equatable {
    package var seq: Seq
    package var event: String
    /// The paths of the active leaves after the row.
    package var was: [String]
    /// The paths of the active leaves under the other definition.
    package var wouldBe: [String]
    /// The difference in plain words.
    package var reason: String

    package init(seq: Seq, event: String, was: [String], wouldBe: [String], reason: String) {
        self.seq = seq
        self.event = event
        self.was = was
        self.wouldBe = wouldBe
        self.reason = reason
    }
}

/// Replays one instance's history with another definition.
///
/// Inputs from outside are applied as recorded, with their data and times. An input from the instance itself must be
/// what the other definition has armed. The same event must come next, and none may be due before a row.
struct BacktestRun {
    private let machine: Machine
    private let identity: InstanceIdentity
    private var snapshot: Snapshot?
    /// The number of consecutive rows of kind `sent`; past `StepLimits.chain` others may come between.
    private var sentInARow = 0
    /// True if an operator let the instance go on and no caller's event has come since. Results that waited then come
    /// before timers that became due meanwhile.
    private var isCatchingUp = false
    /// The first difference, or the refusal; `nil` if there is none so far.
    private(set) var verdict: TrialVerdict?

    /// - Parameter version: The instance's version as expressions see it. The recorded version is used, because the
    ///   other definition has no number yet.
    init(of record: InstanceRecord, with machine: Machine, version: MachineVersion) {
        self.machine = machine
        identity = InstanceIdentity(
            name: record.name.rawValue, version: version.rawValue, startedAt: LogicalTime(record.created))
    }

    /// Takes the next row.
    ///
    /// - Parameter status: The instance's status after the row; `nil` if it is not known.
    mutating func take(_ row: JournalRecord, status: InstanceStatus?) {
        guard verdict == nil else { return }
        verdict = judge(row, status)
    }

    /// Continues from the instance's state after a row; the rows before it do not count.
    mutating func begin(behind row: JournalRecord, _ state: SnapshotText, _ status: Snapshot.Status) {
        (sentInARow, isCatchingUp, verdict) = (0, false, nil)
        do throws(SnapshotTextError) {
            snapshot = try machine.snapshot(of: state, status: status, seq: row.seq.rawValue)
        } catch {
            verdict = .refused(seq: row.seq, event: row.event, reason: error.message)
        }
    }

    /// Records that a running instance has no more rows.
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
            // The other definition would accept the failed event, and nothing determines how the instance would go on.
            if row.kind == .failed { return difference(row, "'\(row.event)' would not fail", macrostep.snapshot) }
            return compare(row, status, macrostep.snapshot)
        }
    }

    /// Returns the outcome of a row's input within the current bounds. If the row was accepted before these bounds
    /// existed, returns the outcome within the earlier ones.
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
    /// Returns the reason if an event of the instance itself would have come before a caller's event or a result, and
    /// did not; `nil` otherwise.
    private func earlier(than row: JournalRecord) -> String? {
        // While the instance has failed, its armed items wait.
        guard let snapshot, snapshot.status == .running, let next = snapshot.armed.next else { return nil }
        if next.kind == .sent { return sentInARow < StepLimits.chain ? next.wouldComeBefore : nil }
        return next.due < LogicalTime(row.at) ? next.wouldComeBefore : nil
    }
}
