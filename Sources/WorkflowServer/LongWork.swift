import Synchronization
import WorkflowAPI

/// Bounds how many requests at once may go through histories: each reads without a pause and keeps many instances in
/// memory.
final class LongWork: Sendable {
    /// At once; one more is told to come back.
    static let bound = 4

    private let running = Mutex(0)

    /// Takes one of the places, or throws `overloaded`.
    func begin() throws(Problem) -> Turn {
        let isFree = running.withLock { running in
            guard running < Self.bound else { return false }
            running += 1
            return true
        }
        guard isFree else {
            throw Problem(.overloaded, detail: "\(Self.bound) verifications and replays are running already")
        }
        return Turn(work: self)
    }

    /// A place; it is given back by `end()`, at the latest when nobody holds it any more.
    final class Turn: Sendable {
        private let work: LongWork
        private let isOver = Mutex(false)

        fileprivate init(work: LongWork) {
            self.work = work
        }

        deinit {
            end()
        }

        /// Gives the place back.
        func end() {
            let wasOver = isOver.withLock { isOver in
                defer { isOver = true }
                return isOver
            }
            if !wasOver { work.running.withLock { $0 -= 1 } }
        }
    }
}
