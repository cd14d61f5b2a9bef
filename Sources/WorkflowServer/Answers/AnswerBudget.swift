import CAllocation
import Synchronization
import WorkflowAPI
package import WorkflowEngine

/// Bounds the bytes of answers that are made and not yet taken by their callers, of all connections of a daemon.
///
/// Whoever makes a large answer reserves its bytes before it reads the first of them. When the answer is handed to its
/// connection, `UnreadAnswers` counts what is still to be written.
package final class AnswerBudget: Sendable {
    /// Bytes in all.
    let limit: Int
    /// How many answers last as long as their callers want.
    let lasting: LastingAnswers
    private let waiting: Duration
    private let log: OperatorLog?
    private let givesMemoryBack: Bool
    private let state = Mutex(State())

    fileprivate struct State {
        var used = 0
        /// Who waits for bytes, in the order in which they came.
        var waiters: [Waiter] = []
        var lastWaiter = 0
        /// The most that was used since memory was given back last.
        var peak = 0
        var lastTrim: ContinuousClock.Instant?
        var isTrimming = false
    }

    /// Who waits for bytes of the budget.
    fileprivate struct Waiter {
        let number: Int
        let bytes: Int
        let turn: AsyncStream<Share>.Continuation
    }

    /// - Parameters:
    ///   - waiting: How long a request waits for its share.
    ///   - lasting: The bounds of answers that last.
    ///   - log: Where connections are told that are cut off.
    ///   - givesMemoryBack: Whether memory is given back after a burst; false where another budget does it.
    package init(
        limit: Int = AnswerLimits.budgetBytes, waiting: Duration = AnswerLimits.waiting,
        lasting: ServerLimits = ServerLimits(), log: OperatorLog? = nil, givesMemoryBack: Bool = true
    ) {
        self.lasting = LastingAnswers(limits: lasting)
        self.limit = limit
        self.waiting = waiting
        self.log = log
        self.givesMemoryBack = givesMemoryBack
    }

    /// Bytes that are reserved or to be written.
    package var used: Int { state.withLock { $0.used } }

    /// Requests that wait for bytes.
    var waiters: Int { state.withLock { $0.waiters.count } }

    /// Whether an answer that may be left small should be.
    func isSpent(by bytes: Int) -> Bool { used + bytes > limit }

    /// Reserves bytes, when need be after a wait; past the budget it throws `overloaded`. Whoever came first has the
    /// next bytes.
    ///
    /// - Parameter patience: How long it waits; nil for as long as answers do.
    func reserve(_ bytes: Int, patience: Duration? = nil) async throws -> Share {
        if let share = share(of: bytes) { return share }
        let (shares, turn) = AsyncStream.makeStream(of: Share.self, bufferingPolicy: .bufferingNewest(1))
        if let number = wait(for: bytes, turn) {
            defer { leave(number) }
            // Cancelled when this returns.
            async let _ = Self.end(turn, after: patience ?? waiting)
            for await share in shares { return share }
            try Task.checkCancellation()
        }
        throw Self.spent
    }

    /// What a request is told that finds no room.
    static let spent = Problem(.overloaded, detail: "Too many large answers wait to be read by their callers")

    /// Reserves bytes when they are there and nobody waits for them.
    func share(of bytes: Int) -> Share? {
        let isTaken = state.withLock { state in
            guard state.waiters.isEmpty, state.used + bytes <= limit else { return false }
            state.add(bytes)
            return true
        }
        return isTaken ? Share(of: self, bytes: bytes) : nil
    }

    /// Takes a place in the line; nil when that is full.
    private func wait(for bytes: Int, _ turn: AsyncStream<Share>.Continuation) -> Int? {
        let number = state.withLock { state -> Int? in
            guard state.waiters.count < AnswerLimits.waiters else { return nil }
            state.lastWaiter += 1
            state.waiters.append(Waiter(number: state.lastWaiter, bytes: bytes, turn: turn))
            return state.lastWaiter
        }
        // What was given back since the look at what is there.
        change(by: 0)
        return number
    }

    private static func end(_ turn: AsyncStream<Share>.Continuation, after time: Duration) async {
        // Cancelled when there was a turn.
        try? await Task.sleep(for: time)
        turn.finish()
    }

    private func leave(_ number: Int) {
        state.withLock { state in state.waiters.removeAll { $0.number == number } }
        // Whoever stands behind may need less.
        change(by: 0)
    }

    /// Counts an answer that exists already.
    func counting(_ bytes: Int) -> Share {
        change(by: bytes)
        return Share(of: self, bytes: bytes)
    }

    /// Counts bytes that are there, or are gone when negative.
    func change(by bytes: Int) {
        let (mustTrim, next) = state.withLock { state in
            state.add(bytes)
            return (state.mustTrim, state.admit(within: limit))
        }
        if mustTrim, givesMemoryBack { trim() }
        // The share of one who has just left gives its bytes back.
        for waiter in next { waiter.turn.yield(Share(of: self, bytes: waiter.bytes)) }
    }

    /// A connection is closed whose caller took nothing of so many bytes.
    func cutOff(unread bytes: Int) {
        log?.tellCutOff(unread: bytes)
    }

    /// Gives memory back to the system after a burst of answers, at most every ten seconds: the allocator is locked
    /// meanwhile, and would keep all of it for the next burst.
    private func trim() {
        // Nobody awaits it; it ends by itself within ten seconds, or with the process.
        Task {
            if let last = state.withLock({ $0.lastTrim }) {
                // It is not cancelled.
                try? await Task.sleep(until: last + AnswerLimits.trimInterval, clock: .continuous)
            }
            state.withLock { $0.trim() }
            await offLoop(for: .longWork) { allocation_trim() }
        }
    }

    /// Bytes of the budget, given back when nobody holds them any more.
    final class Share: Sendable {
        private let budget: AnswerBudget
        private let state: Mutex<(bytes: Int, other: Share?)>

        fileprivate init(of budget: AnswerBudget, bytes: Int) {
            self.budget = budget
            state = Mutex((bytes, nil))
        }

        deinit {
            resize(to: 0)
        }

        /// Takes more or gives some back: the answer is there, and so large.
        func resize(to size: Int) {
            let (change, other) = state.withLock { state in
                defer { state.bytes = size }
                return (size - state.bytes, state.other)
            }
            if change != 0 { budget.change(by: change) }
            other?.resize(to: size)
        }

        /// Has the same bytes count in another budget too.
        func counts(in other: Share) {
            state.withLock { $0.other = other }
        }
    }
}

