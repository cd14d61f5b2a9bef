import Foundation
import ThreadTesting

/// A gate that can hold up the next writing thread, so that commands gather behind it.
///
/// `@unchecked Sendable`: every stored property but `condition` is read and written under `condition` only.
package final class DiskHold: @unchecked Sendable {
    private let condition = NSCondition()
    private var isShut = false
    private var hasCome = false
    private var watcher: CheckedContinuation<Void, Never>?

    /// Closes the gate: from now on, threads are held up.
    package func shut() {
        locked {
            isShut = true
            hasCome = false
        }
    }

    /// Opens the gate for all waiting and later threads.
    package func open() { locked { isShut = false } }

    /// Waits until a thread is held up, or until it is known that none will come. For one caller at a time.
    package func somebodyHasCome() async {
        await withCheckedContinuation { continuation in
            let isThere = locked {
                if !hasCome { watcher = continuation }
                return hasCome
            }
            if isThere { continuation.resume() }
        }
    }

    /// Declares that no thread will come.
    package func nobodyComes() { locked { come() } }

    /// Blocks while the gate is shut.
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
