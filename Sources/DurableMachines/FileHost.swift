public import Logging
import SQLiteStore
public import ServiceLifecycle
public import StateMachines
import Statechart
import WorkflowEngine
import WorkflowStore

/// Instances in a SQLite file of this process: the daemon's engine and its promise, without HTTP.
///
/// What a call has answered is on disk. One process has the file at a time; `wfd` opens it when this one has closed it,
/// and the other way round.
public final class FileHost: MachineHost, Service {
    /// Whose time it is for the instances.
    public enum Time: Sendable {
        /// The machine's clock.
        case real
        /// A clock that stands still until `advance(by:)` moves it. A file has one kind for ever.
        case virtual
    }

    let engine: Engine
    let caller: Caller
    private let group: ServiceGroup
    private let running: Task<Void, any Error>

    private init(engine: Engine, logger: Logger) {
        self.engine = engine
        let program = CommandLine.arguments.first?.split(separator: "/").last ?? "swift"
        caller = Caller(Actor(rawValue: "swift:\(program)"), namespace: .default, role: .owner)
        group = ServiceGroup(
            configuration: .init(
                services: [.init(service: engine, successTerminationBehavior: .gracefullyShutdownGroup)],
                logger: logger))
        running = Task { [group] in try await group.run() }
    }

    /// Opens or creates a file, and starts its writer, which lives until `close()`.
    ///
    /// A file that another process has open, that is no file of ours, or that is damaged, is refused and not touched.
    @concurrent public static func open(
        _ path: String, time: Time = .real, logger: Logger = Logger(label: "wfd")
    ) async throws(HostError) -> FileHost {
        let now = SystemClock().now()
        let store: SQLiteFileStore
        do {
            store = try await StandingErasures.open(time: \.last, logger: logger) {
                // An hour is more than clocks are set back in order.
                let store = try SQLiteFileStore.open(
                    at: path, clock: now, on: time == .real ? .real : .virtual,
                    notAfter: time == .real ? Timestamp(rawValue: now.rawValue + 3_600_000) : nil)
                if let broken = store.recovered.logBreak {
                    logger.warning("\(broken)", metadata: ["database": "\(path)"])
                }
                return store
            }
        } catch let error as StoreError {
            throw HostError(code: error.code.rawValue, message: error.message)
        } catch {
            throw HostError(code: "storage-unavailable", message: "\(error)")
        }
        let clock: any WallClock = time == .real ? SystemClock() : VirtualClock(at: store.last)
        var limits = EngineLimits()
        // A host has no word for going on.
        limits.brake = nil
        return FileHost(engine: Engine(store: store, clock: clock, limits: limits, logger: logger), logger: logger)
    }

    /// Ends the writer when all that it took is on disk, and closes the file. What is asked afterwards is refused
    /// (`draining`).
    public func close() async throws(HostError) {
        await group.triggerGracefulShutdown()
        do {
            try await running.value
        } catch {
            throw HostError(code: "storage-unavailable", message: "\(error)")
        }
    }

    /// As a service: waits for the group's shutdown, and closes.
    public func run() async throws {
        try await withGracefulShutdownHandler {
            try await running.value
        } onGracefulShutdown: { [group] in
            Task { await group.triggerGracefulShutdown() }
        }
    }

    /// Lets a virtual time go on; the timers of all instances fire on the way, each at its own time.
    public func advance(by duration: Duration) async throws(HostError) {
        let now = Duration.milliseconds(engine.now.rawValue)
        let target = Timestamp(rawValue: LogicalTime(now + duration).milliseconds)
        do throws(Rejection) {
            while try await !engine.moveClock(to: target, by: caller).isDone {}
        } catch {
            throw HostError(error)
        }
    }
}

extension HostError {
    init(_ rejection: Rejection, key: String? = nil) {
        self.init(code: rejection.code.rawValue, message: rejection.message, key: key)
    }
}
