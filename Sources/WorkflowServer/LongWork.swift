import Synchronization
import WorkflowAPI

/// Bounds how many requests at once may go through histories: each reads without a pause and keeps many instances in
/// memory.
///
/// Whoever waits until its caller takes a line needs no place: it loses its place to the first who asks for one, and
/// takes one again before it goes on.
final class LongWork: Sendable {
    /// At once; one more is told to come back.
    static let bound = 4
    /// Work that waits for its caller and has no place: its memory is kept, so there is a bound.
    static let parkedBound = 32
    /// How long a line must have waited for its caller: one that is only on its way keeps the place.
    static let patience: Duration = .milliseconds(100)

    private let places: Mutex<Places>

    init() {
        places = Mutex(Places())
    }

    /// Takes one of the places, or throws `overloaded`.
    func begin() throws(Problem) -> Turn {
        let turn = places.withLock { $0.begin(at: .now) }
        guard let turn else {
            throw Problem(.overloaded, detail: "\(Self.bound) verifications and replays are running already")
        }
        return Turn(turn, of: self)
    }

    /// A place; it is given back by `end()`, at the latest when nobody holds it any more.
    final class Turn: Sendable {
        private let number: Int
        private let work: LongWork

        fileprivate init(_ number: Int, of work: LongWork) {
            self.number = number
            self.work = work
        }

        deinit {
            end()
        }

        /// Gives the place back.
        func end() {
            work.places.withLock { $0.end(number) }
        }

        /// From now on it waits until its caller takes something, and may lose its place.
        func waitsForCaller() {
            work.places.withLock { $0.wait(number, since: .now) }
        }

        /// The caller has taken it; waits for a place when it was lost.
        func goOn() async throws {
            while !work.places.withLock({ $0.goOn(number, at: .now) }) {
                try await Task.sleep(for: .milliseconds(20))
            }
        }
    }
}

/// Who has a place, and who waits for its caller.
struct Places {
    private enum Holder {
        case working
        /// It hands something to its caller, and keeps its place as long as nobody else needs it.
        case waiting(since: ContinuousClock.Instant)
        /// Another one has its place.
        case parked
    }

    private var holders: [Int: Holder] = [:]
    private var last = 0

    /// A place for one more; nil when there is none.
    mutating func begin(at now: ContinuousClock.Instant) -> Int? {
        guard hasRoom(at: now, forNew: true) else { return nil }
        last += 1
        holders[last] = .working
        return last
    }

    /// It waits for its caller from now on.
    mutating func wait(_ number: Int, since now: ContinuousClock.Instant) {
        if holders[number] != nil { holders[number] = .waiting(since: now) }
    }

    /// It wants to go on; false when there is no place for it yet.
    mutating func goOn(_ number: Int, at now: ContinuousClock.Instant) -> Bool {
        if case .parked? = holders[number] {
            guard hasRoom(at: now, forNew: false) else { return false }
        }
        if holders[number] != nil { holders[number] = .working }
        return true
    }

    mutating func end(_ number: Int) {
        holders[number] = nil
    }

    /// Whether there is a place, or the one who has waited longest for its caller can lose its own.
    private mutating func hasRoom(at now: ContinuousClock.Instant, forNew: Bool) -> Bool {
        let parked = holders.values.count { if case .parked = $0 { true } else { false } }
        if holders.count - parked < LongWork.bound { return true }
        if forNew, parked >= LongWork.parkedBound { return false }
        let waiting = holders.compactMap { number, holder in
            if case .waiting(let since) = holder { (number: number, since: since) } else { nil }
        }
        guard let longest = waiting.min(by: { $0.since < $1.since }), now - longest.since >= LongWork.patience else {
            return false
        }
        holders[longest.number] = .parked
        return true
    }
}
