import CAllocation
import Synchronization
import WorkflowAPI
package import WorkflowEngine

/// Bounds the bytes of answers that exist and are not yet taken by their callers, over all connections of a daemon.
///
/// A route that makes a large answer reserves its bytes before it reads the first of them. When the answer is handed to
/// its connection, `UnreadAnswers` counts the bytes that are still to be written.
package final class AnswerBudget: Sendable {
    /// The bytes that all answers may have together.
    let limit: Int
    /// The bound on answers that last as long as their callers want.
    let lasting: LastingAnswers
    private let waiting: Duration
    private let log: OperatorLog?
    private let givesMemoryBack: Bool
    private let state = Mutex(State())

    fileprivate struct State {
        var used = 0
        /// The requests that wait for bytes, in order of arrival.
        var waiters: [Waiter] = []
        var lastWaiter = 0
        /// The highest use since memory was last returned to the system.
        var peak = 0
        var lastTrim: ContinuousClock.Instant?
        var isTrimming = false
    }

    /// A request that waits for bytes of the budget.
    fileprivate struct Waiter {
        let number: Int
        let bytes: Int
        let turn: AsyncStream<Share>.Continuation
    }

    /// Creates a budget.
    ///
    /// - Parameters:
    ///   - waiting: The longest wait of a request for its share.
    ///   - lasting: The limits of answers that last.
    ///   - log: The log that reports connections that are cut off.
    ///   - givesMemoryBack: True if memory is returned to the system after a burst; false if another budget does so.
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

    /// The bytes that are reserved or still to be written.
    package var used: Int { state.withLock { $0.used } }

    /// The number of requests that wait for bytes.
    var waiters: Int { state.withLock { $0.waiters.count } }

    /// Returns true if these bytes would exceed the budget; an answer that can be kept small then should be.
    func isSpent(by bytes: Int) -> Bool { used + bytes > limit }

    /// Reserves bytes, after a wait if necessary. Requests get bytes in order of arrival.
    ///
    /// - Parameter patience: The longest wait; `nil` waits as long as answers do.
    /// - Throws: `overloaded` if the budget has no room, `CancellationError` if the task is cancelled.
    func reserve(_ bytes: Int, patience: Duration? = nil) async throws -> Share {
        if let share = share(of: bytes) { return share }
        let (shares, turn) = AsyncStream.makeStream(of: Share.self, bufferingPolicy: .bufferingNewest(1))
        if let number = wait(for: bytes, turn) {
            defer { leave(number) }
            // Cancelled when this function returns.
            async let _ = Self.end(turn, after: patience ?? waiting)
            for await share in shares { return share }
            try Task.checkCancellation()
        }
        throw Self.spent
    }

    /// The problem for a request that finds no room.
    static let spent = Problem(.overloaded, detail: "Too many large answers wait to be read by their callers")

    /// Reserves bytes if they are free and no request waits for them; otherwise returns `nil`.
    func share(of bytes: Int) -> Share? {
        let isTaken = state.withLock { state in
            guard state.waiters.isEmpty, state.used + bytes <= limit else { return false }
            state.add(bytes)
            return true
        }
        return isTaken ? Share(of: self, bytes: bytes) : nil
    }

    /// Adds a request to the line and returns its number; `nil` if the line is full.
    private func wait(for bytes: Int, _ turn: AsyncStream<Share>.Continuation) -> Int? {
        let number = state.withLock { state -> Int? in
            guard state.waiters.count < AnswerLimits.waiters else { return nil }
            state.lastWaiter += 1
            state.waiters.append(Waiter(number: state.lastWaiter, bytes: bytes, turn: turn))
            return state.lastWaiter
        }
        // Admits waiters if bytes were returned since the check in `reserve`.
        change(by: 0)
        return number
    }

    private static func end(_ turn: AsyncStream<Share>.Continuation, after time: Duration) async {
        // The sleep is cancelled when the request has its turn.
        try? await Task.sleep(for: time)
        turn.finish()
    }

    private func leave(_ number: Int) {
        state.withLock { state in state.waiters.removeAll { $0.number == number } }
        // The next request in the line may need fewer bytes.
        change(by: 0)
    }

    /// Counts an answer that already exists.
    func counting(_ bytes: Int) -> Share {
        change(by: bytes)
        return Share(of: self, bytes: bytes)
    }

    /// Adds bytes to the use, or subtracts them if the number is negative.
    func change(by bytes: Int) {
        let (mustTrim, next) = state.withLock { state in
            state.add(bytes)
            return (state.mustTrim, state.admit(within: limit))
        }
        if mustTrim, givesMemoryBack { trim() }
        // If a waiter has just left, its share returns the bytes.
        for waiter in next { waiter.turn.yield(Share(of: self, bytes: waiter.bytes)) }
    }

    /// Logs that a connection is closed whose caller took none of so many bytes.
    func cutOff(unread bytes: Int) {
        log?.tellCutOff(unread: bytes)
    }

    /// Returns memory to the system after a burst of answers, and again ten seconds later. Without this call, the
    /// allocator keeps the memory for the next burst; it is locked during the call.
    private func trim() {
        // Nobody awaits the task; it ends by itself within twenty seconds, or with the process.
        Task {
            if let last = state.withLock({ $0.lastTrim }) {
                // The task is never cancelled.
                try? await Task.sleep(until: last + AnswerLimits.trimInterval, clock: .continuous)
            }
            state.withLock { $0.trim() }
            await offLoop(for: .longWork) { allocation_trim() }
            // A connection frees what it held a little later than its answer counts as taken.
            try? await Task.sleep(for: AnswerLimits.trimInterval)
            await offLoop(for: .longWork) { allocation_trim() }
        }
    }

    /// Bytes of the budget, given back when the last reference to the share is released.
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

        /// Takes more bytes or gives some back, once the answer exists and its size is known.
        func resize(to size: Int) {
            let (change, other) = state.withLock { state in
                defer { state.bytes = size }
                return (size - state.bytes, state.other)
            }
            if change != 0 { budget.change(by: change) }
            other?.resize(to: size)
        }

        /// Counts the same bytes in another budget too.
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

    /// Removes the waiters for whom there is room from the line and returns them.
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

    /// True once after the end of a burst.
    fileprivate var mustTrim: Bool {
        mutating get {
            guard !isTrimming, peak >= AnswerLimits.burstBytes, used < AnswerLimits.burstBytes / 8 else { return false }
            isTrimming = true
            return true
        }
    }

    /// Starts the next burst: earlier use no longer counts.
    fileprivate mutating func trim() {
        isTrimming = false
        peak = used
        lastTrim = .now
    }
}

