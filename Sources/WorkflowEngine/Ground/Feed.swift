import Synchronization

/// What somebody waits for: rings of several are merged into one until the first is heard.
package struct Bell: Sendable {
    /// An element for each ring that is heard. One task may wait for it.
    package let rings: AsyncStream<Void>
    private let continuation: AsyncStream<Void>.Continuation

    init(rings: AsyncStream<Void>, _ continuation: AsyncStream<Void>.Continuation) {
        self.rings = rings
        self.continuation = continuation
    }

    /// Wakes whoever waits, for another reason than the one for which the bell is there.
    package func ring() { continuation.yield() }
}

/// Tells those who wait that there is something new under a key.
final class Feed<Key: Hashable & Sendable>: Sendable {
    private struct State {
        var waiters: [Key: [UInt64: AsyncStream<Void>.Continuation]] = [:]
        var count = 0
        var nextID: UInt64 = 0
        var isClosed = false
    }

    private let state = Mutex(State())
    private let bound: Int

    /// - Parameter bound: Waiters at once.
    init(bound: Int) {
        self.bound = bound
    }

    /// A stream with an element after each change; what is not read in time is merged into one. Subscribe, then read,
    /// then wait: nothing is missed. It ends when no change comes any more. Nil when too many wait already.
    func changes(of key: Key) -> AsyncStream<Void>? { bell(of: key)?.rings }

    /// The same as a bell, which others may ring too.
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

    /// Tells those who wait for one of the keys; nobody asks which these are when nobody waits.
    func tell(_ keys: () -> some Sequence<Key>) {
        let waiting = state.withLock { state in
            state.count == 0 ? [] : keys().flatMap { key in state.waiters[key].map { Array($0.values) } ?? [] }
        }
        for continuation in waiting { continuation.yield() }
    }

    /// Tells all.
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
