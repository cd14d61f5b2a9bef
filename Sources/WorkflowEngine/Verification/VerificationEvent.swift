package import Statechart
package import WorkflowStore

/// What was compared.
package struct VerifiedCounts: Sendable, Equatable {
    package var instances = 0
    /// Journal rows.
    package var events = 0
    package var snapshots = 0
    package var timers = 0
    package var keys = 0
    package var machines = 0
    /// Instances whose digests were checked, but not all of their steps: some were redacted, or taken under rules that
    /// this engine does not know.
    package var chainOnly = 0
    /// All that were found, those beyond the bound of what is told among them.
    package var differences = 0

    package init() {}
}

/// What a verification tells while it runs.
package enum VerificationEvent: Sendable, Equatable {
    case progress(VerificationProgress)
    case inconsistency(Inconsistency)
    /// Rows of an instance whose steps could not be taken again because of what was redacted; their chain holds.
    case gap(instance: InstanceName, seqs: SeqSet)
}

extension VerifiedCounts: CustomStringConvertible {
    /// `2 instances, 17 events, 0 snapshots, 1 timer, 3 keys, 1 machine version: no difference`.
    package var description: String {
        let parts = [
            (instances, "instance"), (events, "event"), (snapshots, "snapshot"), (timers, "timer"), (keys, "key"),
            (machines, "machine version"),
        ].map { count, name in "\(count) \(name)\(count == 1 ? "" : "s")" }
        let things = chainOnly == 1 ? "instance" : "instances"
        let rest = chainOnly == 0 ? "" : " (\(chainOnly) \(things): chain checked, not refolded)"
        let found =
            differences == 0 ? "no difference" : differences == 1 ? "1 difference" : "\(differences) differences"
        return "\(parts.joined(separator: ", "))\(rest): \(found)"
    }
}
