import CScheduling
import Foundation

/// How a thread shares the cores with others.
package enum ThreadTurns: Sendable {
    /// It comes soon after it wakes: it mostly waits, and others wait for it.
    case short
    /// Others go first, but it has its share: somebody waits for it.
    case later
}

/// Starts a thread, which is found by its name in `top -H`.
///
/// On a system that cannot share the cores as wanted, it works all the same.
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
