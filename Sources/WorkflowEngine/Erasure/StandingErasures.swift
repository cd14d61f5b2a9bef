package import Logging
import ServiceLifecycle
package import WorkflowStore

/// Repeats, in a store that no daemon serves, the erasures of the store that it replaces.
package enum StandingErasures {
    /// Opens a store to serve it. Erasures that a restore ordered or a stop interrupted are carried out before anybody
    /// can read the store.
    ///
    /// - Parameters:
    ///   - open: Opens the store; called again if something was erased, because erasing closes the store.
    ///   - time: Returns the store's last time.
    package static func open<Store: WorkflowStore>(
        time: (Store) -> Timestamp, logger: Logger, _ open: () throws -> Store
    ) async throws -> Store {
        let store = try open()
        guard try await isLeft(in: store) else { return store }
        let erased = try await carryOut(in: store, at: time(store), logger: logger)
        logger.notice("redactions were carried out to their end", metadata: ["count": "\(erased.count)"])
        return try open()
    }

    private static func isLeft(in store: some StoreReader) async throws(StoreError) -> Bool {
        var last: Int64?
        while true {
            let page = try await store.erasures(after: last, limit: 1_000)
            for erasure in page where erasure.isOrdered || erasure.walk != nil {
                // An instance that was deleted meanwhile has nothing to erase.
                let instance = try await store.instance(erasure.instanceID)
                if let instance, instance.status != .purging { return true }
            }
            guard let end = page.last else { return false }
            last = end.id
        }
    }

    /// Begins and completes the waiting erasures, at a time that stands still, so that nothing else happens. Closes the
    /// store.
    ///
    /// - Parameters:
    ///   - time: The store's last time.
    ///   - sweeps: True to remove all rows of deleted instances too, which is not reported.
    package static func carryOut(
        in store: any WorkflowStore, at time: Timestamp, sweeps: Bool = false, logger: Logger
    ) async throws -> ResumedErasures {
        var limits = EngineLimits()
        // No key expires at a time that is not the present.
        limits.keyAge = nil
        let engine = Engine(
            store: store, clock: StandingClock(time: time), limits: limits, resumesErasures: false, logger: logger)
        let group = ServiceGroup(
            configuration: ServiceGroupConfiguration(
                services: [.init(service: engine)], gracefulShutdownSignals: [], logger: logger))
        return try await withThrowingTaskGroup(of: Void.self) { tasks in
            tasks.addTask { try await group.run() }
            let erased: Result<ResumedErasures, Rejection>
            do throws(Rejection) {
                let resumed = try await engine.resumeErasures()
                if sweeps { try await engine.sweepAll() }
                erased = .success(resumed)
            } catch {
                erased = .failure(error)
            }
            // This runs after a failure too, because the writer ends only on request.
            await group.triggerGracefulShutdown()
            try await tasks.waitForAll()
            return try erased.get()
        }
    }
}
