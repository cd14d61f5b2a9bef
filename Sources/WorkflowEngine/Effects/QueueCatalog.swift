import Statechart
import Synchronization
import WorkflowStore

/// Remembers which queues the definitions of machines name. A version never changes, so nothing is ever taken out.
final class QueueCatalog: Sendable {
    private let queues = Mutex<[MachineKey: Set<String>]>([:])

    /// The queues that are known of a machine; nil before any of its versions was looked at.
    func queues(of machine: MachineKey) -> Set<String>? { queues.withLock { $0[machine] } }

    /// Takes the queues of a version.
    func add(_ loaded: LoadedMachine) {
        let named = Set(loaded.machine.effects.compactMap(\.queue))
        queues.withLock { $0[loaded.record.key, default: []].formUnion(named) }
    }
}

extension QueueCatalog: CommitObserver {
    func committed(_ committed: Committed) {
        for batch in committed.batches { for machine in batch.changes.machines { add(machine) } }
    }
}
