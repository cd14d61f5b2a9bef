package import Statechart
package import WorkflowStore

/// The counts of a verification.
package struct VerifiedCounts: Sendable, Equatable {
    package var instances = 0
    /// The number of journal rows.
    package var events = 0
    package var snapshots = 0
    package var timers = 0
    package var keys = 0
    package var machines = 0
    /// The number of instances whose digests were checked, but not all of their steps. Some steps were redacted, or
    /// taken under rules that this engine does not know.
    package var chainOnly = 0
    /// The number of all differences, including those beyond the bound of reported ones.
    package var differences = 0

    package init() {}
}

/// A report from a running verification.
package enum VerificationEvent: Sendable, Equatable {
    case progress(VerificationProgress)
    case inconsistency(Inconsistency)
    /// The rows of an instance whose steps could not be repeated because of a redaction; their chain of digests is
    /// intact.
    case gap(instance: InstanceName, seqs: SeqSet)
}

extension VerifiedCounts: CustomStringConvertible {
    /// The counts as text: `2 instances, 17 events, 0 snapshots, 1 timer, 3 keys, 1 machine version: no difference`.
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
