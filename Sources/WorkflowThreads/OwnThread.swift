import Foundation

/// Runs something that may block for long on a thread of its own: the threads of Swift's pool are as few as the cores,
/// and everything else of the process waits for them.
///
/// Returns nil when the time is over or the task was cancelled. The thread goes on all the same, so whoever calls this
/// bounds how many there are.
package func onOwnThread<Value: Sendable>(
    _ name: String, within time: Duration, _ body: @escaping @Sendable () -> Value
) async -> Value? {
    let (values, continuation) = AsyncStream.makeStream(of: Value.self, bufferingPolicy: .bufferingOldest(1))
    startThread(name, turns: .short) {
        continuation.yield(body())
        continuation.finish()
    }
    // Cancelled when there is a value.
    let timer = Task {
        try? await Task.sleep(for: time)
        continuation.finish()
    }
    defer { timer.cancel() }
    for await value in values { return value }
    return nil
}
