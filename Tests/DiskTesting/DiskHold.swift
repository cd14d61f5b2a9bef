import Foundation
import ThreadTesting

/// A place where the next writing thread can be held up, so that commands gather behind it.
///
/// `@unchecked Sendable`: every stored property but `condition` is read and written under `condition` only.
package final class DiskHold: @unchecked Sendable {
    private let condition = NSCondition()
    private var isShut = false
    private var hasCome = false
    private var watcher: CheckedContinuation<Void, Never>?

    /// From now on whoever comes is held up.
    package func shut() {
        locked {
            isShut = true
            hasCome = false
        }
    }

    /// Lets go who is held up, and all that come.
    package func open() { locked { isShut = false } }

    /// Waits until somebody is held up, or until it is known that nobody will be. For one caller at a time.
    package func somebodyHasCome() async {
        await withCheckedContinuation { continuation in
            let isThere = locked {
                if !hasCome { watcher = continuation }
                return hasCome
            }
            if isThere { continuation.resume() }
        }
    }

    /// Nobody will come.
    package func nobodyComes() { locked { come() } }

    /// Blocks while the place is shut.
    func pass() {
        locked {
            guard isShut else { return }
            requireOwnThread()
            come()
            while isShut { condition.wait() }
        }
    }

    private func come() {
        hasCome = true
        watcher?.resume()
        watcher = nil
    }

    private func locked<Value>(_ body: () -> Value) -> Value {
        condition.lock()
        defer { condition.unlock() }
        let value = body()
        condition.broadcast()
        return value
    }
}
