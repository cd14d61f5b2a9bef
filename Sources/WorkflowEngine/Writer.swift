import Foundation
import Logging
import Statechart
import WorkflowStore

/// Owns the store's writing side: takes what waits, applies it in order in memory, writes it in one transaction, and
/// answers only then.
///
/// Its thread applies. It also commits, unless half a batch or more waits already: then another thread commits while
/// this one applies the next batches on top of what is not committed yet, and what was applied meanwhile is committed
/// together. Until a batch is known to be on disk nothing of those behind it is told, refusals included; when it fails,
/// they are thrown away and applied again.
final class Writer {
    /// Commands that were taken from the queue and are not answered.
    typealias Waiting = ArraySlice<CommandQueue.Entry>

    let store: any StoreWriter
    private let queue: CommandQueue
    let library: MachineLibrary
    let feed: CommitFeed
    let clock: any WallClock
    let limits: EngineLimits
    let statistics: BatchStatistics
    let health: WriteHealth
    private let backups: BackupDesk
    let answering: (() -> Void) -> Void
    let log: EngineLog
    let logger: Logger
    let motion: SelfMotion
    /// Which of what waits comes first.
    var order: FairOrder
    private(set) lazy var pipeline = CommitPipeline(together: limits.batchesTogether) { [unowned self] in write($0) }
    /// What was handed to `pipeline` and not taken over since, the oldest first.
    var underWay: ArraySlice<SealedBatch> = []
    /// As of the last sealed batch.
    var numbers: StoreNumbers
    let recent: RecentInstances
    /// Of batches and trials.
    var lastNumber: UInt64 = 0
    /// The last number when recent instances were trimmed.
    var lastTrimmed: UInt64 = 0
    var window: TimerWindow
    /// What the batch that is being applied has entered into the window.
    var entered: [InstanceID: TimerKey] = [:]
    /// Timers wait after a batch of them was not written.
    var timersRest: ContinuousClock.Instant?
    /// After a batch of timers broke a constraint they fire one by one, in batches of their own, until the one to blame
    /// is found or none is due.
    var firesOneByOne = false
    /// Whether the last batch was one timer's own; commands that wait have their turn after it.
    private var firedOne = false
    /// Whether the queue counts commands that stand aside.
    private var isHoldingAside = false
    /// Instances whose timers cannot be fired; a restart tries again.
    var broken: Set<InstanceID> = []

    init(
        store: any StoreWriter, queue: CommandQueue, library: MachineLibrary, feed: CommitFeed, clock: any WallClock,
        limits: EngineLimits, statistics: BatchStatistics, health: WriteHealth, backups: BackupDesk,
        answering: @escaping @Sendable (() -> Void) -> Void, log: EngineLog, logger: Logger
    ) {
        self.backups = backups
        self.answering = answering
        self.store = store
        self.queue = queue
        self.library = library
        self.feed = feed
        self.clock = clock
        self.limits = limits
        self.statistics = statistics
        self.health = health
        self.log = log
        self.logger = logger
        motion = SelfMotion(limits: limits)
        order = FairOrder(limits: limits, isOn: !(clock is VirtualClock))
        numbers = store.numbers
        recent = RecentInstances(bound: limits.cachedInstanceBytes)
        window = TimerWindow(bound: limits.nearTimers)
    }

    /// Works until the queue is closed and drained, then closes the store. Throws what must end the daemon; every
    /// command that was taken has been answered by then.
    func run() throws(StoreError) {
        pipeline.open()
        defer { pipeline.close() }
        var waiting: Waiting = []
        do throws(StoreError) {
            while case .commands(let taken) = queue.takeAll(until: try nextWake()) {
                waiting = taken[...]
                if waiting.isEmpty, health.reason != nil { try probe() }
                repeat {
                    try runBatch(&waiting)
                    // More of a backup to copy is no reason to wait for commands.
                    if underWay.isEmpty, backups.advance(store) { queue.wake() }
                } while !waiting.isEmpty || !order.aside.isEmpty
                // An empty slice would hold all that it was a part of.
                waiting = []
            }
        } catch {
            backups.abandon(store)
            queue.close(.storageUnavailable("the daemon has stopped writing: \(error.message)"))
            waiting += order.takeAll()
            if case .commands(let rest) = queue.takeAll(until: nil) { waiting += rest }
            abandon(waiting)
            throw error
        }
        backups.abandon(store)
        try store.close()
    }

