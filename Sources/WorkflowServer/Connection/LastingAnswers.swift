import Synchronization
import WorkflowAPI

/// Bounds how many answers at once last as long as their callers want, of all addresses of a daemon: streams, and
/// requests that wait for something. The other connections are always there for requests that are answered at once.
final class LastingAnswers: Sendable {
    private let bounds: (streams: Int, all: Int)
    private let counts = Mutex<(streams: Int, all: Int)>((0, 0))

    init(limits: ServerLimits) {
        bounds = (limits.streams, limits.connections - limits.shortConnections)
    }

    /// Streams that are open.
    var streams: Int { counts.withLock { $0.streams } }

    /// Takes a place for a stream, or throws `overloaded`.
    func stream() throws(Problem) -> Place { try take(isStream: true) }

    /// Takes a place for a request that waits, or throws `overloaded`.
    func poll() throws(Problem) -> Place { try take(isStream: false) }

    private func take(isStream: Bool) throws(Problem) -> Place {
        let refusal: String? = counts.withLock { counts in
            if isStream, counts.streams >= bounds.streams { return "\(bounds.streams) streams are open already" }
            if counts.all >= bounds.all {
                return "\(bounds.all) streams and requests that wait are open already"
            }
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
