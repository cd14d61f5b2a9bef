import Statechart
import Synchronization
import WorkflowStore

/// Remembers the queues that machine definitions name. A version never changes, so no queue is ever removed.
final class QueueCatalog: Sendable {
    private let queues = Mutex<[MachineKey: Set<String>]>([:])

    /// Returns the known queues of a machine; `nil` before any of its versions was loaded.
    func queues(of machine: MachineKey) -> Set<String>? { queues.withLock { $0[machine] } }

    /// Adds the queues of a machine version.
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
