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
    private let queue: CommandQueue
    private let clock: any WallClock
    private let logger: Logger
    private let health = Mutex(Health.starting)

    /// Whether the engine can do its work.
    package enum Health: Sendable, Equatable {
        case starting
        case ready
        case draining
        /// Reading works, writing does not; the reason why.
        case readOnly(String)
    }

    package init(
        store: any WorkflowStore, clock: any WallClock = SystemClock(), limits: EngineLimits = EngineLimits(),
        logger: Logger
    ) {
        self.store = store
        self.clock = clock
        self.limits = limits
        self.logger = logger
        library = MachineLibrary(limits: limits)
        feed = CommitFeed(limits: limits)
        queue = CommandQueue(limits: limits)
    }

    /// Whether the engine can do its work now.
    package var currentHealth: Health { health.withLock { $0 } }

    package func run() async throws {
        let writer = WriterThread(
            store: store, queue: queue, library: library, feed: feed, clock: clock, limits: limits,
            statistics: statistics, logger: logger)
        health.withLock { $0 = .ready }
        async let resumption: Void = resumeSending()
        let ending = await withGracefulShutdownHandler {
            await writer.ended()
        } onGracefulShutdown: {
            self.beginDraining()
        }
        await resumption
        guard let error = ending else { return }
        health.withLock { $0 = .readOnly(error.message) }
        guard error.code == .corrupt else { throw error }
        logger.critical("the database is corrupt; only reading goes on", metadata: ["error": "\(error)"])
        try await gracefulShutdown()
    }

    /// Finds the instances that were stopped while they had more events that they sent to themselves, and lets them go
    /// on. Reads all running instances once, page by page, beside everything else.
    private func resumeSending() async {
        var query = InstanceQuery(status: .running, limit: limits.resumedInstances)
        do throws(StoreError) {
            while currentHealth == .ready {
                let page = try await store.instances(query)
                for record in page.instances where record.state.armed != "[]" { queue.proceed(record.name) }
                guard let next = page.next else { return }
                query.after = next
            }
        } catch {
            logger.warning(
                "instances with events of their own that wait go on only with their next event",
                metadata: ["error": "\(error)"])
        }
    }

    private func beginDraining() {
        health.withLock { $0 = .draining }
        queue.close(.draining)
    }

    private static let timersMissing =
        "delays need timers, which this daemon does not keep yet; 'wfctl simulate' runs the machine on a virtual clock"

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
        let missing = reading.machine.timerLines.map { line in
            Diagnostic(.error, line: line, column: 1, message: Self.timersMissing)
        }
        guard missing.isEmpty else { throw .invalidDefinition(DefinitionError(diagnostics: missing)) }
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
        guard case .started(let view) = try await submit(.start(command)) else {
            preconditionFailure("a start is answered as one")
        }
        return view
    }

    /// Sends an event; what it changed is on disk when this returns.
    package func send(_ command: SendCommand) async throws(Rejection) -> SentEvent {
        let name = command.event.name
        if EventName.isReserved(name) { throw .reservedEvent(name) }
        guard EventName.isValid(name) else {
            throw .invalidName("'\(name.prefix(40))' is no event name: \(EventName.rule)")
        }
        guard case .sent(let event) = try await submit(.send(command)) else {
            preconditionFailure("a send is answered as one")
        }
        return event
    }
}
