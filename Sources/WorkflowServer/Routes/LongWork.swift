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

    private let state: Mutex<State>

    private struct State {
        var places: Places
        /// Who waits for a place, by number.
        var turns: [Int: AsyncStream<Void>.Continuation] = [:]
        /// Somebody looks again when one has waited long enough for its caller.
        var isLookAhead = false
    }

    /// - Parameter patience: How long a line waits for its caller before its place may be lost.
    init(patience: Duration = LongWork.patience) {
        state = Mutex(State(places: Places(patience: patience)))
    }

    /// Takes one of the places, or throws `overloaded`.
    func begin() throws(Problem) -> Turn {
        let turn = state.withLock { $0.places.begin(at: .now) }
        guard let turn else {
            throw Problem(.overloaded, detail: "\(Self.bound) verifications and replays are running already")
        }
        return Turn(turn, of: self)
    }

    /// Changes who has a place, and lets those go on for whom there is one now.
    private func change(_ body: (inout State) -> Void) {
        let (next, look) = state.withLock { state in
            body(&state)
            let next = state.places.admit(at: .now).compactMap { state.turns.removeValue(forKey: $0) }
            let look = state.isLookAhead ? nil : state.places.nextChance
            if look != nil { state.isLookAhead = true }
            return (next, look)
        }
        for turn in next { turn.yield() }
        guard let look else { return }
        // Nobody awaits it; it ends by itself after `patience`, when nobody waits any more.
        Task {
            // It is not cancelled.
            try? await Task.sleep(until: look, clock: .continuous)
            change { $0.isLookAhead = false }
        }
    }

    private func waits(_ number: Int, _ turn: AsyncStream<Void>.Continuation) {
        change { state in
            if state.places.goOn(number, at: .now) { turn.yield() } else { state.turns[number] = turn }
        }
    }

    private func leaves(_ number: Int) {
        change { state in
            state.places.leave(number)
            state.turns[number] = nil
        }
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
            work.change { $0.places.end(number) }
        }

        /// From now on it waits until its caller takes something, and may lose its place.
        func waitsForCaller() {
            work.change { $0.places.wait(number, since: .now) }
        }

        /// The caller has taken it; waits for a place when it was lost, behind those that wait already.
        func goOn() async throws {
            if work.state.withLock({ $0.places.keeps(number) }) { return }
            let (turns, turn) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
            work.waits(number, turn)
            for await _ in turns { return }
            work.leaves(number)
            throw CancellationError()
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

    private let patience: Duration
    private var holders: [Int: Holder] = [:]
    /// Who has none and could go on, in the order in which they asked.
    private var line: [Int] = []
    private var last = 0

    init(patience: Duration = LongWork.patience) {
        self.patience = patience
    }

    /// A place for one more; nil when there is none, or others wait for one.
    mutating func begin(at now: ContinuousClock.Instant) -> Int? {
        guard line.isEmpty, hasRoom(at: now, forNew: true) else { return nil }
        last += 1
        holders[last] = .working
        return last
    }

    /// It waits for its caller from now on.
    mutating func wait(_ number: Int, since now: ContinuousClock.Instant) {
        if holders[number] != nil { holders[number] = .waiting(since: now) }
    }

    /// It goes on, if it still has its place or needs none; false when it must ask for one.
    mutating func keeps(_ number: Int) -> Bool {
        if case .parked? = holders[number] { return false }
        if holders[number] != nil { holders[number] = .working }
        return true
    }

    /// It wants to go on; false when there is no place for it yet: then `admit` gives it one in its turn.
    mutating func goOn(_ number: Int, at now: ContinuousClock.Instant) -> Bool {
        if keeps(number) { return true }
        line.append(number)
        return false
    }

    /// Gives places to those that wait, as far as there are any; says to whom.
    mutating func admit(at now: ContinuousClock.Instant) -> [Int] {
        var admitted: [Int] = []
        while let next = line.first, hasRoom(at: now, forNew: false) {
            line.removeFirst()
            holders[next] = .working
            admitted.append(next)
        }
        return admitted
    }

    /// When somebody can lose its place to one who waits; nil when nobody waits, or all work.
    var nextChance: ContinuousClock.Instant? {
        line.isEmpty ? nil : longestWaiting.map { $0.since + patience }
    }

    /// It does not wait for a place any more.
    mutating func leave(_ number: Int) {
        line.removeAll { $0 == number }
    }

    mutating func end(_ number: Int) {
        holders[number] = nil
        leave(number)
    }

    /// Whether there is a place, or the one who has waited longest for its caller can lose its own.
    private mutating func hasRoom(at now: ContinuousClock.Instant, forNew: Bool) -> Bool {
        let parked = holders.values.count { if case .parked = $0 { true } else { false } }
        if holders.count - parked < LongWork.bound { return true }
        if forNew, parked >= LongWork.parkedBound { return false }
        guard let longest = longestWaiting, now - longest.since >= patience else { return false }
        holders[longest.number] = .parked
        return true
    }

    private var longestWaiting: (number: Int, since: ContinuousClock.Instant)? {
        holders.compactMap { number, holder in
            if case .waiting(let since) = holder { (number: number, since: since) } else { nil }
        }.min { $0.since < $1.since }
    }
}
