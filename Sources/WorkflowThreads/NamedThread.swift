import CScheduling
import Foundation

/// The way in which a thread shares the cores with others.
package enum ThreadTurns: Sendable {
    /// The thread runs soon after it wakes: it mostly waits, and others wait for it.
    case short
    /// Other threads go first, but the thread gets its share: somebody waits for it.
    case later
}

/// Starts a thread; `top -H` shows its name.
///
/// On a system that cannot share the cores as requested, the thread runs anyway.
package func startThread(_ name: String, turns: ThreadTurns, _ body: @escaping @Sendable () -> Void) {
    let thread = Thread {
        scheduling_name(name)
        switch turns {
        case .short: _ = scheduling_shorten_turns()
        case .later: _ = scheduling_give_way()
        }
        body()
    }
    thread.stackSize = 8 << 20
    thread.start()
}
