import Foundation
import ThreadTesting

/// A gate that can hold the writer up.
///
/// `@unchecked Sendable`: every stored property but `condition` is read and written under `condition` only.
package final class Hold: @unchecked Sendable {
    private let condition = NSCondition()
    private var isShut = false
    private var isSomebodyHeld = false
    private var watcher: CheckedContinuation<Void, Never>?

    package init() {}

    /// Closes the gate: from now on, threads are held up.
    package func shut() { locked { isShut = true } }

    /// Opens the gate for all waiting and later threads.
    package func open() { locked { isShut = false } }

    /// Waits until a thread is held up. For one caller at a time.
    package func somebodyIsHeld() async {
        await withCheckedContinuation { continuation in
            let isHeld = locked {
                if !isSomebodyHeld { watcher = continuation }
                return isSomebodyHeld
            }
            if isHeld { continuation.resume() }
        }
    }

    /// Blocks until a thread is held up.
    package func waitForSomebodyHeld() {
        requireOwnThread()
        locked { while !isSomebodyHeld { condition.wait() } }
    }

    /// Blocks while the gate is shut.
    package func pass() {
        locked {
            guard isShut else { return }
            requireOwnThread()
            isSomebodyHeld = true
            condition.broadcast()
            watcher?.resume()
            watcher = nil
            while isShut { condition.wait() }
            isSomebodyHeld = false
        }
    }

    private func locked<Value>(_ body: () -> Value) -> Value {
        condition.lock()
        defer { condition.unlock() }
        let value = body()
        condition.broadcast()
        return value
    }
}
