import Foundation

/// A lock whose holder can wait for a change by another thread.
package final class Monitor: Sendable {
    private let condition = NSCondition()

    package init() {}

    /// Calls a function under the lock.
    package func withLock<Value>(_ body: () -> Value) -> Value {
        condition.lock()
        defer { condition.unlock() }
        return body()
    }

    /// Calls a function without the lock, which the caller holds before and afterwards.
    package func withoutLock<Value>(_ body: () -> Value) -> Value {
        condition.unlock()
        defer { condition.lock() }
        return body()
    }

    /// Gives the lock up until another thread has called `tell`. Call it under the lock, and look at the state again.
    package func wait() { condition.wait() }

    /// Wakes all threads that wait.
    package func tell() { condition.broadcast() }
}
