import Foundation

/// Runs a function that may block for long on a thread of its own. Swift's pool has only as many threads as cores, and
/// everything else in the process waits for them.
///
/// Returns `nil` if the time is over or the task was cancelled. The thread continues anyway, so the caller bounds the
/// number of such threads.
package func onOwnThread<Value: Sendable>(
    _ name: String, within time: Duration, _ body: @escaping @Sendable () -> Value
) async -> Value? {
    let (values, continuation) = AsyncStream.makeStream(of: Value.self, bufferingPolicy: .bufferingOldest(1))
    startThread(name, turns: .short) {
        continuation.yield(body())
        continuation.finish()
    }
    // The timer is cancelled when there is a value.
    let timer = Task {
        try? await Task.sleep(for: time)
        continuation.finish()
    }
    defer { timer.cancel() }
    for await value in values { return value }
    return nil
}
