import Synchronization
import WorkflowStore

/// Tracks when the next pass of retention is due, on the engine's clock.
///
/// Nothing is stored: after an interruption, the first pass after the next start finds the same instances again.
final class RetentionWatch: Sendable {
    private struct State {
        var due: Timestamp
        var isClosed = false
        /// The callers that wait until no pass is due at a time.
        var waiters: [(time: Timestamp, continuation: CheckedContinuation<Void, Never>)] = []
    }

    private let clock: any WallClock
    private let state: Mutex<State>
    private let moves: AsyncStream<Void>
    private let moved: AsyncStream<Void>.Continuation

    /// - Parameter clock: The first pass is due at this clock's current time.
    init(_ clock: any WallClock) {
        self.clock = clock
        state = Mutex(State(due: clock.now()))
        (moves, moved) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    }

    /// Waits until a pass is due. Returns false if there are no more passes. Only one caller may wait.
    func isDue() async -> Bool {
        var iterator = moves.makeAsyncIterator()
        while true {
            let (due, isClosed) = state.withLock { ($0.due, $0.isClosed) }
            if isClosed || Task.isCancelled { return false }
            let now = clock.now()
            if now >= due { return true }
            if clock.date(of: due) == nil {
                guard await iterator.next() != nil else { return false }
            } else {
                // The clock may be set during the pause. A cancelled task does not wait.
                let pause = min(60_000, due.rawValue - now.rawValue)
                guard (try? await Task.sleep(for: .milliseconds(pause))) != nil else { return false }
            }
        }
    }

    /// Records the end of a pass and the time of the next one.
    func ended(next due: Timestamp) {
        let ready = state.withLock { state in
            state.due = due
            let ready = state.waiters.filter { $0.time < due }
            state.waiters.removeAll { $0.time < due }
            return ready
        }
        for waiter in ready { waiter.continuation.resume() }
    }

    /// Looks at a clock that was moved by hand.
    func look() { moved.yield() }

    /// Waits until the passes that are due at a time have ended.
    func passed(_ time: Timestamp) async {
        look()
        await withCheckedContinuation { continuation in
            let isOver = state.withLock { state in
                if state.isClosed || state.due > time { return true }
                state.waiters.append((time, continuation))
                return false
            }
            if isOver { continuation.resume() }
        }
    }

    /// True if no more passes are due.
    var isClosed: Bool { state.withLock { $0.isClosed } }

    /// Ends all passes and releases the waiting callers.
    func close() {
        let waiters = state.withLock { state in
            state.isClosed = true
            defer { state.waiters = [] }
            return state.waiters
        }
        moved.finish()
        for waiter in waiters { waiter.continuation.resume() }
    }
}
