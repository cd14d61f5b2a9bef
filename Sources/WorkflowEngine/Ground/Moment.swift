import Synchronization

/// Lets tasks wait for one moment.
final class Moment: Sendable {
    private let state = Mutex<(hasCome: Bool, waiters: [AsyncStream<Void>.Continuation])>((false, []))

    var hasCome: Bool { state.withLock { $0.hasCome } }

    func come() {
        let waiters = state.withLock { state in
            defer { state = (true, []) }
            return state.waiters
        }
        for waiter in waiters { waiter.finish() }
    }

    /// Waits for the moment; returns earlier if the task is cancelled.
    func wait() async {
        let (news, waiter) = AsyncStream.makeStream(of: Void.self)
        let hasCome = state.withLock { state in
            if !state.hasCome { state.waiters.append(waiter) }
            return state.hasCome
        }
        if hasCome { return }
        for await _ in news {}
    }
}
