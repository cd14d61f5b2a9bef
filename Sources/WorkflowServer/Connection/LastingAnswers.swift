import Synchronization
import WorkflowAPI

/// Bounds the requests that last as long as their callers want, over all addresses of a daemon. These are streams,
/// requests that wait for something, and requests whose body has not arrived with their head. The other connections are
/// always free for requests that are answered at once.
final class LastingAnswers: Sendable {
    /// The bounds of streams, of all requests, and of all requests when one whose body is awaited is added. A body
    /// usually arrives soon, so its request may take a connection that the others leave free.
    private let bounds: (streams: Int, all: Int, bodies: Int)
    private let counts = Mutex<(streams: Int, all: Int)>((0, 0))

    init(limits: ServerLimits) {
        let all = limits.connections - limits.shortConnections
        bounds = (limits.streams, all, all + limits.shortConnections / 2)
    }

    /// The number of open streams.
    var streams: Int { counts.withLock { $0.streams } }

    /// Takes a place for a stream, or throws `overloaded`.
    func stream() throws(Problem) -> Place { try take(isStream: true, within: bounds.all) }

    /// Takes a place for a request that waits, or throws `overloaded`.
    func poll() throws(Problem) -> Place { try take(isStream: false, within: bounds.all) }

    /// Takes a place for a request whose body is awaited, or throws `overloaded`.
    func body() throws(Problem) -> Place { try take(isStream: false, within: bounds.bodies) }

    private func take(isStream: Bool, within bound: Int) throws(Problem) -> Place {
        let refusal: String? = counts.withLock { counts in
            if isStream, counts.streams >= bounds.streams { return "\(bounds.streams) streams are open already" }
            if counts.all >= bound { return "\(bound) streams and requests that wait are open already" }
            counts.all += 1
            if isStream { counts.streams += 1 }
            return nil
        }
        if let refusal { throw Problem(.overloaded, detail: refusal) }
        return Place(of: self, isStream: isStream)
    }

    /// A place, given back by `end()`, at the latest when the last reference to it is released.
    final class Place: Sendable {
        private let answers: LastingAnswers
        private let isStream: Bool
        private let isTaken = Atomic(true)

        fileprivate init(of answers: LastingAnswers, isStream: Bool) {
            self.answers = answers
            self.isStream = isStream
        }

        deinit {
            end()
        }

        /// Gives the place back.
        func end() {
            guard isTaken.exchange(false, ordering: .acquiringAndReleasing) else { return }
            answers.counts.withLock { counts in
                counts.all -= 1
                if isStream { counts.streams -= 1 }
            }
        }
    }
}
