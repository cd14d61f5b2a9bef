import JSON
package import Logging
import ServiceLifecycle
package import Statechart
import Synchronization
package import WorkflowStore

/// The engine: commands go through one writer, reading goes to the store directly.
///
/// `run()` must be running for commands to be answered. It returns after a graceful shutdown, when everything that was
/// accepted is on disk and the store is closed; it throws when the store may not be written to any more.
package final class Engine: Service {
    /// The number of the rules by which steps are taken now; stored with every machine version.
    package static let semantics: Int64 = 1

    package let store: any WorkflowStore
    /// What the writer has committed since the engine began.
    package let statistics = BatchStatistics()
    /// Tells of new history.
    package let feed: CommitFeed

    let limits: EngineLimits
    let library: MachineLibrary
    /// Instances as they were after an answer that was given again.
    let pastInstances: Mutex<GenerationCache<InstanceID, PastInstance>>
    let backups: BackupDesk
    let queue: CommandQueue
    private let clock: any WallClock
    private let answering: @Sendable (() -> Void) -> Void
    private let logger: Logger
    private let log: EngineLog
    private let health = Mutex(Health.starting)
    private let writeHealth = WriteHealth()

    /// Whether the engine can do its work.
    package enum Health: Sendable, Equatable {
        case starting
        case ready
        case draining
        /// Reading works, and writing may work again; the reason why the last write was not taken.
        case storageUnavailable(String)
        /// Reading works, writing does not; the reason why.
        case readOnly(String)
    }

    /// - Parameter answering: Calls its argument, which answers all that one batch has made; on the writing threads.
    package init(
        store: any WorkflowStore, clock: any WallClock = SystemClock(), limits: EngineLimits = EngineLimits(),
        answering: @escaping @Sendable (() -> Void) -> Void = { $0() }, logger: Logger
    ) {
        self.store = store
        self.answering = answering
        self.clock = clock
        var limits = limits
        // Callers' keys have real times.
        if clock is VirtualClock { limits.keyAge = nil }
        self.limits = limits
        self.logger = logger
        log = EngineLog(logger, lines: limits.logLines)
        library = MachineLibrary(limits: limits)
        pastInstances = Mutex(GenerationCache(bound: limits.pastInstanceBytes))
        feed = CommitFeed(limits: limits)
        let queue = CommandQueue(limits: limits)
        self.queue = queue
        backups = BackupDesk(store: store, limits: limits) { queue.wake() }
    }

    /// Whether the engine can do its work now.
    package var currentHealth: Health {
        let health = health.withLock { $0 }
        guard health == .ready, let reason = writeHealth.reason else { return health }
        return .storageUnavailable(reason)
    }

    package func run() async throws {
        let writer = WriterThread(
            store: store, queue: queue, library: library, feed: feed, clock: clock, limits: limits,
            statistics: statistics, health: writeHealth, backups: backups, answering: answering,
            log: log, logger: logger)
        // Cancelled when this returns: then it tells what is left.
        async let _ = log.run()
        health.withLock { $0 = .ready }
        async let keeping: Void = backups.run()
        let ending = await withGracefulShutdownHandler {
            await writer.ended()
        } onGracefulShutdown: {
            self.beginDraining()
        }
        backups.close()
        await keeping
        guard let error = ending else { return }
        health.withLock { $0 = .readOnly(error.message) }
        guard error.code == .corrupt else { throw error }
        logger.critical("the database is corrupt; only reading goes on", metadata: ["error": "\(error)"])
        try await gracefulShutdown()
    }

    private func beginDraining() {
        health.withLock { $0 = .draining }
        backups.close()
        queue.close(.draining)
    }

    private func submit(_ command: Command) async throws(Rejection) -> Answer {
        try await queue.submit(command).get()
    }
}

// MARK: Commands

extension Engine {
    /// Stores a definition as the next version of its machine, unless it is the latest already.
    package func apply(
        _ source: String, syntax: DefinitionSyntax
    ) async throws(Rejection) -> (AppliedMachine, warnings: [Diagnostic]) {
        let reading: DefinitionReading
        do throws(DefinitionError) {
            reading = try DefinitionReader.read(source, syntax: syntax)
        } catch {
            throw .invalidDefinition(error)
        }
        let answer = try await submit(.apply(ApplyCommand(source: source, machine: reading.machine)))
        guard case .applied(let applied) = answer else { preconditionFailure("an apply is answered as one") }
        return (applied, reading.warnings)
    }

