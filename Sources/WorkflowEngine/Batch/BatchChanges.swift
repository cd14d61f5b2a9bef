import Statechart
import WorkflowStore

/// The changes of a batch, except its instances, which are in the `WorkingSet`. Later commands look the changes up here
/// until the batch is on disk.
struct BatchChanges {
    var machines: [LoadedMachine] = []
    var journal: [JournalRecord] = []
    var snapshots: [SnapshotRecord] = []
    /// The rows for which request keys were used.
    var keys: [KeyPlace: Position] = [:]
    var effects: [Position: EffectChange] = [:]
    /// Effects that became ready, by queue. A later change may have followed.
    var readied: [String: [Position]] = [:]
    var attempts: [AttemptRecord] = []
    /// Settings of queues, by name.
    var queues: [String: QueueRecord] = [:]
    /// True holds all effects from now on, and false releases them; `nil` if no command changed the hold.
    var hold: Bool?
    /// Settings of machines.
    var settings: [MachineKey: MachineSetting] = [:]
    /// Bulk runs that begin or change. The value is `nil` for a run that is forgotten.
    var runs: [BulkKey: BulkRecord?] = [:]
    /// The instances that new runs name.
    var runNames: [BulkKey: [InstanceName]] = [:]
    /// Instances whose effects must no longer start.
    var suspended: Set<InstanceID> = []
    /// The audit rows of deleted instances.
    var purged: [AuditRecord] = []
    /// The records of changes that belong to no instance's history.
    var recorded: [ChangeRecord] = []
    /// The names of deleted instances.
    var freed: Set<InstanceKey> = []
    var erasure = BatchErasure()
    /// New salts of rows.
    var rewritten: [Position: RowSalt] = [:]
    /// Instances with a new name.
    var renamed: [InstanceID: RenamedInstance] = [:]

    /// The number of rows to write; instances are not counted.
    var rows: Int {
        journal.count + machines.count + effects.count + attempts.count + queues.count + settings.count + purged.count
            + recorded.count + erasure.rows.count + erasure.salts.count + runs.count
    }

    /// Adds data to erase.
    mutating func add(_ more: BatchErasure) {
        erasure.add(more)
        for (position, salt) in more.salts { rewritten[position] = .kept(salt) }
        for (position, commitment) in more.rows { rewritten[position] = .redacted(commitment: commitment) }
    }

    /// Adds the changes to a transaction.
    func write(to batch: inout StoreBatch) {
        batch.numbers.last = journal.reduce(batch.numbers.last) { max($0, $1.real ?? $1.at) }
        batch.numbers.last = purged.reduce(batch.numbers.last) { max($0, $1.at) }
        batch.numbers.last = recorded.reduce(batch.numbers.last) { max($0, $1.at) }
        batch.machines = machines.map(\.record)
        batch.journal = journal
        batch.snapshots = snapshots
        batch.suspended = suspended
        batch.changedSettings = Array(settings.values)
        batch.changedQueues = queues.values.sorted { $0.name < $1.name }
        batch.isHeld = hold
        batch.purged = purged
        batch.changes = recorded
        batch.erasure = erasure
        batch.keys = keys.map { KeyRecord(key: $0.key.key, scope: $0.key.scope, position: $0.value) }
        batch.attempts = attempts
        batch.runNames = runNames
        if !effects.isEmpty { writeEffects(to: &batch) }
        if runs.isEmpty { return }
        for (key, run) in runs.sorted(by: { $0.key < $1.key }) {
            if let run { batch.changedRuns.append(run) } else { batch.forgottenRuns.append(key) }
        }
    }

    private func writeEffects(to batch: inout StoreBatch) {
        for (id, change) in effects.sorted(by: { $0.key < $1.key }) {
            switch change.record {
            case let record? where change.isNew: batch.newEffects.append(record)
            case let record?: batch.changedEffects.append(record)
            case nil where !change.isNew: batch.endedEffects.append(id)
            case nil: break
            }
        }
    }
}

/// A batch's change of an effect.
struct EffectChange: Sendable {
    /// The effect after the change; `nil` if it has ended.
    var record: EffectRecord?
    /// True if the effect began in the batch.
    let isNew: Bool
}

/// The names of a renamed instance.
struct RenamedInstance {
    let old: InstanceKey
    let new: InstanceKey
}

/// A request key within its scope.
struct KeyPlace: Hashable {
    let key: RequestKey
    let scope: KeyScope
}
