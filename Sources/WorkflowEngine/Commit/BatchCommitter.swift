import Logging
import Synchronization
package import WorkflowStore
import WorkflowThreads

/// Makes batches durable, and tells the observers.
///
/// `@unchecked Sendable`: of the store it uses `commit`, `resolve`, `confirm`, `probe`, `maintain`, `backlog` and
/// `logHold` only, which one thread at a time calls: the lane's while nothing is under way, that of its
/// `CommitPipeline` otherwise. So it is with `logHolds`. All else has locks.
final class BatchCommitter: @unchecked Sendable {
    private let store: any StoreWriter
    private let observers: [any CommitObserver]
    private let health: WriteHealth
    private let purging: PurgeWatch
    private let logger: Logger
    private var logHolds = LogHoldWatch()

    /// - Parameter observers: In the order in which they are told.
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
            purging.see(store.backlog(in: partition), isInLog: store.holdsErased)
        }
    }

    /// Makes batches durable in one transaction and tells who waits; gives an ending for each. Those that break a
    /// constraint together are tried one by one, so that those before the one to blame do not fail with it.
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

    /// Writes what there is to write, in one transaction; gives the error when it is not there. Where there is nothing,
    /// what is told must still hold.
    private func write(_ sealed: [SealedBatch]) -> StoreError? {
        let batches = sealed.filter(\.isWritten).map(\.batch)
        do throws(StoreError) {
            if !batches.isEmpty {
                try known { () throws(StoreError) in try store.commit(batches) }
                for batch in batches {
                    purging.see(store.backlog(in: batch.numbers.partition), isInLog: store.holdsErased)
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

    /// Writes, and finds out what became of it where the store can tell.
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

    /// Tells what is on disk.
    private func tell(_ sealed: [SealedBatch], since begin: ContinuousClock.Instant) -> [BatchEnding] {
        let committed = Committed(batches: sealed, took: .now - begin)
        for observer in observers { observer.committed(committed) }
        var endings: [BatchEnding] = sealed.map { _ in .committed }
        do throws(StoreError) {
            try store.maintain()
            // The log is free of erased data now, so pages may be given back.
            seeBacklogs()
            logHolds.see(store.logHold, at: .now)?.tell(logger)
        } catch {
            endings[endings.count - 1] = .last(error)
        }
        return endings
    }

    /// Tries whether the store can be written to again: the same row and flush as for every batch, and nothing new.
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

/// What one transaction has made durable.
package struct Committed: Sendable {
    /// In the order in which they were applied.
    let batches: [SealedBatch]
    /// How long writing them took.
    let took: Duration

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

/// Knows from the writer if the store takes writes, and since when the writer has been busy with one thing.
final class WriteHealth: Sendable {
    private struct State {
        var reason: String?
        /// When the writer began what it does; nil while it waits for something to do.
        var turn: ContinuousClock.Instant?
    }

    private let state = Mutex(State())
    private let patience: Duration
    private let now: @Sendable () -> ContinuousClock.Instant

    /// - Parameters:
    ///   - patience: How long one turn of the writer may take.
    ///   - now: The time.
    init(patience: Duration, now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }) {
        self.patience = patience
        self.now = now
    }

    /// Why the last write was not taken; nil when it was.
    var reason: String? { state.withLock { $0.reason } }

    /// For how many seconds the writer has not turned; nil while it turns, or has nothing to do.
    var standstill: Int64? {
        guard let turn = state.withLock({ $0.turn }) else { return nil }
        let time = now() - turn
        return time < patience ? nil : time.components.seconds
    }

    /// The writer begins something.
    func turns() {
        let now = now()
        state.withLock { $0.turn = now }
    }

    /// The writer waits for something to do.
    func rests() { state.withLock { $0.turn = nil } }

    func failed(_ reason: String) { state.withLock { $0.reason = reason } }

    /// Whether that is news.
    func succeeded() -> Bool {
        state.withLock { state in
            defer { state.reason = nil }
            return state.reason != nil
        }
    }
}

/// A batch to which nothing is added any more, and everything that is to be told when it is on disk.
///
/// A class, because it goes from hand to hand.
final class SealedBatch: Sendable {
    /// Rises from batch to batch.
    let number: UInt64
    let batch: StoreBatch
    /// Whether there is anything to write.
    let isWritten: Bool
    let changes: BatchChanges
    /// When to look at the instances that it read or changed.
    let pending: [TimerHint]
    /// What is told when it is on disk.
    let notices: [Notice]
    /// The instances whose timers fired.
    let fired: [InstanceID]
    /// The commands that were applied; each knows what came of it.
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

    /// Whether it has several parts, of which one alone may be to blame.
    var isDivisible: Bool { !fired.isEmpty || entries.count > 1 }
}
