package import Statechart

/// What became of one candidate transition, in words.
package struct CandidateView: Sendable, Equatable {
    /// The path of the source state; empty for the root.
    package let state: String
    /// The descriptor as written.
    package let on: String
    /// The paths of the targets.
    package let targets: [String]
    package let line: Int
    /// The guard as written; nil for none.
    package let condition: String?
    package let verdict: CandidateFinding.Verdict
    /// Why the guard could not be evaluated.
    package let failure: String?
    /// What the guard read.
    package let reads: [ValueRead]
}

extension CandidateView {
    /// A finding with its transition told.
    package init(_ finding: CandidateFinding, of machine: Machine) {
        let transition = machine[finding.transition]
        self.init(
            state: machine[transition.source].path, on: transition.descriptor ?? "",
            targets: machine.paths(of: transition.targets), line: transition.line,
            condition: transition.condition?.source, verdict: finding.verdict, failure: finding.failure,
            reads: finding.reads)
    }
}
