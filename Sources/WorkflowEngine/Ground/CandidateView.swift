package import Statechart

/// The outcome of one candidate transition, in words.
package struct CandidateView: Sendable, Equatable {
    /// The path of the source state; empty for the root.
    package let state: String
    /// The descriptor as written.
    package let on: String
    /// The paths of the targets.
    package let targets: [String]
    package let line: Int
    /// The guard as written; `nil` if there is none.
    package let condition: String?
    package let verdict: CandidateFinding.Verdict
    /// The reason why the guard could not be evaluated.
    package let failure: String?
    /// The values that the guard read.
    package let reads: [ValueRead]
}

extension CandidateView {
    /// Describes a finding and its transition.
    ///
    /// - Parameter hasReads: False to leave out the values that the guard read.
    package init(_ finding: CandidateFinding, of machine: Machine, hasReads: Bool = true) {
        let transition = machine[finding.transition]
        self.init(
            state: machine[transition.source].path, on: transition.descriptor ?? "always",
            targets: machine.paths(of: transition.targets), line: transition.line,
            condition: transition.condition?.source, verdict: finding.verdict, failure: finding.failure,
            reads: hasReads ? finding.reads : [])
    }
}
