import WorkflowStore

/// A batch to which nothing is added any more, and everything that is to be told when it is on disk.
///
/// A class, because it goes from hand to hand.
final class SealedBatch: Sendable {
    /// Rises from batch to batch.
    let number: UInt64
    let batch: StoreBatch
    /// Whether there is anything to write.
    let isWritten: Bool
    /// What later commands are applied on top of.
    let result: UncommittedBatch
    /// When to look at the instances that it read or changed.
    let pending: [TimerHint]
    /// What is told when it is on disk.
    let notices: [Notice]
    /// The instances whose timers fired.
    let fired: [InstanceID]
    /// The commands that were applied; each knows what came of it.
    let entries: Lane.Waiting

    init(
        number: UInt64, batch: StoreBatch, isWritten: Bool, result: UncommittedBatch, pending: [TimerHint],
        notices: [Notice], fired: [InstanceID], entries: Lane.Waiting
    ) {
        self.number = number
        self.batch = batch
        self.isWritten = isWritten
        self.result = result
        self.pending = pending
        self.notices = notices
        self.fired = fired
        self.entries = entries
    }

    /// Whether it has several parts, of which one alone may be to blame.
    var isDivisible: Bool { !fired.isEmpty || entries.count > 1 }
}
