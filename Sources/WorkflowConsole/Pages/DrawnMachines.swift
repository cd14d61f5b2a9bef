import Statechart
import Synchronization
import WorkflowAPI

/// Keeps the machines that pages showed last: the same definition always gives the same drawing.
///
/// A version's definition never changes, but its number may come to mean another after a restore. So what is kept is
/// found by the digest of its source.
final class DrawnMachines: Sendable {
    private struct Key: Hashable {
        let digest: String
        let semantics: Int64
    }

    /// The machines by age: a machine of the older half that is shown again is young again.
    private struct Kept {
        var young: [Key: (machine: DrawnMachine, bytes: Int)] = [:]
        var old: [Key: (machine: DrawnMachine, bytes: Int)] = [:]
        var youngBytes = 0
    }

    /// The machines of all pages.
    static let shared = DrawnMachines(bound: 256 << 10)

    private let bound: Int
    private let kept = Mutex(Kept())

    /// - Parameter bound: The most bytes of source of all machines that are kept. In memory each is some times larger.
    init(bound: Int) {
        self.bound = bound
    }

    /// The number of machines that are kept.
    var count: Int { kept.withLock { $0.young.count + $0.old.count } }

    /// Returns a version of a machine; `nil` if its definition cannot be read.
    func machine(_ summary: MachineSummary) -> DrawnMachine? {
        guard let source = summary.source, let semantics = Semantics(rawValue: summary.semantics) else { return nil }
        let key = Key(digest: summary.digest, semantics: summary.semantics)
        if let found = find(key) { return found }
        guard let machine = try? DefinitionReader.read(stored: source, semantics: semantics).machine else { return nil }
        let bytes = source.utf8.count
        let drawn = DrawnMachine(machine)
        guard bytes <= bound / 2 else { return drawn }
        kept.withLock { insert((drawn, bytes), key, &$0) }
        return drawn
    }

    private func find(_ key: Key) -> DrawnMachine? {
        kept.withLock { kept in
            if let found = kept.young[key] { return found.machine }
            guard let found = kept.old.removeValue(forKey: key) else { return nil }
            insert(found, key, &kept)
            return found.machine
        }
    }

    /// Inserts a machine; when the young ones fill their half, they grow old, and those that were old are dropped.
    private func insert(_ new: (machine: DrawnMachine, bytes: Int), _ key: Key, _ kept: inout Kept) {
        // Another page may have read the same.
        if kept.young[key] != nil { return }
        if kept.youngBytes + new.bytes > bound / 2 { kept = Kept(old: kept.young) }
        kept.young[key] = new
        kept.youngBytes += new.bytes
    }
}
