import Synchronization

/// The counts of forwarded requests since the daemon began.
final class ForwardCounts: Sendable {
    enum Event: Hashable, Sendable {
        /// A request for the owner arrived here.
        case forwarded
        /// A request was sent once more, after another look at the owner.
        case retried
        /// A request was answered `partition-moving`.
        case moving
        /// A request was answered `outcome-unknown` by this daemon.
        case unknown
    }

    private let counts = Mutex<[Event: Int]>([:])

    func add(_ event: Event) { counts.withLock { $0[event, default: 0] += 1 } }

    subscript(event: Event) -> Int { counts.withLock { $0[event] ?? 0 } }
}
