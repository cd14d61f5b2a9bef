import Synchronization

/// A signal for one waiting task. Several rings are merged into one until the task hears the first.
package struct Bell: Sendable {
    /// The rings: one element for each ring that is heard. Only one task may wait for them.
    package let rings: AsyncStream<Void>
    private let continuation: AsyncStream<Void>.Continuation

    init(rings: AsyncStream<Void>, _ continuation: AsyncStream<Void>.Continuation) {
        self.rings = rings
        self.continuation = continuation
    }

    /// Wakes the waiting task for a reason other than the one the bell was made for.
    package func ring() { continuation.yield() }
}

/// Notifies waiting tasks of changes under a key.
final class Feed<Key: Hashable & Sendable>: Sendable {
    private struct State {
        var waiters: [Key: [UInt64: AsyncStream<Void>.Continuation]] = [:]
        var count = 0
        var nextID: UInt64 = 0
        var isClosed = false
    }

    private let state = Mutex(State())
    private let bound: Int

    /// - Parameter bound: The greatest number of waiting tasks.
    init(bound: Int) {
        self.bound = bound
    }

    /// Returns a stream with an element after each change; changes that are not read in time are merged into one. A
    /// caller that subscribes, reads and then waits misses no change. The stream ends when no further change can come.
    /// Returns `nil` if too many tasks wait already.
    func changes(of key: Key) -> AsyncStream<Void>? { bell(of: key)?.rings }

    /// Returns a bell for the changes of a key, which other code may ring too.
    func bell(of key: Key) -> Bell? {
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let id: UInt64? = state.withLock { state in
            guard state.count < bound else { return nil }
            state.nextID += 1
            if state.isClosed {
                continuation.finish()
            } else {
                state.count += 1
                state.waiters[key, default: [:]][state.nextID] = continuation
            }
            return state.nextID
        }
        guard let id else { return nil }
        continuation.onTermination = { [weak self] _ in self?.remove(id, of: key) }
        return Bell(rings: stream, continuation)
    }

    private func remove(_ id: UInt64, of key: Key) {
        state.withLock { state in
            guard state.waiters[key]?.removeValue(forKey: id) != nil else { return }
            state.count -= 1
            if state.waiters[key]?.isEmpty == true { state.waiters[key] = nil }
        }
    }

    /// Notifies the tasks that wait for one of the keys. The feed does not compute the keys if no task waits.
    func tell(_ keys: () -> some Sequence<Key>) {
        let waiting = state.withLock { state in
            state.count == 0 ? [] : keys().flatMap { key in state.waiters[key].map { Array($0.values) } ?? [] }
        }
        for continuation in waiting { continuation.yield() }
    }

    /// Notifies all waiting tasks.
    func tellAll() {
        for continuation in state.withLock({ $0.waiters.values.flatMap(\.values) }) { continuation.yield() }
    }

    /// Ends all streams, including future ones.
    func close() {
        let waiting = state.withLock { state in
            state.isClosed = true
            return state.waiters.values.flatMap(\.values)
        }
        for continuation in waiting { continuation.finish() }
    }
}
