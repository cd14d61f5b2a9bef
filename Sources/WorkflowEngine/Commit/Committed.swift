package import WorkflowStore

/// What one transaction has made durable.
package struct Committed: Sendable {
    /// In the order in which they were applied.
    let batches: [SealedBatch]

    /// The rows of the journal, in the order of their positions; none when all that was asked for was refused.
    package var rows: some Sequence<JournalRecord> { batches.lazy.flatMap(\.batch.journal) }

    /// From the first position to the last; nil without rows.
    package var positions: ClosedRange<Position>? {
        guard let first = batches.lazy.compactMap(\.batch.journal.first).first,
            let last = batches.reversed().lazy.compactMap(\.batch.journal.last).first
        else { return nil }
        return first.position...last.position
    }

    /// The instances that it changed, as each batch left them.
    var instances: some Sequence<InstanceRecord> {
        batches.lazy.flatMap { $0.batch.newInstances + $0.batch.changedInstances }
    }

    /// When something comes to the instances that it touched, as far as anything is armed.
    package var pending: some Sequence<TimerHint> { batches.lazy.flatMap(\.pending) }
}

/// When to look at an instance, because something may be due there. It binds nobody: what was armed may have been
/// cancelled since.
package struct TimerHint: Sendable, Equatable {
    package let instance: InstanceID
    package let key: TimerKey
    /// When its turn is, if that is later than when it is due.
    package let turn: Timestamp?
}

/// Learns what has become durable.
package protocol CommitObserver: Sendable {
    /// Called once after each transaction, in their order, by the thread that committed it, and the next commit waits
    /// for it: it does no I/O, waits for nobody, and what it keeps has a bound. It may run on two threads one after the
    /// other.
    func committed(_ committed: Committed)
}

/// Tells callers what became of their commands.
struct CommandAnswers: CommitObserver {
    /// Calls its argument, which answers all that one transaction has made.
    let answering: @Sendable (() -> Void) -> Void

    func committed(_ committed: Committed) {
        answering {
            for batch in committed.batches { for entry in batch.entries { entry.reply() } }
        }
    }
}
