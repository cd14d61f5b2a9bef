internal import Statechart

/// A machine in memory, for one owner: the main actor, an actor, a game loop, a test.
///
/// It has no lock and is not `Sendable`: whoever owns it calls it, and is called back where it called. For many callers
/// there are hosts.
public final class StateMachine<M: MachineDefinition> {
    // One owner: what is called back comes between the accesses to these and never within one, so that nothing checks
    // it at every send.
    @exclusivity(unchecked) @usableFromInline var current: MachineValue<M>
    /// Asked before a move, also of a timer; false refuses an event (`vetoed`) and drops what came by itself. Only
    /// here: what a daemon must know is a guard.
    @exclusivity(unchecked)
    public var shouldTransition: ((_ from: M.StateName, _ to: M.StateName) -> Bool)?
    /// The machine's time as instances have it.
    @exclusivity(unchecked) @usableFromInline var milliseconds: Int64
    /// Where the time comes from while `run` goes on.
    @exclusivity(unchecked) @usableFromInline var clock: (() -> Duration)?
    /// What `run` waits for.
    @exclusivity(unchecked) @usableFromInline var sleeper: Task<Void, any Error>?
    @exclusivity(unchecked) @usableFromInline var observers: [Observer] = []
    @exclusivity(unchecked) @usableFromInline var behaviors: [M.StateName: any StateBehavior<M>] = [:]
    /// Moves that nobody was told of yet.
    @exclusivity(unchecked) @usableFromInline var untold: [Transition<M>] = []
    @exclusivity(unchecked) @usableFromInline var isTelling = false
    @exclusivity(unchecked) @usableFromInline var isAsking = false

    /// Whom to tell of each move; gone when it answers false.
    @usableFromInline
    struct Observer {
        @usableFromInline let id: Int
        @usableFromInline let tell: (Transition<M>) -> Bool
    }

    /// The machine's time, finer than that of instances.
    private var time: Duration { didSet { milliseconds = LogicalTime(time).milliseconds } }
    private var lastObserver = 0
    private var streams: [Int: AsyncStream<Transition<M>>.Continuation] = [:]

    /// Macrosteps that a machine makes by itself at one call without that time goes on; the rest comes with the next.
    private static var restlessness: Int { 1_000 }

    /// Starts it. Throws `DefinitionMistakes`, or a `Refusal` when it cannot begin.
    ///
    /// Its `name` stands in messages and expressions; nil for the machine's. It begins with `context`; nil for what the
    /// definition says. The `time` is counted from 1970, for expressions that ask what time it is.
    public convenience init(
        _ machine: M.Type = M.self, named name: String? = nil, context: M.Context? = nil, at time: Duration = .zero
    ) throws {
        self.init(restoring: try MachineValue(machine, named: name, context: context, at: time))
    }

    /// Goes on from a value that was stored.
    public init(restoring value: MachineValue<M>) {
        current = value
        milliseconds = value.instance.last.milliseconds
        time = .milliseconds(milliseconds)
        _ = catchUp()
    }

    deinit {
        sleeper?.cancel()
        for stream in streams.values { stream.finish() }
    }

    /// The machine as a value, to be stored: as of now, so that its timers go on where they are.
    public var value: MachineValue<M> {
        let now = clock.map { max(time, $0()) } ?? time
        return current.at(LogicalTime(now))
    }
    /// Where it is.
    @inlinable public var state: M.State { current.state }
    /// Its data.
    @inlinable public var context: M.Context { current.context }
    /// Where it was before its last move.
    public var previous: M.StateName? {
        current.instance.position.before.last.flatMap { current.typed.names[$0] }
    }
    /// Whether it still runs.
    public var status: MachineValue<M>.Status { current.status }

    /// Whether a state is active.
    public func isIn(_ state: M.StateName) -> Bool { current.isIn(state) }

    /// Whether it would take an event now; nil when that depends on the event's data.
    public func canSend(_ event: M.EventName) -> Bool? { current.accepts(event) }

    /// Sends an event: timers that are due come before it, and what the machine sends to itself right after. Then
    /// behaviors and observers are told, each move once and in order, also when one of them sends.
    ///
    /// - Returns: The event's move, and those of what the machine sent to itself in consequence, as one.
    @inlinable
    @discardableResult
    public func send(_ event: M.Event) throws(Refusal<M>) -> Transition<M> {
        if isAsking { throw Refusal(busy: ()) }
        if clock != nil { readClock() }
        // Also when the event is refused: timers that were due before it have fired.
        defer { if !untold.isEmpty { tell() } }
        if current.instance.isArmed { _ = catchUp() }
        let move = try current.move(of: event, at: milliseconds)
        if shouldTransition != nil { try ask(move) }
        keep(move)
        let answer = current.instance.isArmed ? followUp(move) : move
        if sleeper != nil { wake() }
        return answer
    }

    /// `send`, when only yes or no matters.
    @inlinable
    public func attempt(_ event: M.Event) -> Bool {
        do throws(Refusal<M>) {
            try send(event)
            return true
        } catch {
            return false
        }
    }

    @usableFromInline
    func readClock() {
        if let clock { time = max(time, clock()) }
    }

    /// Ends the wait of `run`: there may be other timers now.
    @usableFromInline
    func wake() { sleeper?.cancel() }

    @usableFromInline
    func ask(_ move: Transition<M>) throws(Refusal<M>) {
        guard !allows(move) else { return }
        throw Refusal(.vetoed, "'\(move.event)' was refused by 'shouldTransition'")
    }