    /// Lets a failed instance go on with the event that it failed on.
    package func retry(_ command: RetryCommand) async throws(Rejection) -> SentEvent {
        guard case .sent(let event) = try await submit(.retry(command)) else {
            preconditionFailure("a retry is answered as one")
        }
        return event
    }

    /// Starts an instance; it is on disk when this returns.
    package func start(_ command: StartCommand) async throws(Rejection) -> InstanceView {
        switch try await submit(.start(command)) {
        case .started(let view): return view
        case .repeated(let position): return try await repeated(command, at: position)
        default: preconditionFailure("a start is answered as one")
        }
    }

    /// Sends an event; what it changed is on disk when this returns.
    package func send(_ command: SendCommand) async throws(Rejection) -> SentEvent {
        try await withCheckedContinuation { caller in begin(command) { caller.resume(returning: $0) } }.get()
    }

    /// Sends an event without a task that waits for it.
    ///
    /// - Parameter answered: Called once with what became of it, on whatever thread knows it: the calling one when
    ///   nothing was begun.
    package func begin(_ command: SendCommand, _ answered: @escaping @Sendable (Result<SentEvent, Rejection>) -> Void) {
        do throws(Rejection) {
            try Self.check(command)
        } catch {
            return answered(.failure(error))
        }
        queue.begin(.send(command)) { answer in
            switch answer {
            case .success(.sent(let event)): answered(.success(event))
            case .failure(let rejection): answered(.failure(rejection))
            case .success(let answer): Task { answered(await self.outcome(answer, of: command)) }
            }
        }
    }

    private func outcome(_ answer: Answer, of command: SendCommand) async -> Result<SentEvent, Rejection> {
        do throws(Rejection) {
            return .success(try await sent(answer, for: command))
        } catch {
            return .failure(error)
        }
    }
}

// MARK: Many events

extension Engine {
    /// Sends events in their order, all or none, in one transaction. `Rejection.together` says which one was not
    /// accepted.
    package func sendTogether(_ commands: [SendCommand]) async throws(Rejection) -> [SentEvent] {
        for (offset, command) in commands.enumerated() {
            do throws(Rejection) {
                try Self.check(command)
            } catch {
                throw .together(offset, error)
            }
        }
        guard case .sentTogether(let answers) = try await submit(.sendTogether(commands)) else {
            preconditionFailure("events together are answered together")
        }
        var events: [SentEvent] = []
        for (offset, answer) in answers.enumerated() {
            do throws(Rejection) {
                events.append(try await sent(answer, for: commands[offset]))
            } catch {
                throw .together(offset, error)
            }
        }
        return events
    }

    static func check(_ command: SendCommand) throws(Rejection) {
        let name = command.event.name
        if EventName.isReserved(name) { throw .reservedEvent(name) }
        guard EventName.isValid(name) else {
            throw .invalidName("'\(name.prefix(40))' is no event name: \(EventName.rule)")
        }
    }

    func sent(_ answer: Answer, for command: SendCommand) async throws(Rejection) -> SentEvent {
        switch answer {
        case .sent(let event): return event
        case .repeated(let position):
            // Folds history: too long for an executor that serves sockets.
            return try await withTaskExecutorPreference(globalConcurrentExecutor) { () async throws(Rejection) in
                try await repeated(command, at: position)
            }
        default: preconditionFailure("a send is answered as one")
        }
    }
}

// MARK: The clock

extension Engine {
    /// What time it is for the instances.
    package var now: Timestamp { clock.now() }

    /// Whether the clock moves only when it is told to.
    package var isClockVirtual: Bool { clock is VirtualClock }

    /// Moves a virtual clock forward. Every timer on the way fires at its own time, a bounded number for one call.
    package func moveClock(to time: Timestamp) async throws(Rejection) -> ClockMove {
        // Delays reach a hundred years further, and times are written with four digits for the year.
        guard isClockVirtual else { throw .realClock }
        guard time >= now, time.rawValue < Self.endOfTime else {
            throw .invalidTime("The clock goes forward only, and not past the year 9000")
        }
        guard case .clockMoved(let move) = try await submit(.moveClock(to: time)) else {
            preconditionFailure("a move of the clock is answered as one")
        }
        return move
    }

    /// 9000-01-01T00:00:00Z.
    private static let endOfTime: Int64 = 221_845_392_000_000

    /// Lets the writer look at a clock that was moved by hand.
    package func clockWasMoved() {
        queue.wake()
    }
}
