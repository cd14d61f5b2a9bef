public import Logging
import SQLiteStore
public import ServiceLifecycle
public import StateMachines
import Statechart
import WorkflowEngine
import WorkflowStore

/// A host whose instances are in a SQLite file of this process: the daemon's engine and its guarantees, without HTTP.
///
/// The effect of a call is on disk when the call returns. One process has the file open at a time: `wfd` can open the
/// file after this process has closed it, and the reverse.
public final class FileHost: MachineHost, Service {
    /// The source of the instances' time.
    public enum Time: Sendable {
        /// The machine's clock.
        case real
        /// A clock that stands still until `advance(by:)` moves it. The kind of a file's clock never changes.
        case virtual
    }

    let engine: Engine
    let caller: Caller
    private let group: ServiceGroup
    private let running: Task<Void, any Error>

    private init(engine: Engine, logger: Logger) {
        self.engine = engine
        let program = CommandLine.arguments.first?.split(separator: "/").last ?? "swift"
        caller = Caller(Actor(rawValue: "swift:\(program)"), namespace: .default)
        group = ServiceGroup(
            configuration: .init(
                services: [.init(service: engine, successTerminationBehavior: .gracefullyShutdownGroup)],
                logger: logger))
        running = Task { [group] in try await group.run() }
    }

    /// Opens or creates a file, and starts its writer, which runs until `close()`.
    ///
    /// Throws, and leaves the file untouched, if another process has the file open, another program made it, or it is
    /// damaged.
    @concurrent public static func open(
        _ path: String, time: Time = .real, logger: Logger = Logger(label: "wfd")
    ) async throws(HostError) -> FileHost {
        let now = SystemClock().now()
        let store: SQLiteFileStore
        do {
            store = try await StandingErasures.open(time: \.last, logger: logger) {
                // An hour exceeds every normal correction of a clock.
                let store = try SQLiteFileStore.open(
                    at: path, clock: now, on: time == .real ? .real : .virtual,
                    notAfter: time == .real ? Timestamp(rawValue: now.rawValue + 3_600_000) : nil,
                    upgrade: UpgradeOptions { logger.notice("upgrade", metadata: ["step": "\($0)"]) })
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
        // A host has no call to resume instances that the brake suspends.
        limits.brake = nil
        return FileHost(engine: Engine(store: store, clock: clock, limits: limits, logger: logger), logger: logger)
    }

    /// Closes the file after all accepted calls are on disk, and ends the writer. Later calls are refused (`draining`).
    public func close() async throws(HostError) {
        await group.triggerGracefulShutdown()
        do {
            try await running.value
        } catch {
            throw HostError(code: "storage-unavailable", message: "\(error)")
        }
    }

    /// Runs as a service: waits for the group's shutdown, then closes.
    public func run() async throws {
        try await withGracefulShutdownHandler {
            try await running.value
        } onGracefulShutdown: { [group] in
            Task { await group.triggerGracefulShutdown() }
        }
    }

    /// Advances a virtual time. The timers of all instances fire on the way, each at its own time.
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
