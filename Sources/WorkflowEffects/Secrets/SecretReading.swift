import Synchronization
import WorkflowThreads

/// Reads secrets on threads of their own. A file may be a pipe without a writer, or on a disk that does not answer.
/// Then only its attempt waits.
final class SecretReading: Sendable {
    /// The largest number of reading threads, including those whose result nobody awaits any more. As many as
    /// concurrent calls.
    private static let bound = 256

    /// The result of a read.
    enum Outcome<Value> {
        case read(Value)
        /// The time is over, or the task was cancelled.
        case late
        /// The number of waiting threads has reached its limit.
        case full
    }

    private let count = Mutex(0)

    /// Reads for at most `time`.
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
