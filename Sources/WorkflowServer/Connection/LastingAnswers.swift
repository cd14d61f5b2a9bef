import Synchronization
import WorkflowAPI

/// Bounds how many requests at once last as long as their callers want, of all addresses of a daemon: streams, requests
/// that wait for something, and those whose body has not come with their head. The other connections are always there
/// for requests that are answered at once.
final class LastingAnswers: Sendable {
    /// The most of all of them with which one more is taken. A body comes soon most of the time, so it may take a
    /// connection that the others leave.
    private let bounds: (streams: Int, all: Int, bodies: Int)
    private let counts = Mutex<(streams: Int, all: Int)>((0, 0))

    init(limits: ServerLimits) {
        let all = limits.connections - limits.shortConnections
        bounds = (limits.streams, all, all + limits.shortConnections / 2)
    }

    /// Streams that are open.
    var streams: Int { counts.withLock { $0.streams } }

    /// Takes a place for a stream, or throws `overloaded`.
    func stream() throws(Problem) -> Place { try take(isStream: true, within: bounds.all) }

    /// Takes a place for a request that waits, or throws `overloaded`.
    func poll() throws(Problem) -> Place { try take(isStream: false, within: bounds.all) }

    /// Takes a place for a request whose body is waited for, or throws `overloaded`.
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

    /// A place; it is given back by `end()`, at the latest when nobody holds it any more.
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
