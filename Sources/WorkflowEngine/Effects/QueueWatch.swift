import Synchronization
import WorkflowStore

/// Tells those who wait for tasks that a queue has something new.
final class QueueWatch: Sendable {
    private struct State {
        var waiters: [String: [UInt64: AsyncStream<Void>.Continuation]] = [:]
        var count = 0
        var nextID: UInt64 = 0
        var isClosed = false
    }

    private let state = Mutex(State())
    private let limit: Int

    init(limits: EngineLimits) {
        limit = limits.taskWaiters
    }

    /// A stream with an element after each commit that made something of the queue ready, now or later. Subscribe, then
    /// ask, then wait: nothing is missed. Nil when too many wait already.
    func changes(of queue: String) -> AsyncStream<Void>? {
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let id: UInt64? = state.withLock { state in
            guard state.count < limit else { return nil }
            state.nextID += 1
            if state.isClosed {
                continuation.finish()
            } else {
                state.count += 1
                state.waiters[queue, default: [:]][state.nextID] = continuation
            }
            return state.nextID
        }
        guard let id else { return nil }
        continuation.onTermination = { [weak self] _ in self?.remove(id, of: queue) }
        return stream
    }

    private func remove(_ id: UInt64, of queue: String) {
        state.withLock { state in
            guard state.waiters[queue]?.removeValue(forKey: id) != nil else { return }
            state.count -= 1
            if state.waiters[queue]?.isEmpty == true { state.waiters[queue] = nil }
        }
    }

    /// Tells all: the clock was moved, and anything may be due.
    func tellAll() {
        for continuation in state.withLock({ $0.waiters.values.flatMap(\.values) }) { continuation.yield() }
    }

    /// Ends all streams, and those to come.
    func close() {
        let waiting = state.withLock { state in
            state.isClosed = true
            return state.waiters.values.flatMap(\.values)
        }
        for continuation in waiting { continuation.finish() }
    }
}

extension QueueWatch: CommitObserver {
    func committed(_ committed: Committed) {
        let waiting = state.withLock { state in
            state.count == 0
                ? []
                : Set(committed.readyQueues).flatMap { queue in state.waiters[queue].map { Array($0.values) } ?? [] }
        }
        for continuation in waiting { continuation.yield() }
    }
}

extension Committed {
    /// The queues of what it has made ready, now or later.
    fileprivate var readyQueues: some Sequence<String> {
        batches.lazy.flatMap { $0.batch.newEffects + $0.batch.changedEffects }.filter { $0.state == .ready }.map(
            \.queue)
    }
}

extension AsyncStream<Void> {
    /// Waits for the next element, at most until a time. The stream is of no use afterwards.
    func next(until: ContinuousClock.Instant) async {
        await withTaskGroup(of: Void.self) { group in
            group.addTask { for await _ in self { return } }
            group.addTask { try? await Task.sleep(until: until, clock: .continuous) }
            await group.next()
            group.cancelAll()
        }
    }
}