extension AnswerBudget.State {
    fileprivate mutating func add(_ bytes: Int) {
        used += bytes
        peak = max(peak, used)
    }

    /// Takes those out of the line for whom there is room.
    fileprivate mutating func admit(within limit: Int) -> [AnswerBudget.Waiter] {
        if waiters.isEmpty { return [] }
        var count = 0
        while count < waiters.count, used + waiters[count].bytes <= limit {
            add(waiters[count].bytes)
            count += 1
        }
        defer { waiters.removeFirst(count) }
        return Array(waiters.prefix(count))
    }

    /// Whether a burst is over; says so once.
    fileprivate var mustTrim: Bool {
        mutating get {
            guard !isTrimming, peak >= AnswerLimits.burstBytes, used < AnswerLimits.burstBytes / 8 else { return false }
            isTrimming = true
            return true
        }
    }

    /// What was used before counts no more; the next burst is another one.
    fileprivate mutating func trim() {
        isTrimming = false
        peak = used
        lastTrim = .now
    }
}

/// The bounds of answers.
package enum AnswerLimits {
    /// Bytes of all answers that are made or not taken yet.
    package static let budgetBytes = 64 << 20
    /// Bytes that are reserved for a page before it is read: as much as the store gives for one, and as much again for
    /// its text.
    static let pageBytes = 2 << 20
    /// Bytes of a stream that are handed to its connection at once; so many of what a caller does not take are copied.
    static let sentBytes = 32 << 10
    /// Bytes that a connection's caller has not taken, from which on it is given nothing more, and up to which it is.
    static let untakenBytes = 16 << 10...32 << 10
    /// Bytes from which on an answer is counted before it is handed to its connection.
    static let smallBytes = 16 << 10
    /// Bytes that are reserved for lines with contexts.
    static let contextLinesBytes = 4 << 20
    /// Bytes that are reserved for answers about one thing, which are small most of the time, when the budget is spent.
    static let singlesBytes = 8 << 20
    /// Requests that wait for their share.
    static let waiters = 1_000
    /// How long a request waits for its share: what is only being made is gone by then, what is not read is not.
    package static let waiting: Duration = .seconds(1)
    /// Bytes of answers after which memory is given back.
    static let burstBytes = 8 << 20
    /// Between two times that memory is given back.
    static let trimInterval: Duration = .seconds(10)
    /// Seconds after which a connection that takes nothing of its answer is closed.
    static let stalledSeconds = 30
}
