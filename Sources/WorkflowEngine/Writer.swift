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
    private let backups: BackupDesk
    private let logger: Logger
    private var cache: GenerationCache<String, LiveInstance>
    private var random = SystemRandomNumberGenerator()
    private var window: TimerWindow
    /// What the batch under way has entered into the window.
    private var entered: [InstanceID: TimerKey] = [:]
    /// Timers wait after a batch of them was not written.
    private var timersRest: ContinuousClock.Instant?
    /// After a batch of timers broke a constraint they fire one by one, in batches of their own, until the one to blame
    /// is found or none is due.
    private var firesOneByOne = false
    /// Whether the last batch was one timer's own; commands that wait have their turn after it.
    private var firedOne = false
    /// Instances whose timers cannot be fired; a restart tries again.
    private var broken: Set<InstanceID> = []

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
    private func isOpen(_ builder: BatchBuilder, since begin: ContinuousClock.Instant, share: Int = 1) -> Bool {
        builder.rows < limits.batchRows / share && builder.bytes < limits.batchBytes / share
            && ContinuousClock.now < begin + limits.batchApplying / share
    }

    private func makeBuilder() -> BatchBuilder {
        BatchBuilder(store: store, library: library, now: clock.now(), limits: limits)
    }

    private func apply(_ command: Command, to builder: inout BatchBuilder) -> Result<Answer, Rejection> {
        builder.apply(command, cached: { cache.value(for: $0, cost: \.size) }, random: &random)
    }

    private func commit(_ builder: inout BatchBuilder) throws(StoreError) {
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

// MARK: Timers

extension Writer {
    /// When the writer must look again although nobody asks: when the next timer is due, and at least every minute, so
    /// that a clock that was far ahead does no harm. Nil to wait as long as it takes.
    private func nextWake() throws(StoreError) -> Date? {
        if let rest = timersRest, rest > .now {
            return clock.date(after: rest - .now)
        }
        timersRest = nil
        guard let due = try window.nextDue(store) else { return nil }
        let now = clock.now()
        return clock.date(of: min(due, Timestamp(rawValue: now.rawValue + 60_000))) ?? (due <= now ? .distantPast : nil)
    }

    /// Fires what is due, in its order, as long as the batch is open: half of it when commands wait.
    private func fireDue(
        into builder: inout BatchBuilder, sharing: Bool, since begin: ContinuousClock.Instant
    ) throws(StoreError) -> Round {
        var round = Round()
        if let rest = timersRest, rest > .now { return round }
        let bound = firesOneByOne ? 1 : Int.max
        while round.fired.count < bound, isOpen(builder, since: begin, share: sharing ? 2 : 1) {
            guard !mustCommit(builder) else {
                round.isExhausted = true
                break
            }
            guard let (key, id) = try window.popDue(by: builder.now, store) else {
                if round.fired.isEmpty { firesOneByOne = false }
                break
            }
            if broken.contains(id) { continue }
            do throws(Rejection) {
                switch try builder.fire(id, expecting: key, cached: { cache.value(for: $0, cost: \.size) }) {
                case .fired(let next, let turn):
                    round.fired.append(id)
                    entered[id] = next
                    if let next { window.insert(next, of: id, turn: turn) }
                case .nothing: break
                case .exhausted:
                    // It is entered again when the batch is committed.
                    entered[id] = nil
                    round.isExhausted = true
                }
            } catch {
                leaveAlone(id, because: error)
            }
        }
        return round
    }

    /// Whether what has fired must be written before more can fire: the store still has it.
    private func mustCommit(_ builder: BatchBuilder) -> Bool { builder.rows > 0 && window.mustRead }

    /// The timers that fired in a batch.
    private struct Round {
        /// Their instances.
        var fired: [InstanceID] = []
        /// Whether there is more due than one batch takes.
        var isExhausted = false
    }

    /// A batch failed: what it took from the window and entered into it does not hold.
    private func forgetTimers() {
        window.invalidate()
        entered = [:]
    }

    private func leaveAlone(_ id: InstanceID, because error: any Error) {
        broken.insert(id)
        logger.error(
            "the timers of an instance cannot be fired; they wait for a restart",
            metadata: ["instance": "\(id.rawValue)", "error": "\(error)"])
    }

    /// A batch with timers broke a constraint: they are tried one by one, and the one to blame is left alone.
    private func blame(_ fired: [InstanceID], for error: StoreError) {
        guard firesOneByOne, let id = fired.first else {
            firesOneByOne = !fired.isEmpty
            return
        }
        firesOneByOne = false
        leaveAlone(id, because: error)
    }

    /// Moves a virtual clock from timer to timer, so that each fires at its own time.
    private func moveClock(to target: Timestamp) throws(StoreError) -> Result<Answer, Rejection> {
        guard let clock = clock as? VirtualClock else { return .failure(.realClock) }
        var fired = 0
        while fired < limits.clockFirings {
            var builder = makeBuilder()
            let begin = ContinuousClock.now
            var round = Round()
            // An instance that had its share is not overtaken: the batch ends.
            while !round.isExhausted, !mustCommit(builder), isOpen(builder, since: begin),
                let due = try window.nextDue(store), due <= target
            {
                clock.move(to: due)
                builder.now = clock.now()
                round = try fireDue(into: &builder, sharing: false, since: begin)
                fired += round.fired.count
            }
            let isLast = try mustCommit(builder) ? false : window.nextDue(store).map { $0 > target } ?? true
            let isDone = isLast && !round.isExhausted
            if isDone { clock.move(to: target) }
            do throws(StoreError) {
                try commit(&builder)
                try store.maintain()
            } catch {
                forgetTimers()
                throw error
            }
            if isDone, try window.nextDue(store).map({ $0 > target }) ?? true {
                return .success(.clockMoved(ClockMove(now: clock.now(), fired: fired, isDone: true)))
            }
        }
        return .success(.clockMoved(ClockMove(now: clock.now(), fired: fired, isDone: false)))
    }
}
