import Logging
import Synchronization
package import WorkflowStore
import WorkflowThreads

/// Commits batches and notifies the observers.
///
/// `@unchecked Sendable`: the committer calls `commit`, `resolve`, `confirm`, `probe`, `maintain`, `backlog`,
/// `holdsErased` and `logHold` of the store. Only one thread at a time makes these calls and uses `logHolds`: the
/// lane's while nothing is under way, else the `CommitPipeline`'s. Locks guard everything else.
final class BatchCommitter: @unchecked Sendable {
    private let store: any StoreWriter
    private let observers: [any CommitObserver]
    private let health: WriteHealth
    private let purging: PurgeWatch
    private let logger: Logger
    private var logHolds = LogHoldWatch()

    /// - Parameter observers: Notified in this order.
    init(
        store: any StoreWriter, observers: [any CommitObserver], health: WriteHealth, purging: PurgeWatch,
        logger: Logger
    ) {
        self.store = store
        self.purging = purging
        self.observers = observers
        self.health = health
        self.logger = logger
        seeBacklogs()
    }

    private func seeBacklogs() {
        for partition in store.partitions {
            purging.see(store.backlog(in: partition), in: partition, isInLog: store.holdsErased)
        }
    }

    /// Commits batches in one transaction, answers their commands, and returns one ending per batch. If the batches
    /// together break a constraint, each is tried alone, so that the batches before the faulty one succeed.
    func commit(_ sealed: [SealedBatch]) -> [BatchEnding] {
        SharedCores.ofProcess.eventsCame()
        let begin = ContinuousClock.now
        guard let error = write(sealed) else { return tell(sealed, since: begin) }
        guard sealed.count > 1, error.code == .constraint else { return sealed.map { _ in .failed(error) } }
        logger.warning(
            "batches were not written together, and are tried one by one",
            metadata: ["batches": "\(sealed.count)", "error": "\(error)"])
        var endings: [BatchEnding] = []
        for batch in sealed {
            let begin = ContinuousClock.now
            endings += write([batch]).map { [.failed($0)] } ?? tell([batch], since: begin)
            guard case .committed? = endings.last else { break }
        }
        return endings + sealed.dropFirst(endings.count).map { _ in .untried }
    }

    /// Commits the batches of several lanes in one transaction, all or none, and answers their commands. The lanes of
    /// the others wait meanwhile.
    func commitTogether(_ sealed: [SealedBatch]) -> BatchEnding {
        let begin = ContinuousClock.now
        if let error = write(sealed) {
            logger.error(
                "the batches of several partitions were not written",
                metadata: ["batches": "\(sealed.count)", "error": "\(error)"])
            return .failed(error)
        }
        var ending = BatchEnding.committed
        for batch in sealed {
            if case .last(let error)? = tell([batch], since: begin).last { ending = .last(error) }
        }
        return ending
    }

    /// Throws `fenced` if the store has another owner by now.
    func confirm() throws(StoreError) { try store.confirm() }

    /// Writes the batches that have rows, in one transaction, and returns the error if they are not on disk. If no
    /// batch has rows, checks with the store that the answers still hold.
    private func write(_ sealed: [SealedBatch]) -> StoreError? {
        let batches = sealed.filter(\.isWritten).map(\.batch)
        do throws(StoreError) {
            if !batches.isEmpty {
                try known { () throws(StoreError) in try store.commit(batches) }
                for batch in batches {
                    let partition = batch.numbers.partition
                    purging.see(store.backlog(in: partition), in: partition, isInLog: store.holdsErased)
                }
                writingWorks()
            } else if sealed.contains(where: { !$0.entries.isEmpty }) {
                try store.confirm()
            }
            return nil
        } catch {
            if error.code == .unavailable { health.failed(error.message) }
            return error
        }
    }

    /// Calls `write`, and asks the store for the outcome of a commit that ended without an answer.
    private func known(_ write: () throws(StoreError) -> Void) throws(StoreError) {
        do throws(StoreError) {
            try write()
        } catch {
            guard error.code == .outcomeUnknown else { throw error }
            switch store.resolve() {
            case .committed: logger.notice("a commit without an answer is on disk", metadata: ["error": "\(error)"])
            case .notCommitted: throw StoreError(.unavailable, "The commit was not carried out")
            case .unknown: throw error
            }
        }
    }

    /// Notifies the observers of the batches on disk, and then lets the store maintain its files.
    private func tell(_ sealed: [SealedBatch], since begin: ContinuousClock.Instant) -> [BatchEnding] {
        let committed = Committed(batches: sealed, took: .now - begin)
        for observer in observers { observer.committed(committed) }
        var endings: [BatchEnding] = sealed.map { _ in .committed }
        do throws(StoreError) {
            try store.maintain()
            // The log holds no erased data now, so the store may release pages.
            seeBacklogs()
            logHolds.see(store.logHold, at: .now)?.tell(logger)
        } catch {
            endings[endings.count - 1] = .last(error)
        }
        return endings
    }