    /// Fires what is due and applies what fits one batch, commits it, answers; what is not answered stays in `waiting`.
    /// Nothing is under way when nothing waits afterwards, or when it throws.
    ///
    /// - Parameter isAlone: Whether it is no more than what waits: no timers, and nothing that comes meanwhile.
    func runBatch(_ waiting: inout Waiting, isAlone: Bool = false) throws(StoreError) {
        let now = clock.now()
        let turn = isAlone ? .all : order.begin(&waiting)
        if !isAlone { holdAside() }
        let isTimersTurn = !isAlone && turn.takesTimers && (waiting.isEmpty || !firedOne)
        if mustSettle(before: waiting.first?.command, firing: isTimersTurn, at: now) {
            guard try settle(&waiting) else { return }
        }
        if case .moveClock(let target)? = waiting.first?.command {
            return try moveClock(to: target, for: waiting.removeFirst())
        }
        var builder = makeBuilder(at: now)
        builder.reserve(min(waiting.count, limits.batchRows))
        let begin = ContinuousClock.now
        let fired = isTimersTurn ? try fireDue(into: &builder, sharing: !waiting.isEmpty, since: begin).fired : []
        firedOne = firesOneByOne && !fired.isEmpty
        let answers = firedOne ? [] : apply(&waiting, to: &builder, isAlone: isAlone, since: begin)
        if !underWay.isEmpty {
            let hasFailed = store.view.hasFailed
            // Before anything waits for the commits: they may wait for the view.
            store.view.release()
            // What could not be read beside the commits is read behind them.
            if hasFailed {
                recent.forgetAll()
                _ = try settle(&waiting)
                return forgetTimers()
            }
        }
        let sealed = seal(&builder, fired: fired, entries: waiting.prefix(answers.count), answers: answers)
        let overlaps = !isAlone && mayOverlap(with: waiting.count - answers.count)
        guard try settle(&waiting, leaving: overlaps ? limits.batchesUnderWay - 1 : 0) else { return }
        waiting.removeFirst(answers.count)
        if overlaps {
            underWay.append(sealed)
            statistics.batchOverlapped()
            pipeline.begin(sealed)
        } else {
            try conclude(sealed, write([sealed])[0], &waiting)
        }
    }

    /// Applies what waits, and what comes meanwhile, as long as it fits the batch; gives the answers to the first of
    /// what waits.
    private func apply(
        _ waiting: inout Waiting, to builder: inout BatchBuilder, isAlone: Bool, since begin: ContinuousClock.Instant
    ) -> [Result<Answer, Rejection>] {
        var answers: [Result<Answer, Rejection>] = []
        answers.reserveCapacity(min(waiting.count, limits.batchRows))
        var costAtLook = builder.cost
        let (burning, inFront) = (order.burning, order.inFront)
        while answers.isEmpty || hasRoom(builder) {
            // Not after every one: a look at the clock costs as much as a part of a small step.
            if !answers.isEmpty, answers.count % 16 == 0 || builder.cost - costAtLook > 1_000 {
                costAtLook = builder.cost
                guard isOpen(builder, since: begin) else { break }
            }
            // What stood aside has a batch of its own.
            if inFront > 0, answers.count == inFront { break }
            if answers.count == waiting.count, !isAlone {
                takeMore(&waiting)
                // What came since the batch began came later than that.
                builder.now = clock.now()
            }
            guard answers.count < waiting.count else { break }
            let entry = waiting[waiting.startIndex + answers.count]
            if entry.command.isClockMove || (entry.command.isLong && !underWay.isEmpty) { break }
            let costBefore = builder.cost
            answers.append(builder.apply(entry.command))
            if builder.cost - costBefore > burning {
                order.burnt(entry.command, builder.cost - costBefore)
                break
            }
        }
        return answers
    }

    /// What stands aside waits still, and takes its room in the queue.
    private func holdAside() {
        if order.isIdle, !isHoldingAside { return }
        isHoldingAside = !order.aside.isEmpty
        queue.hold(order.aside)
    }

    private func takeMore(_ waiting: inout Waiting) {
        let more = order.admit(queue.takeWaiting())
        if waiting.isEmpty { waiting = more } else { waiting += more }
    }

    /// Whether the batches under way must be on disk before the next is applied: what they armed is not in the window,
    /// and what is read beside them may not be read for long.
    private func mustSettle(before command: Command?, firing isTimersTurn: Bool, at now: Timestamp) -> Bool {
        guard !underWay.isEmpty else { return false }
        let firesNow = isTimersTurn && !areTimersResting && window.isDue(by: now)
        return firesNow || command.map { $0.isClockMove || $0.isLong } ?? false
    }

    /// Whether so much waits that the next batch is worth applying while this one is committed. A backup needs the
    /// store between two batches.
    private func mayOverlap(with waiting: Int) -> Bool {
        waiting > 0 && waiting >= limits.batchRows / 2 && !firedOne && !backups.hasWork
    }

    private func moveClock(to target: Timestamp, for entry: CommandQueue.Entry) throws(StoreError) {
        do throws(StoreError) {
            entry.reply(try moveClock(to: target))
        } catch {
            discard()
            entry.reply(.failure(Rejection(error)))
            guard error.isUndone else { throw error }
        }
    }

    /// Whether there is room and time for more in a batch.
    func isOpen(_ builder: BatchBuilder, since begin: ContinuousClock.Instant, share: Int = 1) -> Bool {
        hasRoom(builder, share: share) && ContinuousClock.now < begin + limits.batchApplying / share
    }

    private func hasRoom(_ builder: BatchBuilder, share: Int = 1) -> Bool {
        builder.rows < limits.batchRows / share && builder.bytes < limits.batchBytes / share
    }

    func makeBuilder(at now: Timestamp) -> BatchBuilder {
        BatchBuilder(
            store: underWay.isEmpty ? store : store.view, after: underWay.map(\.result), numbers: numbers,
            library: library, recent: recent, motion: motion, now: now, limits: limits,
            nextNumber: { [self] in
                lastNumber += 1
                return lastNumber
            },
            newID: { now in
                var random = SystemRandomNumberGenerator()
                return UniqueID(at: now, random: &random)
            })
    }

    /// Answers commands that were taken from the queue but never applied.
    func abandon(_ entries: Waiting) {
        for entry in entries {
            entry.reply(.failure(.storageUnavailable("the daemon has stopped writing")))
        }
    }
}
