import Foundation
package import Logging
import ServiceLifecycle
package import WorkflowStore

/// Erases in a store that nobody serves what was erased in the one that it replaces.
package enum StandingErasures {
    /// Begins and ends what waits, at a time that stands still, so that nothing else happens. Closes the store.
    ///
    /// - Parameter time: The last one that the store has.
    package static func carryOut(
        in store: any WorkflowStore, at time: Timestamp, logger: Logger
    ) async throws -> ResumedErasures {
        let engine = Engine(store: store, clock: StandingClock(time: time), resumesErasures: false, logger: logger)
        let group = ServiceGroup(
            configuration: ServiceGroupConfiguration(
                services: [.init(service: engine)], gracefulShutdownSignals: [], logger: logger))
        return try await withThrowingTaskGroup(of: Void.self) { tasks in
            tasks.addTask { try await group.run() }
            let erased: Result<ResumedErasures, Rejection>
            do throws(Rejection) {
                erased = .success(try await engine.resumeErasures())
            } catch {
                erased = .failure(error)
            }
            // Also when it failed: the writer ends only when it is told to.
            await group.triggerGracefulShutdown()
            try await tasks.waitForAll()
            return try erased.get()
        }
    }
}

/// Always shows the same time.
private struct StandingClock: WallClock {
    let time: Timestamp

    func now() -> Timestamp { time }

    func date(of time: Timestamp) -> Date? { nil }
}
