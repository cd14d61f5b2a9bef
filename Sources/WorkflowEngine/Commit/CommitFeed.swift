import Synchronization
package import WorkflowStore

/// Tells those who wait that an instance has new history.
package final class CommitFeed: Sendable {
    private struct State {
        var waiters: [InstanceID: [UInt64: AsyncStream<Void>.Continuation]] = [:]
        var count = 0
        var nextID: UInt64 = 0
        var isClosed = false
    }

    private let state = Mutex(State())
    private let limit: Int

    init(limits: EngineLimits) {
        limit = limits.historyWaiters
    }

    /// A stream with an element after each commit that changed the instance; what is not read in time is merged into
    /// one. Subscribe, then read, then wait: nothing is missed. It ends when no commit comes any more. Nil when too
    /// many wait already.
    package func changes(of instance: InstanceID) -> AsyncStream<Void>? {
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let id: UInt64? = state.withLock { state in
            guard state.count < limit else { return nil }
            state.nextID += 1
            if state.isClosed {
                continuation.finish()
            } else {
                state.count += 1
                state.waiters[instance, default: [:]][state.nextID] = continuation
            }
            return state.nextID
        }
        guard let id else { return nil }
        continuation.onTermination = { [weak self] _ in self?.remove(id, of: instance) }
        return stream
    }

    private func remove(_ id: UInt64, of instance: InstanceID) {
        state.withLock { state in
            guard state.waiters[instance]?.removeValue(forKey: id) != nil else { return }
            state.count -= 1
            if state.waiters[instance]?.isEmpty == true { state.waiters[instance] = nil }
        }
    }

    /// Ends all streams, and those to come: there are no commits any more.
    func close() {
        let waiting = state.withLock { state in
            state.isClosed = true
            return state.waiters.values.flatMap(\.values)
        }
        for continuation in waiting { continuation.finish() }
    }
}

extension CommitFeed: CommitObserver {
    /// Tells those who wait for one of the instances; nobody asks which these are when nobody waits.
    package func committed(_ committed: Committed) {
        let waiting = state.withLock { state in
            state.count == 0
                ? []
                : committed.instances.flatMap { instance in
                    state.waiters[instance.id].map { Array($0.values) } ?? []
                }
        }
        for continuation in waiting { continuation.yield() }
    }
}
