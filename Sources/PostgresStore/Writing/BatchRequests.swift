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
    private var newEffects: [Position: EffectRecord] = [:]
    private var changedEffects: [Position: EffectRecord] = [:]
    private var endedEffects: [Position] = []
    private var attempts: [AttemptKey: AttemptRecord] = [:]
    private var queues: [String: QueueRecord] = [:]
    private var settings: [MachineKey: MachineSetting] = [:]
    private var isHeld: Bool?
    private var changes: [ChangeRecord] = []

    /// The key of an attempt.
    private struct AttemptKey: Hashable {
        let effect: Position
        let attempt: Int64
    }

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
            addEffects(of: batch)
            for queue in batch.changedQueues { queues[queue.name] = queue }
            for setting in batch.changedSettings { settings[setting.key] = setting }
            isHeld = batch.isHeld ?? isHeld
            changes += batch.changes
        }
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
            EffectRecord.delete(endedEffects),
            EffectRecord.columns.insert(newEffects.values.sorted { $0.id < $1.id }),
            EffectRecord.columns.update(changedEffects.values.sorted { $0.id < $1.id }, key: "id"),
            ChangeRecord.columns.insert(changes),
            isHeld.map { isHeld in Request(HeldColumn.write) { $0.add(isHeld) } },
        ]
        let ordered = attempts.values.sorted { ($0.effect, $0.attempt) < ($1.effect, $1.attempt) }
        return requests.compactMap(\.self) + AttemptRecord.write(ordered) + settingRequests
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

extension StoreBatch {
    /// The parts of the batch that the store on PostgreSQL cannot write yet.
    var unwritable: [String] {
        let parts = [
            ("erasures", erasure.isEmpty),
            ("runs", changedRuns.isEmpty && runNames.isEmpty && forgottenRuns.isEmpty),
            ("deletions", purged.isEmpty && sweep == nil),
        ]
        return parts.filter { !$0.1 }.map(\.0)
    }
}
