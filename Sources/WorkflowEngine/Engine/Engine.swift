package import Logging
import ServiceLifecycle
import Statechart
import Synchronization
import WorkflowJSON
package import WorkflowStore
package import WorkflowThreads

/// The engine: commands go through one writer, and reads go directly to the store.
///
/// Commands are answered only while `run()` is running. `run()` returns after a graceful shutdown, when every accepted
/// command is on disk and the store is closed. `run()` throws if the store may no longer be written to.
package final class Engine: Service {
    package let store: any WorkflowStore
    /// Statistics of the batches that the writer has committed since the engine began.
    package let statistics = BatchStatistics()
    /// The metrics since the engine began.
    package let metrics = EngineMetrics()
    /// Notifies callers of new history.
    package let feed: CommitFeed

    let limits: EngineLimits
    let library: MachineLibrary
    /// Instances as they were after an answer that was given again.
    let pastInstances: Mutex<GenerationCache<InstanceID, PastInstance>>
    /// The backups; `nil` if the store makes none.
    let backups: BackupCoordinator?
    let queue: CommandRouter
    /// The commands that wait for several lanes.
    let meetings: MeetingRoom
    let queueWatch: QueueWatch
    /// The workers that ask for tasks.
    let workers: WorkerWatch
    /// The queues that definitions name.
    let catalog = QueueCatalog()
    /// The ages of states, as of the last look.
    let ages: StateAges
    /// The statistics of machines that were asked for last.
    let book: StatisticsBook
    /// Keeps the times of the last backup and verification.
    let upkeep: UpkeepKeeper
    /// Carries out bulk runs.
    let bulk: BulkRunner
    /// The runners of effects. The engine does not run them: they end before the engine, so that their outcomes are
    /// still written.
    package let runners: [EffectRunner]
    /// The settings of queues, and whether effects are held.
    package let queueBoard: QueueBoard
    private let clock: any WallClock
    /// The observers of commits, in the order in which they are notified.
    private let observers: [any CommitObserver]
    let logger: Logger
    /// Logs problems for the operator.
    package let log: OperatorLog
    /// The watch over unfinished erasures; `nil` if this engine does not complete them by itself.
    let erasures: ErasureWatch?
    private let health = Mutex(Health.starting)
    /// The right to write to the store; `nil` for a store that one daemon alone can serve.
    private let ownership: (any Ownership)?
    /// The moment at which the lanes begin.
    private let beginning: Moment
    /// The health of each lane, in the order of partitions.
    private let writeHealth: [WriteHealth]
    let placement: Placement
    let purging = PurgeWatch()
    let retention: RetentionWatch

    /// The engine's ability to work.
    package enum Health: Sendable, Equatable {
        case starting
        /// Another daemon owns the store; this one waits to take its place.
        case standby
        case ready
        case draining
        /// Reads work, and writes may work again. Has the reason why the last write failed.
        case storageUnavailable(String)
        /// Reads work, and writes do not. Has the reason.
        case readOnly(String)
        /// Like `readOnly`, but the database is not what was written, so waiting does not help.
        case damaged(String)
    }

    /// - Parameters:
    ///   - executors: Carry out the effects of the daemon itself; effects that none of them serves wait.
    ///   - answering: Calls its argument, which answers all commands of one transaction; called on the writing threads.
    ///   - threads: The threads that compile stored machine versions that are not in use yet.
    ///   - observers: Notified after each commit, once its callers are answered.
    ///   - ownership: The right to write to the store; `nil` for a store that one daemon alone can serve.
    ///   - resumesErasures: False for an engine that only serves a call of `resumeErasures()`. Such an engine completes
    ///     no erasure by itself, because both would begin the same erasure twice, and carries out no bulk runs and no
    ///     retention.
    package init(
        store: any WorkflowStore, clock: any WallClock = SystemClock(), limits: EngineLimits = EngineLimits(),
        executors: [any EffectExecutor] = [], answering: @escaping @Sendable (() -> Void) -> Void = { $0() },
        compiling threads: BackgroundThreads = .compiling,
        observers: [any CommitObserver] = [], ownership: (any Ownership)? = nil, resumesErasures: Bool = true,
        logger: Logger
    ) {
        self.ownership = ownership
        let beginning = Moment()
        self.beginning = beginning
        erasures = resumesErasures ? ErasureWatch() : nil
        self.store = store
        self.clock = clock
        var limits = limits
        // Callers' keys have real times.
        if clock is VirtualClock { limits.keyAge = nil }
        self.limits = limits
        self.logger = logger
        writeHealth = store.partitions.map { [limits] _ in WriteHealth(patience: limits.writerPatience) }
        log = OperatorLog(logger, lines: limits.logLines)
        retention = RetentionWatch(clock)
        library = MachineLibrary(limits: limits, compiling: threads)
        pastInstances = Mutex(GenerationCache(bound: limits.pastInstanceBytes))
        feed = CommitFeed(limits: limits, partitions: store.partitions.count)
        queueWatch = QueueWatch(limits: limits)
        workers = WorkerWatch(bound: limits.watchedWorkers)
        ages = StateAges()
        book = StatisticsBook(bound: limits.statistics.sheets)
        upkeep = UpkeepKeeper(store.upkeep)
        let counts = store.partitions.count > 1 ? LeaseCounts { [queueWatch] in queueWatch.tell($0) } : nil
        let board = QueueBoard(limits: limits, holdReason: store.holdReason, counts: counts)
        queueBoard = board
        placement = Placement(partitions: store.partitions.count)
        let ofLane = limits.divided(among: store.partitions.count)
        let queue = CommandRouter(store.partitions.map { _ in CommandQueue(limits: ofLane) }, placement: placement)
        self.queue = queue
        meetings = MeetingRoom(limits: limits)
        bulk = BulkRunner(store: store, queue: queue, limits: limits, log: log)
        runners = executors.map { [limits, writeHealth, metrics, log] executor in
            EffectRunner(
                executor, store: store, queue: queue, board: board, clock: clock, limits: limits, health: writeHealth,
                beginning: beginning, ownership: ownership, metrics: metrics, log: log)
        }
        // The runners come before the answers, so that a caller who ends an effect finds it ended.
        self.observers =
            [statistics, metrics, library, catalog, board, feed, queueWatch]
            + [counts].compactMap { $0 as (any CommitObserver)? } + runners + [
                CommandAnswers(answering: answering), log,
            ]
            + observers
        backups = store.backups.map { [upkeep] backups in
            BackupCoordinator(backups, limits: limits) {
                let now = clock.now()
                upkeep.change { $0.backup = now }
            } wake: {
                queue.wake()
            }
        }
    }

    /// The engine's current health.
    package var currentHealth: Health {
        let health = health.withLock { $0 }
        guard health == .ready else { return health }
        if let seconds = writeHealth.standstill {
            return .storageUnavailable("the writer has been busy with one thing for \(seconds) s")
        }
        return writeHealth.reason.map { .storageUnavailable($0) } ?? health
    }

    package func run() async throws {
        if let ownership, try await !begins(ownership) { return }
        beginning.come()
        // The count is cancelled with the engine, so that an immediate stop does not wait for it.
        async let _ = tellFailedInstances(before: clock.now())
        async let _ = endErasures()
        let lanes = beginLanes()
        // The log's task is cancelled when this function returns, and then logs what is left.
        async let _ = log.run()
        health.withLock { if $0 != .draining { $0 = .ready } }
        async let _ = tellServing()
        defer {
            feed.close()
            bulk.close()
            retention.close()
            queueWatch.close()
            queueBoard.close()
        }
        async let keeping: Void? = backups?.run()
        async let noting: Void = upkeep.run(log)
        // The search is cancelled when this function returns, because only callers of a running engine use it.
        async let _ = keepAges()
        // The task is cancelled when this function returns; the store has the runs that have begun.
        async let _ = carryOutRuns()
        // The task is cancelled in the same way; the next start goes on with the retention.
        async let _ = keepRetention()
        let ending = await withGracefulShutdownHandler {
            await ended(lanes)
        } onGracefulShutdown: {
            self.beginDraining()
        }
        backups?.close(ending.map(Rejection.stopped(by:)) ?? .draining)
        _ = await keeping
        upkeep.close()
        await noting
        guard let error = ending else { return }
        health.withLock { $0 = error.code == .corrupt ? .damaged(error.message) : .readOnly(error.message) }
        guard error.code == .corrupt else { throw error }
        logger.critical("the database is corrupt; only reading goes on", metadata: ["error": "\(error)"])
        try await gracefulShutdown()
    }

    /// Waits until this daemon owns the store; returns false if it drains before.
    private func begins(_ ownership: any Ownership) async throws -> Bool {
        health.withLock { $0 = .standby }
        do {
            try await cancelWhenGracefulShutdown { try await ownership.begin() }
            return true
        } catch {
            guard error is CancellationError || Task.isShuttingDownGracefully else { throw error }
            beginDraining()
            queue.abandon(with: .draining)
            return false
        }
    }

    private func tellServing() async {
        guard let ownership else { return }
        await beat()
        if currentHealth == .ready { ownership.serves() }
    }

    /// True once the lanes have begun.
    package var hasBegun: Bool { beginning.hasCome }

    /// Begins a lane for each partition.
    private func beginLanes() -> [LaneThread] {
        let opening = SettingsOpening()
        return store.partitions.enumerated().map { place, partition in
            LaneThread(
                store: store, observers: observers,
                parts: LaneParts(
                    partition: partition, placement: placement, queue: queue.queues[place], opening: opening,
                    library: library, board: queueBoard, watch: queueWatch, runners: runners, clock: clock,
                    limits: limits.divided(among: store.partitions.count), statistics: statistics,
                    health: writeHealth[place], purging: purging,
                    backups: partition == .first && store.backups?.exporting == nil ? backups : nil,
                    log: log, logger: logger))
        }
    }

    /// Waits until all lanes have ended. If one fails, the others end too, unless another owner has taken its
    /// partition. Returns the first error that ends the daemon; `nil` after a clean end.
    private func ended(_ lanes: [LaneThread]) async -> StoreError? {
        await withTaskGroup { group in
            for lane in lanes { group.addTask { await lane.ended() } }
            var ending: StoreError?
            var fenced = 0
            for await case .some(let error) in group {
                if error.code == .fenced {
                    fenced += 1
                    if fenced < lanes.count {
                        logger.warning("a lane has ended", metadata: ["error": "\(error)"])
                        continue
                    }
                }
                ending = ending ?? error
                queue.close(.stopped(by: error))
            }
            return ending
        }
    }

    private func carryOutRuns() async {
        if erasures != nil { await bulk.run(for: self) }
    }

    /// Logs at start the number of failed instances, which wait for an operator. An instance that fails later has its
    /// own line.
    private func tellFailedInstances(before start: Timestamp) async {
        do {
            let bound = limits.countedFailures
            let count = try await failedInstances(before: start, atMost: bound + 1)
            guard count > 0 else { return }
            logger.warning(
                "failed instances",
                metadata: [
                    "count": count > bound ? "more than \(bound)" : "\(count)",
                    "list": "wfctl list --status failed",
                ])
        } catch {
            // A store that was closed meanwhile is not worth a warning.
            if error.code == .closed || Task.isCancelled { return }
            logger.warning("failed instances could not be counted", metadata: ["error": "\(error)"])
        }
    }

    private func failedInstances(before start: Timestamp, atMost bound: Int) async throws(StoreError) -> Int {
        var query = InstanceQuery(statuses: [.failed], limit: 500)
        var count = 0
        repeat {
            let page = try await store.instances(query, in: .default)
            count += page.instances.count { $0.updated < start }
            query.after = page.next
        } while query.after != nil && count < bound && !Task.isCancelled
        return count
    }

    private func beginDraining() {
        health.withLock { $0 = .draining }
        bulk.close()
        retention.close()
        backups?.close(.draining)
        queue.close(.draining)
    }
}

