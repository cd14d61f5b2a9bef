import Foundation
import ThreadTesting

/// A place where the writer can be held up.
///
/// `@unchecked Sendable`: every stored property but `condition` is read and written under `condition` only.
package final class Hold: @unchecked Sendable {
    private let condition = NSCondition()
    private var isShut = false
    private var isSomebodyHeld = false
    private var watcher: CheckedContinuation<Void, Never>?

    /// From now on whoever comes is held up.
    package func shut() { locked { isShut = true } }

    /// Lets go who is held up, and all that come.
    package func open() { locked { isShut = false } }

    /// Waits for somebody to be held up. For one caller at a time.
    package func somebodyIsHeld() async {
        await withCheckedContinuation { continuation in
            let isHeld = locked {
                if !isSomebodyHeld { watcher = continuation }
                return isSomebodyHeld
            }
            if isHeld { continuation.resume() }
        }
    }

    /// Blocks until somebody is held up.
    package func waitForSomebodyHeld() {
        requireOwnThread()
        locked { while !isSomebodyHeld { condition.wait() } }
    }

    /// Blocks while the place is shut.
    func pass() {
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
