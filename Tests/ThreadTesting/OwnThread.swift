import Foundation
import Testing

/// Runs a function that blocks or computes for long on its own thread, so that the few threads of Swift's pool stay
/// free.
package func onOwnThread<Value: Sendable>(
    _ body: @escaping @Sendable () throws -> Value
) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
        let thread = Thread { continuation.resume(with: Result { try body() }) }
        thread.name = "test"
        thread.start()
    }
}

/// Records an issue if it is called on a thread of Swift's pool, where waiting would keep all others from their
/// threads. Every blocking function calls it first.
package func requireOwnThread(_ what: StaticString = #function) {
    let isOnPool = withUnsafeCurrentTask { task in task.map { $0.unownedTaskExecutor == nil } ?? false }
    guard isOnPool else { return }
    Issue.record("\(what) blocks a thread of Swift's pool: use 'onOwnThread', or '.ownThreads' for the test")
}
