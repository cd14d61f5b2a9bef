package import Logging
import ServiceLifecycle
import Statechart
import Synchronization
import WorkflowJSON
package import WorkflowStore
package import WorkflowThreads

/// The engine: commands go through one writer, reading goes to the store directly.
///
/// `run()` must be running for commands to be answered. It returns after a graceful shutdown, when everything that was
/// accepted is on disk and the store is closed; it throws when the store may not be written to any more.
package final class Engine: Service {
    package let store: any WorkflowStore
    /// What the writer has committed since the engine began.
    package let statistics = BatchStatistics()
    /// What it has counted since then.
    package let metrics = EngineMetrics()
    /// Tells of new history.
    package let feed: CommitFeed

    let limits: EngineLimits
    let library: MachineLibrary
    /// Instances as they were after an answer that was given again.
    let pastInstances: Mutex<GenerationCache<InstanceID, PastInstance>>
    /// Nil where the store makes none.
    let backups: BackupCoordinator?
    let queue: CommandQueue
    let queueWatch: QueueWatch
    /// Which workers ask for tasks.
    let workers: WorkerWatch
    /// The queues that definitions name.
    let catalog = QueueCatalog()
    /// Since when instances are in their states, as it was when somebody last asked.
    let ages: StateAges
    /// Keeps when somebody last took care of the store.
    let upkeep: UpkeepKeeper
    /// Does what is asked of many instances.
    let bulk: BulkRunner
    /// Start effects. The engine does not run them: they end before it, so that what they bring is still written.
    package let runners: [EffectRunner]
    /// What is set for queues, and whether effects are held.
    package let queueBoard: QueueBoard
    private let clock: any WallClock
    /// Of commits, in the order in which they are told.
    private let observers: [any CommitObserver]
    let logger: Logger
    /// Tells the operator what went wrong.
    package let log: OperatorLog
    /// Nil where it does not end by itself what was begun to be erased.
    let erasures: ErasureWatch?
    private let health = Mutex(Health.starting)
    private let writeHealth: WriteHealth
    let purging = PurgeWatch()
    let retention: RetentionWatch

    /// Whether the engine can do its work.
    package enum Health: Sendable, Equatable {
        case starting
        case ready
        case draining
        /// Reading works, and writing may work again; the reason why the last write was not taken.
        case storageUnavailable(String)
        /// Reading works, writing does not; the reason why.
        case readOnly(String)
        /// The same, because the database is not what was written: no waiting helps.
        case damaged(String)
    }

    /// - Parameters:
    ///   - executors: Do what the daemon does itself; what none of them does waits.
    ///   - answering: Calls its argument, which answers all that one transaction has made; on the writing threads.
    ///   - threads: The threads that compile stored machine versions that are not in use yet.
    ///   - observers: Told after each commit, once its callers are answered.
    ///   - resumesErasures: False for an engine that only serves a call of `resumeErasures()`: it goes on with no
    ///     erasure by itself, since both would begin the same twice, and with no run and no retention.
    package init(
        store: any WorkflowStore, clock: any WallClock = SystemClock(), limits: EngineLimits = EngineLimits(),
        executors: [any EffectExecutor] = [], answering: @escaping @Sendable (() -> Void) -> Void = { $0() },
        compiling threads: BackgroundThreads = .compiling,
        observers: [any CommitObserver] = [], resumesErasures: Bool = true,
        logger: Logger
    ) {
        erasures = resumesErasures ? ErasureWatch() : nil
        self.store = store
        self.clock = clock
        var limits = limits
        // Callers' keys have real times.
        if clock is VirtualClock { limits.keyAge = nil }
        self.limits = limits
        self.logger = logger
        writeHealth = WriteHealth(patience: limits.writerPatience)
        log = OperatorLog(logger, lines: limits.logLines)
        retention = RetentionWatch(clock)
        library = MachineLibrary(limits: limits, compiling: threads)
        pastInstances = Mutex(GenerationCache(bound: limits.pastInstanceBytes))
        feed = CommitFeed(limits: limits)
        queueWatch = QueueWatch(limits: limits)
        workers = WorkerWatch(bound: limits.watchedWorkers)
        ages = StateAges()
        upkeep = UpkeepKeeper(store.upkeep)
        let board = QueueBoard(limits: limits, holdReason: store.holdReason)
        queueBoard = board
        let queue = CommandQueue(limits: limits)
        self.queue = queue
        bulk = BulkRunner(store: store, queue: queue, limits: limits, log: log)
        runners = executors.map { [limits, writeHealth, metrics, log] executor in
            EffectRunner(
                executor, queue: queue, board: board, clock: clock, limits: limits, health: writeHealth,
                metrics: metrics, log: log)
        }
        // Before callers are answered: who ends an effect finds it ended.
        self.observers =
            [statistics, metrics, library, catalog, board, feed, queueWatch] + runners + [
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

    /// Whether the engine can do its work now.
    package var currentHealth: Health {
        let health = health.withLock { $0 }
        guard health == .ready else { return health }
        if let seconds = writeHealth.standstill {
            return .storageUnavailable("the writer has been busy with one thing for \(seconds) s")
        }
        return writeHealth.reason.map { .storageUnavailable($0) } ?? health
    }

    package func run() async throws {
        // Cancelled with the engine: whoever stops it at once does not wait for the count.
        async let _ = tellFailedInstances(before: clock.now())
        async let _ = endErasures()
        let lane = LaneThread(
            store: store, observers: observers,
            parts: LaneParts(
                queue: queue, library: library, board: queueBoard, watch: queueWatch, runners: runners, clock: clock,
                limits: limits, statistics: statistics, health: writeHealth, purging: purging, backups: backups,
                log: log, logger: logger))
        // Cancelled when this returns: then it tells what is left.
        async let _ = log.run()
        health.withLock { $0 = .ready }
        defer {
            feed.close()
            bulk.close()
            retention.close()
            queueWatch.close()
            queueBoard.close()
        }
        async let keeping: Void? = backups?.run()
        async let noting: Void = upkeep.run(log)
        // Cancelled when this returns: what it finds is for those who ask meanwhile.
        async let _ = keepAges()
        // Cancelled when this returns; what it has begun is in the store.
        async let _ = carryOutRuns()
        // The same; the next start goes on with it.
        async let _ = keepRetention()
        let ending = await withGracefulShutdownHandler {
            await lane.ended()
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

    private func carryOutRuns() async {
        if erasures != nil { await bulk.run(for: self) }
    }

    /// Tells the operator at the start of instances that wait for one; of those that fail later each has its own line.
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
            // A store that was closed meanwhile is no news.
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
    /// What time it is for the instances.
    package var now: Timestamp { clock.now() }

    /// Whether the clock moves only when it is told to.
    package var isClockVirtual: Bool { clock is VirtualClock }

    /// Moves a virtual clock forward. Every timer on the way fires at its own time, a bounded number for one call. It
    /// stops where the daemon does something itself, and goes on when that has ended.
    ///
    /// - Parameter stoppingAtTasks: True to stop the clock while a worker could have a task, or has one.
    package func moveClock(
        to time: Timestamp, stoppingAtTasks: Bool = false, by caller: Caller
    ) async throws(Rejection) -> ClockMove {
        log.asked("move the clock", by: caller)
        // Delays reach a hundred years further, and times are written with four digits for the year.
        guard isClockVirtual else { throw .realClock }
        guard time >= now, time.rawValue < Self.endOfTime else {
            throw .invalidTime("The clock goes forward only, and not past the year 9000")
        }
        defer { queueWatch.tellAll() }
        var fired = 0
        while true {
            for runner in runners { await runner.settled() }
            let move = try await queue.moveClock(to: time, stoppingAtTasks: stoppingAtTasks)
            fired += move.fired
            for runner in runners { runner.look() }
            if move.isStopped { continue }
            // Once, however many hours have passed: it asks what is old by now.
            await retention.passed(move.now)
            return ClockMove(now: move.now, fired: fired, isDone: move.isDone, tasks: move.tasks)
        }
    }

    /// 9000-01-01T00:00:00Z.
    private static let endOfTime: Int64 = 221_845_392_000_000

    /// Lets the writer look at a clock that was moved by hand.
    package func clockWasMoved() {
        queue.wake()
        retention.look()
        for runner in runners { runner.look() }
    }
}
