import Synchronization

/// The number of requests to stop a verb.
final class StopCount: Sendable {
    private struct State {
        var count = 0
        var waiters: [UInt64: (count: Int, end: AsyncStream<Void>.Continuation)] = [:]
        var lastWaiter: UInt64 = 0
    }

    private let state = Mutex(State())

    var count: Int { state.withLock { $0.count } }

    /// Counts another request to stop.
    func raise() {
        let reached = state.withLock { state in
            state.count += 1
            let reached = state.waiters.filter { $0.value.count <= state.count }
            for number in reached.keys { state.waiters[number] = nil }
            return reached.values.map(\.end)
        }
        for waiter in reached { waiter.finish() }
    }

    /// Returns after `count` requests to stop, or when the task is cancelled.
    func reached(_ count: Int) async {
        let (stream, end) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let number: UInt64? = state.withLock { state in
            guard state.count < count else { return nil }
            state.lastWaiter += 1
            state.waiters[state.lastWaiter] = (count, end)
            return state.lastWaiter
        }
        guard let number else { return }
        for await _ in stream { break }
        _ = state.withLock { $0.waiters.removeValue(forKey: number) }
    }

    /// Waits for a time, or until `count` requests to stop.
    func pause(_ time: Duration, orReached count: Int) async {
        await withTaskGroup(of: Void.self) { group in
            // The sleep is cancelled at the last of these requests.
            group.addTask { try? await Task.sleep(for: time) }
            group.addTask { await self.reached(count) }
            await group.next()
            group.cancelAll()
        }
    }
}
