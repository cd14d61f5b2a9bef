import Statechart
import WorkflowStore

/// The statements that write some batches: one for each table with changes.
///
/// The batches may be of several partitions, and a later one may change what an earlier one wrote.
struct BatchRequests {
    private var machines: [MachineRecord] = []
    private var newInstances: [InstanceID: InstanceRecord] = [:]
    /// The last states of earlier instances.
    private var changed: [InstanceID: InstanceRecord] = [:]
    /// The instances among them that get another name or another salt.
    private var renamed: Set<InstanceID> = []
    private var journal: [JournalRecord] = []
    private var snapshots: [SnapshotRecord] = []
    private var armed: [TimerKey: TimerRecord] = [:]
    private var ended: [TimerKey] = []
    private var keys: [KeyRecord] = []
    private var newEffects: [Position: EffectRecord] = [:]
    private var changedEffects: [Position: EffectRecord] = [:]
    private var endedEffects: [Position] = []
    private var attempts: [AttemptKey: AttemptRecord] = [:]
    private var queues: [String: QueueRecord] = [:]
    private var settings: [MachineKey: MachineSetting] = [:]
    private var isHeld: Bool?
    private var changes: [ChangeRecord] = []
    private var runs = RunRequests()
    private var purged: [AuditRecord] = []
    private var purges: [PurgeRecord] = []
    private var erasure = BatchErasure()

    /// The key of an attempt.
    private struct AttemptKey: Hashable {
        let effect: Position
        let attempt: Int64
    }

    /// - Throws: `constraint` for a deletion of an instance that is not in its batch.
    init(_ batches: [StoreBatch]) throws(StoreError) {
        for batch in batches {
            machines += batch.machines
            addInstances(of: batch)
            journal += batch.journal
            snapshots += batch.snapshots
            for key in batch.endedTimers where armed.removeValue(forKey: key) == nil { ended.append(key) }
            for timer in batch.armedTimers { armed[timer.key] = timer }
            keys += batch.keys
            addEffects(of: batch)
            for queue in batch.changedQueues { queues[queue.name] = queue }
            for setting in batch.changedSettings { settings[setting.key] = setting }
            isHeld = batch.isHeld ?? isHeld
            changes += batch.changes
            runs.add(batch)
            try addPurges(of: batch)
            erasure.add(batch.erasure)
        }
    }

    private mutating func addInstances(of batch: StoreBatch) {
        for instance in batch.newInstances { newInstances[instance.id] = instance }
        for instance in batch.changedInstances {
            if newInstances[instance.id] != nil {
                newInstances[instance.id] = instance
                continue
            }
            changed[instance.id] = instance
            if instance.status == .purging || batch.erasure.instances.contains(instance.id) {
                renamed.insert(instance.id)
            }
        }
    }

    private mutating func addPurges(of batch: StoreBatch) throws(StoreError) {
        if batch.purged.isEmpty { return }
        var heads: [InstanceID: Position] = [:]
        for instance in batch.newInstances + batch.changedInstances { heads[instance.id] = instance.head }
        for audit in batch.purged {
            guard let head = heads[audit.instanceID] else {
                throw StoreError(.constraint, "Cannot write: an instance that is deleted is not in the batch")
            }
            purges.append(
                PurgeRecord(
                    waits: false, head: head, instanceID: audit.instanceID, seq: Seq(rawValue: audit.rows),
                    audit: audit.position))
        }
        purged += batch.purged
    }

    private mutating func addEffects(of batch: StoreBatch) {
        for id in batch.endedEffects {
            changedEffects[id] = nil
            if newEffects.removeValue(forKey: id) == nil { endedEffects.append(id) }
        }
        for effect in batch.newEffects { newEffects[effect.id] = effect }
        for effect in batch.changedEffects {
            if newEffects[effect.id] != nil {
                newEffects[effect.id] = effect
            } else {
                changedEffects[effect.id] = effect
            }
        }
        for attempt in batch.attempts {
            attempts[AttemptKey(effect: attempt.effect, attempt: attempt.attempt)] = attempt
        }
    }

    /// Returns the requests in the order in which they are carried out. Rows are in the order of their keys, so that
    /// indexes grow in order.
    ///
    /// - Parameter floor: Returns the lowest position of a partition whose key is still remembered.
    func all(floor: (PartitionID) -> Position) -> [Request] {
        let ordered = changed.values.sorted { $0.id < $1.id }
        let requests = [
            MachineRecord.columns.insert(machines),
            // Frees names before new instances get them.
            InstanceRecord.columns.update(ordered.filter { renamed.contains($0.id) }, key: "id"),
            InstanceRecord.columns.insert(newInstances.values.sorted { $0.id < $1.id }),
            InstanceRecord.update(ordered.filter { !renamed.contains($0.id) }),
            JournalRecord.columns.insert(journal),
            SnapshotRecord.columns.insert(snapshots),
            TimerRecord.delete(ended),
            TimerRecord.columns.insert(armed.values.sorted { $0.key < $1.key }),
            KeyRecord.columns.insert(keys),
            EffectRecord.delete(endedEffects),
            EffectRecord.columns.insert(newEffects.values.sorted { $0.id < $1.id }),
            EffectRecord.columns.update(changedEffects.values.sorted { $0.id < $1.id }, key: "id"),
            AuditRecord.columns.insert(purged),
            PurgeRecord.columns.insert(purges),
            ChangeRecord.columns.insert(changes),
            isHeld.map { isHeld in Request(HeldColumn.write) { $0.add(isHeld) } },
        ]
        let attempts = attempts.values.sorted { ($0.effect, $0.attempt) < ($1.effect, $1.attempt) }
        return requests.compactMap(\.self) + AttemptRecord.write(attempts) + settingRequests + runs.all
            + ErasedRows.requests(erasure, floor: floor)
    }

    /// The requests for settings. The standard settings have no row.
    private var settingRequests: [Request] {
        let queues = queues.values.sorted { $0.name < $1.name }
        let settings = settings.values.sorted { $0.key.name.rawValue < $1.key.name.rawValue }
        let requests = [
            QueueRecord.columns.replace(queues.filter { $0.settings != .standard }, key: ["name"]),
            MachineSetting.columns.replace(settings.filter { !$0.isStandard }, key: ["namespace_id", "name"]),
        ]
        let standardQueues = queues.filter { $0.settings == .standard }.map { queue in
            Request(Self.forgetQueue) { $0.add(queue.name) }
        }
        let standardSettings = settings.filter(\.isStandard).map { setting in
            Request(Self.forgetSetting) {
                $0.add(setting.key.namespace.rawValue)
                $0.add(setting.key.name.rawValue)
            }
        }
        return requests.compactMap(\.self) + standardQueues + standardSettings
    }

    private static let forgetQueue = Statement(name: "delete-queue", sql: "DELETE FROM queue WHERE name = $1::text")

    private static let forgetSetting = Statement(
        name: "delete-machine-setting",
        sql: "DELETE FROM machine_setting WHERE namespace_id = $1::bigint AND name = $2::text")
}
