import Foundation
import Logging
import Statechart
import WorkflowStore

/// The one thread that owns the store's writing side: takes what waits, applies it in order in memory, writes it in one
/// transaction, and answers only then.
final class Writer {
    private let store: any StoreWriter
    private let queue: CommandQueue
    private let library: MachineLibrary
    private let feed: CommitFeed
    private let clock: any WallClock
    private let limits: EngineLimits
    private let statistics: BatchStatistics
    private let logger: Logger
    private var cache: GenerationCache<String, LiveInstance>
    private var random = SystemRandomNumberGenerator()

    init(
        store: any StoreWriter, queue: CommandQueue, library: MachineLibrary, feed: CommitFeed, clock: any WallClock,
        limits: EngineLimits, statistics: BatchStatistics, logger: Logger
    ) {
        self.store = store
        self.queue = queue
        self.library = library
        self.feed = feed
        self.clock = clock
        self.limits = limits
        self.statistics = statistics
        self.logger = logger
        cache = GenerationCache(bound: limits.cachedInstanceBytes)
    }

    /// Works until the queue is closed and drained, then closes the store. Throws what must end the daemon; every
    /// command that was taken has been answered by then.
    func run() throws(StoreError) {
        do throws(StoreError) {
            while true {
                var waiting = queue.takeAll()[...]
                if waiting.isEmpty { break }
                while !waiting.isEmpty { try runBatch(&waiting) }
            }
        } catch {
            queue.close(.storageUnavailable("the daemon has stopped writing: \(error.message)"))
            for entry in queue.takeAll() {
                entry.reply?.resume(returning: .failure(.storageUnavailable("the daemon has stopped writing")))
            }
            throw error
        }
        try store.close()
    }

    /// Applies what fits one batch, commits it, answers.
    private func runBatch(_ waiting: inout ArraySlice<CommandQueue.Entry>) throws(StoreError) {
        let taken = waiting
        var builder = makeBuilder()
        var answers: [Result<Answer, Rejection>] = []
        let deadline = ContinuousClock.now + limits.batchApplying
        repeat {
            answers.append(apply(waiting.removeFirst().command, to: &builder))
        } while !waiting.isEmpty && builder.rows < limits.batchRows && builder.bytes < limits.batchBytes
            && ContinuousClock.now < deadline
        let entries = taken.prefix(answers.count)
        do throws(StoreError) {
            try commit(&builder)
        } catch {
            try recover(entries, from: error, stillWaiting: waiting)
            return
        }
        for (entry, answer) in zip(entries, answers) { entry.reply?.resume(returning: answer) }
        do throws(StoreError) {
            try store.maintain()
        } catch {
            abandon(waiting)
            throw error
        }
    }

    private func makeBuilder() -> BatchBuilder {
        BatchBuilder(store: store, library: library, now: clock.now())
    }

    private func apply(_ command: Command, to builder: inout BatchBuilder) -> Result<Answer, Rejection> {
        builder.apply(command, cached: { cache.value(for: $0, cost: \.size) }, random: &random)
    }

    private func commit(_ builder: inout BatchBuilder) throws(StoreError) {
        let batch = builder.batch()
        if !batch.isEmpty {
            try store.commit(batch)
            statistics.batchCommitted(rows: batch.journal.count)
        }
        for machine in builder.newMachines { library.keep(machine) }
        for (name, instance) in builder.touched {
            cache.insert(instance, for: name, cost: instance.size)
            if instance.hasMoreToDo { queue.proceed(name) }
        }
        feed.committed(builder.changedInstances)
    }

    /// After a commit that failed: what it held is gone from memory too, because only a commit puts it into the cache.
    private func recover(
        _ entries: ArraySlice<CommandQueue.Entry>, from error: StoreError,
        stillWaiting: ArraySlice<CommandQueue.Entry>
    ) throws(StoreError) {
        if error.code == .constraint, entries.count > 1 {
            try runEachAlone(entries, stillWaiting: stillWaiting)
            return
        }
        logger.error("a batch was not written", metadata: ["commands": "\(entries.count)", "error": "\(error)"])
        for entry in entries { entry.reply?.resume(returning: .failure(Rejection(error))) }
        switch error.code {
        case .unavailable, .constraint: return
        default:
            abandon(stillWaiting)
            throw error
        }
    }

    /// Gives each command of a batch a transaction of its own, so that only the one that is to blame fails.
    private func runEachAlone(
        _ entries: ArraySlice<CommandQueue.Entry>, stillWaiting: ArraySlice<CommandQueue.Entry>
    ) throws(StoreError) {
        var rest = entries
        do throws(StoreError) {
            while let entry = rest.popFirst() {
                var alone = [entry][...]
                try runBatch(&alone)
            }
        } catch {
            abandon(rest)
            abandon(stillWaiting)
            throw error
        }
    }

    /// Answers commands that were taken from the queue but never applied.
    private func abandon(_ entries: ArraySlice<CommandQueue.Entry>) {
        for entry in entries {
            entry.reply?.resume(returning: .failure(.storageUnavailable("the daemon has stopped writing")))
        }
    }
}
