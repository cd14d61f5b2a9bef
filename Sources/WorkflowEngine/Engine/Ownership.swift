import Synchronization

/// This daemon's right to write to a store that several daemons serve, one of them at a time.
package protocol Ownership: Sendable {
    /// Waits until this daemon owns the store, and prepares it.
    ///
    /// - Throws: `CancellationError` if the task is cancelled. Another error ends the engine.
    func begin() async throws
    /// Called when commands are carried out.
    func serves()
    /// False if another daemon may own the store by now. Then no effect starts.
    var mayStartEffects: Bool { get }
}

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