    /// Takes what a move brings with it.
    @usableFromInline
    func followUp(_ move: Transition<M>) -> Transition<M> {
        var answer = move
        for next in takeSent() { answer = answer.followed(by: next) }
        _ = catchUp()
        return answer
    }

    private func allows(_ move: Transition<M>) -> Bool {
        guard let shouldTransition, let from = move.from.last, let to = move.to.last else {
            return true
        }
        isAsking = true
        defer { isAsking = false }
        return shouldTransition(from, to)
    }

    @inlinable
    func keep(_ move: Transition<M>) {
        current.keep(move)
        if !observers.isEmpty || !behaviors.isEmpty { untold.append(move) }
    }

    /// Takes what the machine sent to itself.
    private func takeSent() -> [Transition<M>] {
        var moves: [Transition<M>] = []
        while moves.count < Self.restlessness, current.instance.position.after.armed.nextSent != nil,
            let move = takeNext()
        {
            moves += move
        }
        return moves
    }

    /// Takes all that comes by itself up to now.
    @usableFromInline
    func catchUp() -> [Transition<M>] {
        var moves: [Transition<M>] = []
        var steps = 0
        var moment = current.instance.last
        while steps < Self.restlessness, let move = takeNext() {
            steps = current.instance.last == moment ? steps + 1 : 0
            moment = current.instance.last
            moves += move
        }
        return moves
    }

    /// Takes what comes next; an empty list when it was refused and is gone, nil when nothing is due.
    private func takeNext() -> [Transition<M>]? {
        guard let move = current.nextMove(until: LogicalTime(time)) else { return nil }
        guard allows(move) else {
            current.dropNext()
            return []
        }
        keep(move)
        return [move]
    }
}

// MARK: Telling

extension StateMachine {
    /// Adds an observer, which is told of each move from now on.
    public func onTransition(_ observer: @escaping (Transition<M>) -> Void) {
        observe { move in
            observer(move)
            return true
        }
    }

    private func observe(_ tell: @escaping (Transition<M>) -> Bool) {
        lastObserver += 1
        observers.append(Observer(id: lastObserver, tell: tell))
    }

    /// Gives a state what it does for the program. Told at once when the state is active.
    public func set(_ behavior: any StateBehavior<M>, for state: M.StateName) {
        behaviors[state] = behavior
        if isIn(state) { behavior.didEnter(from: nil) }
    }

    /// The moves from now on, until the machine is done. Who is 1,024 behind misses the oldest, and sees it by `seq`.
    public var transitions: AsyncStream<Transition<M>> {
        let (stream, continuation) = AsyncStream<Transition<M>>.makeStream(bufferingPolicy: .bufferingNewest(1_024))
        guard status == .running else {
            continuation.finish()
            return stream
        }
        let id = lastObserver + 1
        streams[id] = continuation
        observe { [unowned self] move in
            var isHeard = true
            if case .terminated = continuation.yield(move) { isHeard = false }
            if status == .done { continuation.finish() }
            if !isHeard || status == .done { streams[id] = nil }
            return isHeard && status != .done
        }
        return stream
    }

    @inlinable
    func tell() {
        guard !isTelling else { return }
        isTelling = true
        defer { isTelling = false }
        while !untold.isEmpty {
            let move = untold.removeFirst()
            if !behaviors.isEmpty { tell(behaviors: move) }
            for observer in observers where !observer.tell(move) {
                observers.removeAll { $0.id == observer.id }
            }
        }
    }

    @usableFromInline
    func tell(behaviors move: Transition<M>) {
        guard let from = move.from.last, let to = move.to.last else { return }
        for state in move.exited { behaviors[state]?.willExit(to: to) }
        for state in move.entered { behaviors[state]?.didEnter(from: from) }
    }
}

// MARK: Time

extension StateMachine {
    /// Lets time go on: the timers on the way fire, each at its own time. For tests and game loops.
    @discardableResult
    public func advance(by duration: Duration) -> [Transition<M>] {
        // Times of instances end with the year 9999.
        time = min(time + duration, .milliseconds(253_402_300_799_999))
        guard !isAsking else { return [] }
        let moves = catchUp()
        tell()
        sleeper?.cancel()
        return moves
    }

    /// Lets time go on, and tells the behaviors of the states that are active then.
    public func update(deltaTime: Duration) {
        advance(by: deltaTime)
        for state in current.active { behaviors[state]?.update(deltaTime: deltaTime) }
    }

    /// Fires timers by a clock until cancelled or done, where the caller is isolated. Events that are sent meanwhile
    /// have the clock's time.
    ///
    /// - Precondition: It does not run already.
    public func run(clock: some Clock<Duration> = ContinuousClock()) async throws {
        precondition(self.clock == nil, "a machine runs by one clock")
        let base = time
        let start = clock.now
        self.clock = { base + start.duration(to: clock.now) }
        defer {
            readClock()
            self.clock = nil
        }
        while status == .running {
            try Task.checkCancellation()
            time = max(time, self.clock?() ?? time)
            _ = catchUp()
            tell()
            // A day is as good as ever: who sends an event ends the wait.
            let next = current.nextTimer ?? time + .seconds(86_400)
            let sleeper = Task { try await clock.sleep(until: start.advanced(by: next - base), tolerance: nil) }
            self.sleeper = sleeper
            defer { self.sleeper = nil }
            // It ends by its time, by an event or with this task; all three go round once more.
            _ = await withTaskCancellationHandler {
                await sleeper.result
            } onCancel: {
                sleeper.cancel()
            }
        }
    }
}