/// The limits of answers.
package enum AnswerLimits {
    /// Bytes of all answers that exist and are not yet taken.
    package static let budgetBytes = 64 << 20
    /// Bytes reserved for a page before it is read: the most that the store returns for one, and as much again for its
    /// text.
    static let pageBytes = 2 << 20
    /// Bytes of a stream that are handed to its connection at once. At most this many bytes that a caller does not take
    /// are copied.
    static let sentBytes = 32 << 10
    /// The untaken bytes of a connection at which writing to it resumes (lower bound) and stops (upper bound).
    static let untakenBytes = 16 << 10...32 << 10
    /// The size in bytes above which an answer is counted before it is handed to its connection.
    static let smallBytes = 16 << 10
    /// Bytes reserved for lines with contexts.
    static let contextLinesBytes = 4 << 20
    /// Bytes reserved for answers about one instance, which are usually small, when the budget is spent.
    static let singlesBytes = 8 << 20
    /// Requests that wait for their share at once.
    static let waiters = 1_000
    /// The longest wait of a request for its share. Answers that are being made are gone by then; unread answers are
    /// not.
    package static let waiting: Duration = .seconds(1)
    /// Bytes of answers after which memory is returned to the system.
    static let burstBytes = 8 << 20
    /// The shortest interval between two times that memory is returned to the system.
    static let trimInterval: Duration = .seconds(10)
    /// Seconds after which a connection whose caller takes nothing of its answer is closed.
    static let stalledSeconds = 30
}
