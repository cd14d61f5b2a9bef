import Foundation
import Testing

/// Runs something that blocks or computes for long on a thread of its own, so that the few threads of Swift's pool
/// stay free.
package func onOwnThread<Value: Sendable>(
    _ body: @escaping @Sendable () throws -> Value
) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
        let thread = Thread { continuation.resume(with: Result { try body() }) }
        thread.name = "test"
        thread.start()
    }
}

/// Records an issue when it is called on a thread of Swift's pool: whoever waits there keeps all others from theirs.
/// To be called first by all that blocks.
package func requireOwnThread(_ what: StaticString = #function) {
    let isOnPool = withUnsafeCurrentTask { task in task.map { $0.unownedTaskExecutor == nil } ?? false }
    guard isOnPool else { return }
    Issue.record("\(what) blocks a thread of Swift's pool: use 'onOwnThread', or '.ownThreads' for the test")
}