// MARK: The clock

extension Engine {
    /// The current time for the instances.
    package var now: Timestamp { clock.now() }

    /// True if the clock moves only when a caller moves it.
    package var isClockVirtual: Bool { clock is VirtualClock }

    /// Moves a virtual clock forward. Every timer on the way fires at its own time, a bounded number in one call. The
    /// clock stops while the daemon carries out an effect, and goes on when the effect has ended.
    ///
    /// - Parameter stoppingAtTasks: True to stop the clock while a worker could have a task, or has one.
    package func moveClock(
        to time: Timestamp, stoppingAtTasks: Bool = false, by caller: Caller
    ) async throws(Rejection) -> ClockMove {
        log.asked("move the clock", by: caller)
        // Delays reach a hundred years beyond the clock, and a written year has four digits.
        guard isClockVirtual else { throw .realClock }
        guard time >= now, time.rawValue < Self.endOfTime else {
            throw .invalidTime("The clock goes forward only, and not past the year 9000")
        }
        defer { queueWatch.tellAll() }
        var fired = 0
        // The move is recorded once, however often it goes on.
        var recorded: Caller? = caller
        while true {
            for runner in runners { await runner.settled() }
            let move = try await queue.moveClock(to: time, stoppingAtTasks: stoppingAtTasks, by: recorded)
            recorded = nil
            fired += move.fired
            for runner in runners { runner.look() }
            if move.isStopped { continue }
            // One pass is enough, however many hours have passed, because it deletes all that is old by now.
            await retention.passed(move.now)
            return ClockMove(now: move.now, fired: fired, isDone: move.isDone, tasks: move.tasks)
        }
    }

    /// The time 9000-01-01T00:00:00Z.
    private static let endOfTime: Int64 = 221_845_392_000_000

    /// Makes the writer look at a clock that was moved by hand.
    package func clockWasMoved() {
        queue.wake()
        retention.look()
        for runner in runners { runner.look() }
    }
}
