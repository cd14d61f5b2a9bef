import Statechart
import WorkflowStore

/// A notice for the operator, given once a batch is on disk.
enum Notice: Sendable {
    /// An instance could not take an event that has no waiting caller.
    case failed(InstanceRecord, machine: MachineRecord, RecordedFailure)
    /// Events that are applied all or not at all were refused: their number, and the reason.
    case refused(Int, Rejection)
    /// The settings of a queue were changed.
    case queueSet(QueueRecord)
    /// The settings of a machine were changed.
    case machineSet(MachineSetting, by: Actor?, _ reason: String?)
    /// Effects were held or released.
    case held(Bool, by: Actor?)
    /// An effect waits for an operator: it lacks something, or its attempts are used up.
    case stuck(EffectRecord, of: InstanceName)
    /// Tasks of a queue were leased, each with the milliseconds since it was due. Only counted.
    case leased(queue: String, delays: [Int64])
    /// An attempt at an effect of a queue has ended. Only counted.
    case attempted(queue: String, AttemptEnd)
    /// An instance made too many macrosteps by itself, the last on an event, and was suspended.
    case braked(InstanceRecord, machine: MachineRecord, event: String)
    /// A timer of a machine's instance came too late, and no transition took it. Such timers are counted.
    case skipped(SkippedTimer, event: String, InstanceRecord, machine: MachineRecord, isLast: Bool)
    /// An instance was deleted.
    case deleted(AuditRecord, machine: MachineRecord)
    /// A bulk run begins, or was changed: its verb, and the change in words.
    case run(BulkRecord, verb: String, String)
}

/// The end of an attempt at an effect. The type of a failure is excluded, because workers choose it themselves.
package enum AttemptEnd: String, CaseIterable, Sendable {
    case done, failed
    /// The worker gave no sign of life in time.
    case leaseExpired = "lease-expired"
    /// The attempt ended when its result was no longer expected.
    case late
    /// The daemon did not outlive the attempt.
    case interrupted
}
