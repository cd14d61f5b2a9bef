import Statechart
import WorkflowStore

/// The statements that write some batches: one for each table with changes.
///
/// The batches may be of several partitions, and a later one may change what an earlier one wrote.
struct BatchRequests {
    private var machines: [MachineRecord] = []
    private var newInstances: [InstanceRecord] = []
    /// The last states of changed instances, and their order.
    private var changed: [InstanceID: InstanceRecord] = [:]
    private var journal: [JournalRecord] = []
    private var snapshots: [SnapshotRecord] = []
    private var armed: [TimerKey: TimerRecord] = [:]
    private var ended: [TimerKey] = []
    private var keys: [KeyRecord] = []

    init(_ batches: [StoreBatch]) {
        for batch in batches {
            machines += batch.machines
            newInstances += batch.newInstances
            for instance in batch.changedInstances { changed[instance.id] = instance }
            journal += batch.journal
            snapshots += batch.snapshots
            for key in batch.endedTimers where armed.removeValue(forKey: key) == nil { ended.append(key) }
            for timer in batch.armedTimers { armed[timer.key] = timer }
            keys += batch.keys
        }
    }

    /// The requests in the order in which they are carried out. Rows are in the order of their keys, so that indexes
    /// grow in order.
    var all: [Request] {
        let requests = [
            MachineRecord.columns.insert(machines),
            InstanceRecord.columns.insert(newInstances),
            InstanceRecord.update(changed.values.sorted { $0.id < $1.id }),
            JournalRecord.columns.insert(journal),
            SnapshotRecord.columns.insert(snapshots),
            TimerRecord.delete(ended),
            TimerRecord.columns.insert(armed.values.sorted { $0.key < $1.key }),
            KeyRecord.columns.insert(keys),
        ]
        return requests.compactMap(\.self)
    }
}

extension StoreBatch {
    /// The parts of the batch that the store on PostgreSQL cannot write yet.
    var unwritable: [String] {
        let parts = [
            ("effects", newEffects.isEmpty && changedEffects.isEmpty && endedEffects.isEmpty && attempts.isEmpty),
            ("settings", changedQueues.isEmpty && changedSettings.isEmpty && isHeld == nil),
            ("erasures", erasure.isEmpty),
            ("runs", changedRuns.isEmpty && runNames.isEmpty && forgottenRuns.isEmpty),
            ("deletions", purged.isEmpty && sweep == nil),
            ("changes", changes.isEmpty),
            ("the end of keys", retention == nil),
        ]
        return parts.filter { !$0.1 }.map(\.0)
    }
}
