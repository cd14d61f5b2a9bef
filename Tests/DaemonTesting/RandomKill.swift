import Foundation
import Synchronization

/// Kills a daemon when its clients have taken a number of steps. The thread that takes the last step does it, so only
/// the drawn delay is between an answer and the kill.
package final class RandomKill: Sendable {
    private let daemon: Daemon
    private let last: Int
    private let delay: Duration
    private let steps = Atomic(0)

    package init(of daemon: Daemon, atStep last: Int, after delay: Duration) {
        self.daemon = daemon
        self.last = last
        self.delay = delay
    }

    /// Counts a step; at the last one, waits for the delay and kills.
    package func step() {
        guard steps.add(1, ordering: .relaxed).newValue == last else { return }
        // The thread keeps running: if it slept, the system would wake it up much later.
        let end = ContinuousClock.now + delay
        while ContinuousClock.now < end {}
        daemon.program.signal(SIGKILL)
    }
}
