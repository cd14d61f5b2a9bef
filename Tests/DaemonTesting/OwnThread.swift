import Foundation

/// Runs something that blocks on a thread of its own, so that the few threads on which tests run stay free.
package func onOwnThread<Value: Sendable>(
    _ body: @escaping @Sendable () throws -> Value
) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
        let thread = Thread { continuation.resume(with: Result { try body() }) }
        thread.name = "test"
        thread.start()
    }
}

/// Why a test cannot go on: what was waited for, and what was there instead.
package struct TestingError: Error, CustomStringConvertible {
    package let description: String

    package init(_ description: String) {
        self.description = description
    }
}
