import Foundation
import Logging
import Statechart
import WorkflowStore

/// The one thread that owns the store's writing side: takes what waits, applies it in order in memory, writes it in one
/// transaction, and answers only then.
final class Writer {
    let store: any StoreWriter
    private let queue: CommandQueue
    private let library: MachineLibrary
    private let feed: CommitFeed
    let clock: any WallClock
    let limits: EngineLimits
    private let statistics: BatchStatistics
    private let backups: BackupDesk
    let logger: Logger
    var cache: GenerationCache<String, LiveInstance>
    private var random = SystemRandomNumberGenerator()
    var window: TimerWindow
    /// What the batch under way has entered into the window.
    var entered: [InstanceID: TimerKey] = [:]
    /// Timers wait after a batch of them was not written.
    var timersRest: ContinuousClock.Instant?
    /// After a batch of timers broke a constraint they fire one by one, in batches of their own, until the one to blame
    /// is found or none is due.
    var firesOneByOne = false
    /// Whether the last batch was one timer's own; commands that wait have their turn after it.
    private var firedOne = false
    /// Instances whose timers cannot be fired; a restart tries again.
    var broken: Set<InstanceID> = []

    init(
        store: any StoreWriter, queue: CommandQueue, library: MachineLibrary, feed: CommitFeed, clock: any WallClock,
        limits: EngineLimits, statistics: BatchStatistics, backups: BackupDesk, logger: Logger
    ) {
        self.backups = backups
        self.store = store
        self.queue = queue
        self.library = library
        self.feed = feed
        self.clock = clock
        self.limits = limits
        self.statistics = statistics
        self.logger = logger
        cache = GenerationCache(bound: limits.cachedInstanceBytes)
        window = TimerWindow(bound: limits.nearTimers)
    }

    /// Works until the queue is closed and drained, then closes the store. Throws what must end the daemon; every
    /// command that was taken has been answered by then.
    func run() throws(StoreError) {
        do throws(StoreError) {
            while case .commands(let taken) = queue.takeAll(until: try nextWake()) {
                var waiting = taken[...]
                repeat {
                    try runBatch(&waiting)
                    // More of a backup to copy is no reason to wait for commands.
                    if backups.advance(store) { queue.wake() }
                } while !waiting.isEmpty
            }
        } catch {
            backups.abandon(store)
            queue.close(.storageUnavailable("the daemon has stopped writing: \(error.message)"))
            if case .commands(let rest) = queue.takeAll(until: nil) { abandon(rest[...]) }
            throw error
        }
        backups.abandon(store)
        try store.close()
    }

    /// Fires what is due and applies what fits one batch, commits it, answers.
    private func runBatch(_ waiting: inout ArraySlice<CommandQueue.Entry>, firing: Bool = true) throws(StoreError) {
        if let entry = waiting.first, case .moveClock(let target) = entry.command {
            waiting.removeFirst()
            do throws(StoreError) {
                entry.reply(try moveClock(to: target))
            } catch {
                entry.reply(.failure(Rejection(error)))
                guard error.code == .unavailable || error.code == .constraint else {
                    abandon(waiting)
                    throw error
                }
            }
            return
        }
        let taken = waiting
        var builder = makeBuilder()
        var answers: [Result<Answer, Rejection>] = []
        let begin = ContinuousClock.now
        let isTimersTurn = firing && (waiting.isEmpty || !firedOne)
        let fired = isTimersTurn ? try fireDue(into: &builder, sharing: !waiting.isEmpty, since: begin).fired : []
        firedOne = firesOneByOne && !fired.isEmpty
        while !firedOne, let entry = waiting.first, answers.isEmpty || isOpen(builder, since: begin) {
            if case .moveClock = entry.command { break }
            answers.append(apply(entry.command, to: &builder))
            waiting.removeFirst()
        }
        let entries = taken.prefix(answers.count)
        do throws(StoreError) {
            try commit(&builder)
        } catch {
            forgetTimers()
            try recover(entries, fired: fired, from: error, stillWaiting: waiting)
            return
        }
        for (entry, answer) in zip(entries, answers) { entry.reply(answer) }
        do throws(StoreError) {
            try store.maintain()
        } catch {
            abandon(waiting)
            throw error
        }
    }

    /// Whether there is room and time for more in a batch.
    func isOpen(_ builder: BatchBuilder, since begin: ContinuousClock.Instant, share: Int = 1) -> Bool {
        builder.rows < limits.batchRows / share && builder.bytes < limits.batchBytes / share
            && ContinuousClock.now < begin + limits.batchApplying / share
    }

    func makeBuilder() -> BatchBuilder {
        BatchBuilder(store: store, library: library, now: clock.now(), limits: limits)
    }

    private func apply(_ command: Command, to builder: inout BatchBuilder) -> Result<Answer, Rejection> {
        builder.apply(command, cached: { cache.value(for: $0, cost: \.size) }, random: &random)
    }

    func commit(_ builder: inout BatchBuilder) throws(StoreError) {
        var batch = builder.batch()
        // What a virtual clock shows is in the store only.
        if clock is VirtualClock { batch.numbers.last = max(batch.numbers.last, clock.now()) }
        if !batch.isEmpty {
            batch.retention = KeyRetention(
                oldest: limits.keyAge.map { Timestamp(rawValue: builder.now.rawValue - $0) }, count: limits.keys,
                newest: Timestamp(rawValue: builder.now.rawValue - 60_000), rows: 2 * batch.journal.count + 64)
        }
        if !batch.isEmpty || batch.numbers != store.numbers { try store.commit(batch) }
        if !batch.isEmpty { statistics.batchCommitted(rows: batch.journal.count) }
        for machine in builder.newMachines { library.keep(machine) }
        for (name, instance) in builder.touched {
            cache.insert(instance, for: name, cost: instance.size)
            let id = instance.record.id
            if let key = instance.nextKey, entered[id] != key {
                window.insert(key, of: id, turn: instance.comesAtOnce ? builder.now : nil)
            }
        }
        entered = [:]
        feed.committed(builder.changedInstances)
    }

    /// After a commit that failed: what it held is gone from memory too, because only a commit puts it into the cache.
    private func recover(
        _ entries: ArraySlice<CommandQueue.Entry>, fired: [InstanceID], from error: StoreError,
        stillWaiting: ArraySlice<CommandQueue.Entry>
    ) throws(StoreError) {
        if error.code == .constraint, !fired.isEmpty || entries.count > 1 {
            blame(fired, for: error)
            try runEachAlone(entries, stillWaiting: stillWaiting)
            return
        }
        if entries.isEmpty { timersRest = .now + limits.timerPause }
        logger.error("a batch was not written", metadata: ["commands": "\(entries.count)", "error": "\(error)"])
        for entry in entries { entry.reply(.failure(Rejection(error))) }
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
                try runBatch(&alone, firing: false)
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
            entry.reply(.failure(.storageUnavailable("the daemon has stopped writing")))
        }
    }
}
