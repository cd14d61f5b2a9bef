import Foundation
import Logging
import ServiceLifecycle
import Synchronization
import WorkflowEngine
import WorkflowStore

/// A clock that the test sets.
final class PowerClock: WallClock {
    private let time = Mutex<Int64>(1_700_000_000_000)

    func now() -> Timestamp { Timestamp(rawValue: time.withLock { $0 }) }

    func date(of time: Timestamp) -> Date? { nil }

    func advance(_ milliseconds: Int64) {
        time.withLock { $0 += milliseconds }
    }
}

/// An engine in this process, on a store that may fail.
final class EngineHost: Sendable {
    let engine: Engine
    private let group: ServiceGroup
    private let running: Task<Void, any Error>

    /// - Parameter batchRows: The most rows of a batch; a small number lets batches be applied while others are
    ///   committed.
    init(store: any WorkflowStore, clock: any WallClock, batchRows: Int) {
        let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        var limits = EngineLimits()
        // However slow this machine is, a batch is not closed before its time: a seed repeats the batches.
        limits.batchApplying = .seconds(60)
        limits.batchRows = batchRows
        let engine = Engine(store: store, clock: clock, limits: limits, logger: logger)
        let group = ServiceGroup(
            configuration: ServiceGroupConfiguration(
                services: [.init(service: engine)], gracefulShutdownSignals: [], logger: logger))
        self.engine = engine
        self.group = group
        // Awaited by `stop()`; it ends when the group is told to, or when the store fails.
        running = Task { try await group.run() }
    }

    /// Stops the engine and waits for its end; false if it ended with an error.
    func stop() async -> Bool {
        await group.triggerGracefulShutdown()
        do {
            try await running.value
            return true
        } catch {
            return false
        }
    }
}
