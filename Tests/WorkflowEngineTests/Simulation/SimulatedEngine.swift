import Logging
import SQLiteStore
import ServiceLifecycle
import Synchronization
import WorkflowEngine
import WorkflowStore

/// An engine on a file, which may be left without closing it.
final class SimulatedEngine: Sendable {
    let engine: Engine
    private let store: SQLiteFileStore
    private let group: ServiceGroup
    private let running: Task<Void, any Error>

    /// - Throws: `StoreError` if the file cannot be opened.
    init(at path: String, clock: HandClock) throws {
        // Small bounds: checkpoints of all kinds happen within some steps, and instances are read again and again.
        var bounds = StoreLimits()
        bounds.readers = 1
        bounds.passiveFrames = 20
        bounds.passiveStepFrames = 10
        bounds.restartFrames = 60
        bounds.truncateFrames = 90
        var limits = EngineLimits()
        limits.cachedInstanceBytes = 1
        limits.nearTimers = 2
        limits.timerPause = .milliseconds(1)
        let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        store = try SQLiteFileStore.open(at: path, clock: clock.now(), limits: bounds)
        engine = Engine(store: store, clock: clock, limits: limits, logger: logger)
        let group = ServiceGroup(
            configuration: ServiceGroupConfiguration(
                services: [.init(service: engine)], gracefulShutdownSignals: [], logger: logger))
        self.group = group
        // Awaited by `stop()`; it ends when the group is told to, or when the store fails.
        running = Task { try await group.run() }
    }

    /// Ends the engine, properly if possible, and releases the file.
    func stop() async throws {
        await group.triggerGracefulShutdown()
        do {
            try await running.value
        } catch {
            // The writer is at its end; what it left open would be closed later, at any moment.
            try? store.closeAsItIs()
            throw error
        }
    }
}
