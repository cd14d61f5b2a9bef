import Synchronization
import WorkflowAPI

/// Bounds the requests that go through histories at once. Each such request reads without a pause and keeps many
/// instances in memory.
///
/// A request that waits until its caller takes a line needs no place. Such a request loses its place to the first that
/// asks for one, and takes a place again before it goes on.
final class LongWork: Sendable {
    /// Places; one more request is asked to retry.
    static let bound = 4
    /// Requests that wait for their callers without a place; there is a bound because their memory is kept.
    static let parkedBound = 32
    /// The time that a line must wait for its caller before the place can be lost. So a line that is only on its way
    /// keeps the place.
    static let patience: Duration = .milliseconds(100)

    private let state: Mutex<State>

    private struct State {
        var places: Places
        /// The requests that wait for a place, by number.
        var turns: [Int: AsyncStream<Void>.Continuation] = [:]
        /// True if another check is scheduled for the time when a request has waited long enough for its caller.
        var isLookAhead = false
    }

    /// - Parameter patience: The time that a line waits for its caller before its place can be lost.
    init(patience: Duration = LongWork.patience) {
        state = Mutex(State(places: Places(patience: patience)))
    }

    /// Takes a place, or throws `overloaded`.
    func begin() throws(Problem) -> Turn {
        let turn = state.withLock { $0.places.begin(at: .now) }
        guard let turn else {
            throw Problem(.overloaded, detail: "\(Self.bound) verifications and replays are running already")
        }
        return Turn(turn, of: self)
    }

    /// Changes the places, and resumes the requests that now have one.
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
        // Nobody awaits the task; it ends by itself after `patience`, when no request waits any more.
        Task {
            // The task is never cancelled.
            try? await Task.sleep(until: look, clock: .continuous)
            change { $0.isLookAhead = false }
        }
    }

    private func waits(_ number: Int, _ turn: AsyncStream<Void>.Continuation) {
        change { state in
            if state.places.goOn(number) { turn.yield() } else { state.turns[number] = turn }
        }
    }

    private func leaves(_ number: Int) {
        change { state in
            state.places.leave(number)
            state.turns[number] = nil
        }
    }

    /// A place, given back by `end()`, at the latest when the last reference to it is released.
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

        /// Marks the request as waiting until its caller takes something; from now on the place can be lost.
        func waitsForCaller() {
            work.change { $0.places.wait(number, since: .now) }
        }

        /// Goes on after the caller has taken the line. If the place was lost, waits for a place behind the requests
        /// that already wait.
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

/// The requests that have a place, and the requests that wait for their callers.
struct Places {
    private enum Holder {
        case working
        /// The request hands something to its caller, and keeps its place as long as no other request needs it.
        case waiting(since: ContinuousClock.Instant)
        /// Another request has the place.
        case parked
    }

    private let patience: Duration
    private var holders: [Int: Holder] = [:]
    /// The requests that could go on and have no place, in the order in which they asked.
    private var line: [Int] = []
    private var last = 0

    init(patience: Duration = LongWork.patience) {
        self.patience = patience
    }

    /// Takes a place for one more request and returns its number; `nil` if there is no place, or others wait for one.
    mutating func begin(at now: ContinuousClock.Instant) -> Int? {
        guard line.isEmpty, hasRoom(at: now, forNew: true) else { return nil }
        last += 1
        holders[last] = .working
        return last
    }

    /// Marks a request as waiting for its caller from now on.
    mutating func wait(_ number: Int, since now: ContinuousClock.Instant) {
        if holders[number] != nil { holders[number] = .waiting(since: now) }
    }

    /// Lets a request go on if it still has its place or needs none; returns false if it must ask for a place.
    mutating func keeps(_ number: Int) -> Bool {
        if case .parked? = holders[number] { return false }
        if holders[number] != nil { holders[number] = .working }
        return true
    }

    /// Lets a request go on; returns false if there is no place for it yet. Then `admit` gives it a place in its turn.
    mutating func goOn(_ number: Int) -> Bool {
        if keeps(number) { return true }
        line.append(number)
        return false
    }

    /// Gives places to waiting requests, as far as there are any, and returns the numbers of these requests.
    mutating func admit(at now: ContinuousClock.Instant) -> [Int] {
        var admitted: [Int] = []
        while let next = line.first, hasRoom(at: now, forNew: false) {
            line.removeFirst()
            holders[next] = .working
            admitted.append(next)
        }
        return admitted
    }

    /// The time when a request can lose its place to a waiting one; `nil` if no request waits, or all requests work.
    var nextChance: ContinuousClock.Instant? {
        line.isEmpty ? nil : longestWaiting.map { $0.since + patience }
    }

    /// Removes a request from the line.
    mutating func leave(_ number: Int) {
        line.removeAll { $0 == number }
    }

    mutating func end(_ number: Int) {
        holders[number] = nil
        leave(number)
    }

    /// Returns true if there is a place, or if the request that has waited longest for its caller can lose its place.
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
