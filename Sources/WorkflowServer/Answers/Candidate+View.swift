import Statechart
import WorkflowAPI
import WorkflowEngine

extension Candidate {
    /// Creates the wire form of the engine's report on a candidate.
    init(_ view: CandidateView) {
        self.init(
            state: view.state, on: view.on, targets: view.targets, line: view.line, guard: view.condition,
            verdict: Verdict(view.verdict), failure: view.failure, reads: view.reads.map(Read.init))
    }

    /// Creates the wire form of a guard that did not let an event pass.
    init(_ finding: GuardFinding, of machine: Machine) {
        let transition = machine[finding.transition]
        self.init(
            state: machine[transition.source].path, on: transition.descriptor ?? "",
            targets: machine.paths(of: transition.targets), line: transition.line, guard: finding.expression,
            verdict: finding.failure == nil ? .rejected : .failed, failure: finding.failure,
            reads: finding.reads.map(Read.init))
    }
}

extension Candidate.Read {
    /// Creates the wire form of a value that was read.
    init(_ read: ValueRead) {
        self.init(expression: read.text, value: read.value.map { JSONText($0) })
    }
}

extension Candidate.Verdict {
    init(_ verdict: CandidateFinding.Verdict) {
        self =
            switch verdict {
            case .taken: .taken
            case .preempted: .preempted
            case .rejected: .rejected
            case .failed: .failed
            case .notAsked: .notAsked
            }
    }
}