    /// Tests whether the store accepts writes again, with the same row and flush as for every batch and nothing new.
    func probe() throws(StoreError) {
        do throws(StoreError) {
            try known { () throws(StoreError) in try store.probe() }
        } catch {
            guard error.isUndone else { throw error }
            return health.failed(error.message)
        }
        writingWorks()
    }

    private func writingWorks() {
        if health.succeeded() { logger.notice("the database is written to again") }
    }
}

/// The batches that one transaction made durable.
package struct Committed: Sendable {
    /// The batches in the order in which they were applied.
    let batches: [SealedBatch]
    /// The time that the transaction took.
    let took: Duration

    /// The rows of the journal in the order of their positions; empty if every command was refused.
    package var rows: some Sequence<JournalRecord> { batches.lazy.flatMap(\.batch.journal) }

    /// The range from the first position to the last; `nil` without rows.
    package var positions: ClosedRange<Position>? {
        guard let first = batches.lazy.compactMap(\.batch.journal.first).first,
            let last = batches.reversed().lazy.compactMap(\.batch.journal.last).first
        else { return nil }
        return first.position...last.position
    }

    /// The instances that the transaction changed, as each batch left them.
    var instances: some Sequence<InstanceRecord> {
        batches.lazy.flatMap { $0.batch.newInstances + $0.batch.changedInstances }
    }

    /// The times of the next pending items of the touched instances; an instance with nothing armed has none.
    package var pending: some Sequence<TimerHint> { batches.lazy.flatMap(\.pending) }
}

/// An observer of commits.
package protocol CommitObserver: Sendable {
    /// Handles one transaction. Called once after each transaction, in commit order, by the thread that committed it;
    /// the next commit waits for this call. An implementation does no I/O, waits for nobody, and bounds its memory.
    /// Calls may come from two threads, one after the other.
    func committed(_ committed: Committed)
}

/// Answers callers with the results of their commands.
struct CommandAnswers: CommitObserver {
    /// Calls its argument, which answers all commands of one transaction.
    let answering: @Sendable (() -> Void) -> Void

    func committed(_ committed: Committed) {
        answering {
            for batch in committed.batches { for entry in batch.entries { entry.reply() } }
        }
    }
}

/// Tracks whether the store accepts writes, and how long the writer has been busy with one turn.
final class WriteHealth: Sendable {
    private struct State {
        var reason: String?
        /// The time at which the writer's current turn began; `nil` while the writer waits for work.
        var turn: ContinuousClock.Instant?
    }

    private let state = Mutex(State())
    private let patience: Duration
    private let now: @Sendable () -> ContinuousClock.Instant

    /// - Parameters:
    ///   - patience: The longest time that one turn of the writer may take.
    ///   - now: The time.
    init(patience: Duration, now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }) {
        self.patience = patience
        self.now = now
    }

    /// The reason why the last write failed; `nil` if it succeeded.
    var reason: String? { state.withLock { $0.reason } }

    /// The number of seconds that the current turn has taken; `nil` if the turn is within `patience` or the writer
    /// waits.
    var standstill: Int64? {
        guard let turn = state.withLock({ $0.turn }) else { return nil }
        let time = now() - turn
        return time < patience ? nil : time.components.seconds
    }

    /// Records that the writer begins a turn.
    func turns() {
        let now = now()
        state.withLock { $0.turn = now }
    }

    /// Records that the writer waits for work.
    func rests() { state.withLock { $0.turn = nil } }

    func failed(_ reason: String) { state.withLock { $0.reason = reason } }

    /// Records a successful write. Returns true if the write before it had failed.
    func succeeded() -> Bool {
        state.withLock { state in
            defer { state.reason = nil }
            return state.reason != nil
        }
    }
}

extension [WriteHealth] {
    /// The reason why the last write of a lane failed; `nil` if that of each succeeded.
    var reason: String? { lazy.compactMap(\.reason).first }

    /// The longest time of `standstill`.
    var standstill: Int64? { compactMap(\.standstill).max() }
}

/// A batch to which nothing is added any more, with everything to report once it is on disk.
///
/// A class, because it is passed between threads.
final class SealedBatch: Sendable {
    /// The batch's number, which increases from batch to batch.
    let number: UInt64
    let batch: StoreBatch
    /// True if the batch has anything to write.
    let isWritten: Bool
    let changes: BatchChanges
    /// The times at which to look at the instances that the batch read or changed.
    let pending: [TimerHint]
    /// The notices to send when the batch is on disk.
    let notices: [Notice]
    /// The instances whose timers fired.
    let fired: [InstanceID]
    /// The commands that were applied; each knows its result.
    let entries: QueuedCommands

    init(
        number: UInt64, batch: StoreBatch, isWritten: Bool, changes: BatchChanges, pending: [TimerHint],
        notices: [Notice], fired: [InstanceID], entries: QueuedCommands
    ) {
        self.number = number
        self.batch = batch
        self.isWritten = isWritten
        self.changes = changes
        self.pending = pending
        self.notices = notices
        self.fired = fired
        self.entries = entries
    }

    /// True if the batch has several parts, of which one alone may be faulty.
    var isDivisible: Bool { !fired.isEmpty || entries.count > 1 }
}
