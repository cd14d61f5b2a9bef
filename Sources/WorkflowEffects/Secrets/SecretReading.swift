import Synchronization
import WorkflowThreads

/// Reads secrets on threads of their own: a file may be a pipe that nobody writes to, or lie on a disk that does not
/// answer. Then its attempt waits, and nothing else.
final class SecretReading: Sendable {
    /// Threads that read at a time: those that nobody waits for any more count too. As many as calls at a time.
    private static let bound = 256

    /// The result of a reading.
    enum Outcome<Value> {
        case read(Value)
        /// The time is over, or the task was cancelled.
        case late
        /// As many threads as may wait for files already.
        case full
    }

    private let count = Mutex(0)

    /// Reads for no longer than a time.
    func read<Value: Sendable>(
        within time: Duration, _ body: @escaping @Sendable () -> Value
    ) async -> Outcome<Value> {
        let hasRoom = count.withLock { count in
            guard count < Self.bound else { return false }
            count += 1
            return true
        }
        guard hasRoom else { return .full }
        let value = await onOwnThread("wfd-secret", within: time) { [self] in
            defer { count.withLock { $0 -= 1 } }
            return body()
        }
        return value.map(Outcome.read) ?? .late
    }
}
