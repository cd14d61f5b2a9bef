import Drawing
import Statechart
import Synchronization
import WorkflowAPI

/// Keeps the machines that pages showed last, read and laid out: the same definition always gives the same.
///
/// A version's definition never changes, but its number may come to mean another after a restore. So what is kept is
/// found by the digest of its source.
final class DrawnMachines: Sendable {
    /// A machine with the places of its states and transitions.
    struct Drawn: Sendable {
        let machine: Machine
        /// The drawing; `nil` for a machine that is too large for one.
        let scene: Scene?
    }

    private struct Key: Hashable {
        let digest: String
        let semantics: Int64
    }

    /// The machines by age: a machine of the older half that is shown again is young again.
    private struct Kept {
        var young: [Key: (drawn: Drawn, bytes: Int)] = [:]
        var old: [Key: (drawn: Drawn, bytes: Int)] = [:]
        var youngBytes = 0
    }

    /// The machines of all pages.
    static let shared = DrawnMachines(bound: 256 << 10)

    /// The most states of a machine that is drawn.
    private static let drawnStates = 300

    private let bound: Int
    private let kept = Mutex(Kept())

    /// - Parameter bound: The most bytes of source of all machines that are kept. In memory each is some times larger.
    init(bound: Int) {
        self.bound = bound
    }

    /// The number of machines that are kept.
    var count: Int { kept.withLock { $0.young.count + $0.old.count } }

    /// Returns a version of a machine; `nil` if its definition cannot be read.
    func machine(_ summary: MachineSummary) -> Drawn? {
        guard let source = summary.source, let semantics = Semantics(rawValue: summary.semantics) else { return nil }
        let key = Key(digest: summary.digest, semantics: summary.semantics)
        if let drawn = find(key) { return drawn }
        // Outside of the lock: two pages may do the same work, and neither waits for another machine.
        guard let machine = try? DefinitionReader.read(stored: source, semantics: semantics).machine else { return nil }
        let isDrawn = machine.states.count <= Self.drawnStates
        let drawn = Drawn(machine: machine, scene: isDrawn ? try? Scene(of: machine) : nil)
        keep(drawn, of: source.utf8.count, as: key)
        return drawn
    }

    private func find(_ key: Key) -> Drawn? {
        kept.withLock { kept in
            if let found = kept.young[key] { return found.drawn }
            guard let found = kept.old.removeValue(forKey: key) else { return nil }
            insert(found, key, &kept)
            return found.drawn
        }
    }

    private func keep(_ drawn: Drawn, of bytes: Int, as key: Key) {
        guard bytes <= bound / 2 else { return }
        kept.withLock { kept in
            if kept.young[key] == nil { insert((drawn, bytes), key, &kept) }
        }
    }

    /// Inserts a machine; when the young ones fill their half, they grow old, and those that were old are dropped.
    private func insert(_ new: (drawn: Drawn, bytes: Int), _ key: Key, _ kept: inout Kept) {
        if kept.youngBytes + new.bytes > bound / 2 { kept = Kept(old: kept.young) }
        kept.young[key] = new
        kept.youngBytes += new.bytes
    }
}
