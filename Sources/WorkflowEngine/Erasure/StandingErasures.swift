package import Logging
import ServiceLifecycle
package import WorkflowStore

/// Erases in a store that nobody serves what was erased in the one that it replaces.
package enum StandingErasures {
    /// Opens a store to serve it: what a restore has ordered, or a stop has interrupted, is erased before anybody can
    /// read it.
    ///
    /// - Parameters:
    ///   - open: Opens it; called again when something was erased, because that closes the store.
    ///   - time: The store's last time.
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
                // One that was deleted meanwhile has nothing to erase.
                let instance = try await store.instance(erasure.instanceID)
                if let instance, instance.status != .purging { return true }
            }
            guard let end = page.last else { return false }
            last = end.id
        }
    }

    /// Begins and ends what waits, at a time that stands still, so that nothing else happens. Closes the store.
    ///
    /// - Parameters:
    ///   - time: The store's last time.
    ///   - sweeps: True to remove all rows of deleted instances, too; that is not reported.
    package static func carryOut(
        in store: any WorkflowStore, at time: Timestamp, sweeps: Bool = false, logger: Logger
    ) async throws -> ResumedErasures {
        var limits = EngineLimits()
        // No key is forgotten at a time that is not now.
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
            // Also when it failed: the writer ends only when it is told to.
            await group.triggerGracefulShutdown()
            try await tasks.waitForAll()
            return try erased.get()
        }
    }
}
