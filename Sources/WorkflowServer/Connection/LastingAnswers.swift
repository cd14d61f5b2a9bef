import Synchronization
import WorkflowAPI
import WorkflowStore

/// Bounds the requests that last as long as their callers want, over all addresses of a daemon. These are streams,
/// requests that wait for something, and requests whose body has not arrived with their head. The other connections are
/// always free for requests that are answered at once. When no place is left, the caller with the most gives way.
final class LastingAnswers: Sendable {
    /// The bounds of streams, of all requests, and of all requests when one whose body is awaited is added. A body
    /// usually arrives soon, so its request may take a connection that the others leave free.
    private let bounds: (streams: Int, all: Int, bodies: Int)
    /// The bytes of bodies that are awaited.
    let bodies: UnfinishedBodies
    private let state = Mutex(State())

    private struct State {
        var all = FairShares()
        var streams = FairShares()

        mutating func remove(_ claim: Claim) {
            all.remove(claim)
            streams.remove(claim)
        }
    }

    init(limits: ServerLimits) {
        let all = limits.connections - limits.shortConnections
        bodies = UnfinishedBodies(limits: limits)
        bounds = (limits.streams, all, all + limits.shortConnections / 2)
    }

    /// The number of open streams.
    var streams: Int { state.withLock { $0.streams.count } }

    /// Takes a place for a stream, or throws `overloaded`.
    func stream(for caller: Actor?) throws(Problem) -> Place { try take(isStream: true, within: bounds.all, caller) }

    /// Takes a place for a request that waits, or throws `overloaded`.
    func poll(for caller: Actor?) throws(Problem) -> Place { try take(isStream: false, within: bounds.all, caller) }

    /// Takes a place for a request whose body is awaited, or throws `overloaded`.
    func body(for caller: Actor?) throws(Problem) -> Place { try take(isStream: false, within: bounds.bodies, caller) }

    private func take(isStream: Bool, within bound: Int, _ caller: Actor?) throws(Problem) -> Place {
        let taken = state.withLock { state -> Result<(Claim, lost: Claim?), Problem> in
            let isFullOfStreams = isStream && state.streams.count >= bounds.streams
            var lost: Claim?
            if isFullOfStreams || state.all.count >= bound {
                lost = isFullOfStreams ? state.streams.leaving(for: caller) : state.all.leaving(for: caller)
                guard let lost else {
                    let full = isFullOfStreams ? "\(bounds.streams) streams" : "\(bound) streams and requests that wait"
                    return .failure(Problem(.overloaded, detail: "\(full) are open already"))
                }
                state.remove(lost)
            }
            let claim = state.all.claim(for: caller)
            if isStream { state.streams.add(claim) }
            return .success((claim, lost))
        }
        let (claim, lost) = try taken.get()
        lost?.lose()
        return Place(of: self, claim)
    }

    /// A place, given back by `end()`, at the latest when the last reference to it is released.
    final class Place: Sendable {
        let claim: Claim
        private let answers: LastingAnswers
        private let isTaken = Atomic(true)

        fileprivate init(of answers: LastingAnswers, _ claim: Claim) {
            self.answers = answers
            self.claim = claim
        }

        deinit {
            end()
        }

        /// Gives the place back.
        func end() {
            guard isTaken.exchange(false, ordering: .acquiringAndReleasing) else { return }
            answers.state.withLock { $0.remove(claim) }
        }
    }
}
