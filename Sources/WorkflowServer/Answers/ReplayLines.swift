import Statechart
import WorkflowAPI
import WorkflowEngine
import WorkflowJSON
import WorkflowStore

extension WorkProgress {
    /// Creates the wire form of a progress report.
    init(_ progress: VerificationProgress) {
        self.init(done: Int64(progress.done), total: Int64(progress.total))
    }
}

extension VerificationLine {
    /// Creates the wire form of a verification's event.
    init(_ event: VerificationEvent) {
        switch event {
        case .progress(let progress): self = .progress(WorkProgress(progress))
        case .inconsistency(let inconsistency): self = .finding(VerificationFinding(inconsistency))
        case .gap(let instance, let seqs):
            self = .gap(VerificationGap(instance: instance.rawValue, seqs: seqs.text))
        }
    }
}

extension VerificationFinding {
    /// Creates the wire form of an inconsistency. A position is never sent; the text describes its place instead.
    init(_ inconsistency: Inconsistency) {
        let isPlaced = inconsistency.name != nil || inconsistency.position == nil
        self.init(
            instance: inconsistency.name?.rawValue, seq: inconsistency.seq?.rawValue,
            detail: isPlaced ? inconsistency.message : inconsistency.description)
    }
}

extension VerificationCounts {
    /// Creates the wire form of the counts since a moment.
    init(_ counts: VerifiedCounts, since start: ContinuousClock.Instant) {
        self.init(
            instances: Int64(counts.instances), events: Int64(counts.events), snapshots: Int64(counts.snapshots),
            timers: Int64(counts.timers), keys: Int64(counts.keys), machines: Int64(counts.machines),
            chainOnly: Int64(counts.chainOnly), differences: Int64(counts.differences),
            seconds: Self.seconds(since: start))
    }

    /// Returns the seconds since a moment, with three decimal places.
    fileprivate static func seconds(since start: ContinuousClock.Instant) -> Double {
        let (seconds, attoseconds) = (ContinuousClock.now - start).components
        return Double(seconds * 1_000 + attoseconds / 1_000_000_000_000_000) / 1_000
    }
}

extension BacktestLine {
    /// Creates the wire form of a backtest's event.
    init(_ event: BacktestEvent) {
        switch event {
        case .progress(let progress): self = .progress(WorkProgress(progress))
        case .parts(let instance, let verdict): self = .outcome(BacktestOutcome(instance, verdict))
        }
    }
}

extension BacktestOutcome {
    /// Creates the wire form of an instance's verdict.
    init(_ name: InstanceName, _ verdict: TrialVerdict) {
        let instance = name.rawValue
        switch verdict {
        case .same: self.init(instance: instance, result: .same)
        case .differs(let difference):
            self.init(
                instance: instance, result: .differs, seq: difference.seq.rawValue, event: difference.event,
                was: difference.was, wouldBe: difference.wouldBe, detail: difference.reason)
        case .refused(let seq, let event, let reason):
            self.init(instance: instance, result: .refused, seq: seq.rawValue, event: event, detail: reason)
        }
    }
}

extension BacktestCounts {
    /// Creates the wire form of the counts, and of the time since a moment.
    init(_ counts: TrialCounts, since start: ContinuousClock.Instant) {
        let groups = counts.byEvent.map { event, group in
            Group(event: event, differs: Int64(group.differs), refused: Int64(group.refused))
        }
        self.init(
            same: Int64(counts.same), differs: Int64(counts.differs), refused: Int64(counts.refused),
            events: Int64(counts.events),
            groups: groups.sorted {
                ($1.differs + $1.refused, $0.event) < ($0.differs + $0.refused, $1.event)
            }, seconds: VerificationCounts.seconds(since: start))
    }
}

extension ReplayStep {
    /// Creates the wire form of a macrostep that was taken again.
    init(_ step: ReplayedStep, isTraced: Bool) throws {
        self.init(
            seq: step.row.seq.rawValue, at: WireTime(milliseconds: step.row.at.rawValue), kind: step.row.kind.rawValue,
            event: step.row.event,
            data: try step.row.data.map { try .stored($0, in: "journal.data", of: "seq \(step.row.seq)") },
            note: try step.row.note.map { try .stored($0, in: "journal.note", of: "seq \(step.row.seq)") },
            status: Instance.Status(step.status),
            configuration: SnapshotText.leafPaths(in: step.row.to),
            context: step.snapshot?.context ?? JSONObject(), output: step.snapshot?.output,
            redacted: step.snapshot == nil ? true : nil,
            microsteps: isTraced ? step.microsteps.map { ReplayMicrostep($0, of: step.machine) } : nil,
            version: isTraced ? step.version.rawValue : nil)
    }
}

extension ReplayMicrostep {
    /// Creates the wire form of a microstep.
    init(_ microstep: Microstep, of machine: Machine) {
        self.init(
            event: microstep.event,
            transitions: microstep.transitions.map { index in
                let transition = machine[index]
                return Taken(
                    source: machine[transition.source].path, targets: machine.paths(of: transition.targets),
                    line: transition.line)
            },
            exited: machine.paths(of: microstep.exited), entered: machine.paths(of: microstep.entered),
            actions: microstep.deeds.map { deed in
                ActionTrace(
                    state: machine[deed.state].path, line: deed.line, text: deed.text, exited: deed.exited,
                    entered: deed.entered)
            })
    }
}
