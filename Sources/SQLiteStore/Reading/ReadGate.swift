import Dispatch
import Synchronization
import WorkflowStore

/// A gate that every read passes, so that the writer can have a moment without readers.
///
/// The write-ahead log can start over only when nobody reads from it. Readers that follow each other without a gap
/// never leave such a moment (measured: a log of 3.9 GB). So the writer shuts the gate, waits for the readers inside,
/// and opens the gate.
final class ReadGate: Sendable {
    private enum Phase {
        case open, shut, ended
    }

    private struct State {
        var phase = Phase.open
        /// The time at which each reader inside entered.
        var inside: [ContinuousClock.Instant] = []
        var waiting = 0
    }

    private let state = Mutex(State())
    private let reopened = DispatchSemaphore(value: 0)
    private let emptied = DispatchSemaphore(value: 0)
    /// The longest time that each side waits for the other.
    private let limit: Duration

    init(limit: Duration) {
        self.limit = limit
    }

    /// True if the writer waits for the readers inside to leave.
    var isShut: Bool { state.withLock { $0.phase != .open } }

    /// The time at which the oldest reader inside entered; `nil` if there is none.
    var oldest: ContinuousClock.Instant? { state.withLock { $0.inside.min() } }

    /// Runs a read between entering and leaving. Blocks while the gate is shut.
    func pass<T>(_ read: () throws -> T) throws -> T {
        let entered = try enter()
        defer { leave(entered) }
        return try read()
    }

    /// Keeps new readers out and waits for the readers inside. Returns false if they stay too long; the gate is then
    /// open.
    func shut() -> Bool {
        let isEmpty = state.withLock { state in
            // Proof: the one writer opens it again before it goes on.
            precondition(state.phase == .open, "one writer shuts the gate, once")
            state.phase = .shut
            return state.inside.isEmpty
        }
        if isEmpty || waitUntilEmpty() { return true }
        open()
        return false
    }

    /// Admits readers again after `shut`.
    func open() {
        let waiting = state.withLock { state in
            defer { state.waiting = 0 }
            state.phase = .open
            return state.waiting
        }
        for _ in 0..<waiting { reopened.signal() }
    }

    /// Refuses all readers from now on and waits for the readers inside. Returns false if they stay too long.
    func end() -> Bool {
        let (isEmpty, waiting) = state.withLock { state in
            defer { state.waiting = 0 }
            state.phase = .ended
            return (state.inside.isEmpty, state.waiting)
        }
        for _ in 0..<waiting { reopened.signal() }
        return isEmpty || waitUntilEmpty()
    }

    /// Enters, or blocks while the gate is shut. Returns the time; the caller must pass it to `leave` afterwards.
    func enter() throws(StoreError) -> ContinuousClock.Instant {
        let deadline = DispatchTime.now() + .init(limit)
        while true {
            let now = ContinuousClock.now
            let isInside = try state.withLock { (state) throws(StoreError) -> Bool in
                switch state.phase {
                case .open: state.inside.append(now)
                case .shut: state.waiting += 1
                case .ended: throw StoreError(.closed, "The store is closed")
                }
                return state.phase == .open
            }
            if isInside { return now }
            // A leftover signal of a reader that gave up only makes the loop run once more.
            guard reopened.wait(timeout: deadline) == .success else { throw gaveUp() }
        }
    }

    private func gaveUp() -> StoreError {
        state.withLock { $0.waiting = max(0, $0.waiting - 1) }
        return StoreError(.unavailable, "Reading waited longer than \(limit) for the write-ahead log to start over")
    }

    /// Leaves after `enter`.
    ///
    /// - Parameter entered: The time that `enter` returned.
    func leave(_ entered: ContinuousClock.Instant) {
        let isLast = state.withLock { state in
            if let place = state.inside.firstIndex(of: entered) { state.inside.remove(at: place) }
            return state.inside.isEmpty && state.phase != .open
        }
        if isLast { emptied.signal() }
    }

    private func waitUntilEmpty() -> Bool {
        let deadline = DispatchTime.now() + .init(limit)
        while emptied.wait(timeout: deadline) == .success {
            // The signal may be an old one.
            if state.withLock({ $0.inside.isEmpty }) { return true }
        }
        return false
    }
}

extension DispatchTimeInterval {
    fileprivate init(_ duration: Duration) {
        let (seconds, attoseconds) = duration.components
        self = .nanoseconds(Int(seconds) * 1_000_000_000 + Int(attoseconds / 1_000_000_000))
    }
}
