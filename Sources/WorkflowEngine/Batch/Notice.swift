import Statechart
import WorkflowStore

/// What an operator is told when a batch is on disk.
enum Notice: Sendable {
    /// An instance could not take an event that nobody waits for.
    case failed(InstanceRecord, machine: MachineRecord, RecordedFailure)
    /// Events that are applied all or not at all were not: how many, and why.
    case refused(Int, Rejection)
    /// Somebody has set something for a queue.
    case set(QueueRecord)
    /// Somebody has set something for a machine.
    case settled(MachineSetting, by: Actor?, _ reason: String?)
    /// Somebody holds effects, or releases them.
    case held(Bool, by: Actor?)
    /// An effect waits for a person: it lacks something, or its attempts are used up.
    case stuck(EffectRecord, of: InstanceName)
    /// Tasks of a queue were handed out: for each, how many milliseconds after it was due. It is counted only.
    case leased(queue: String, delays: [Int64])
    /// An attempt at an effect of a queue has ended. It is counted only.
    case attempted(queue: String, AttemptEnd)
    /// An instance made too many macrosteps by itself, the last on an event, and was suspended.
    case braked(InstanceRecord, machine: MachineRecord, event: String)
    /// A timer of a machine's instance came too late, and no transition took it. Such timers are counted.
    case skipped(SkippedTimer, event: String, InstanceRecord, machine: MachineRecord, isLast: Bool)
    /// Somebody has deleted an instance.
    case deleted(AuditRecord, machine: MachineRecord)
    /// A run over many instances begins, or somebody has changed it: what becomes of it.
    case run(BulkRecord, verb: String, String)
    /// An instance made so many macrosteps by itself within a minute.
    case restless(instance: InstanceName, event: String, macrosteps: Int)
}

/// The end of an attempt at an effect. What kind of failure it was is no part of it: workers name those themselves.
package enum AttemptEnd: String, CaseIterable, Sendable {
    case done, failed
    /// The worker gave no sign of life in time.
    case leaseExpired = "lease-expired"
    /// Nobody waited for it any more.
    case late
    /// The daemon did not outlive it.
    case interrupted
}
