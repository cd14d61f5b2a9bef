internal import Statechart

/// A machine in memory, for one owner: the main actor, an actor, a game loop, a test.
///
/// A `StateMachine` has no lock and is not `Sendable`. Its owner calls it, and callbacks run where the owner called.
/// Use a host for many callers.
public final class StateMachine<M: MachineDefinition> {
    // The machine has one owner. Callbacks run between the accesses to these properties and never within one, so no
    // send pays for exclusivity checks.
    @exclusivity(unchecked) @usableFromInline var current: MachineValue<M>
    /// Called before each move, including those of timers. `false` refuses an event (`vetoed`), and drops a timer or an
    /// event that the machine sent to itself. Only `StateMachine` has this hook: use a guard for a rule that a daemon
    /// must know.
    @exclusivity(unchecked)
    public var shouldTransition: ((_ from: M.StateName, _ to: M.StateName) -> Bool)?
    /// The machine's time in the resolution of instances; `nil` until an event needs it.
    @exclusivity(unchecked) @usableFromInline var milliseconds: Int64?
    /// The source of the time while `run` runs.
    @exclusivity(unchecked) @usableFromInline var clock: (() -> Duration)?
    /// The number of calls of `run`; the last one has the clock and the sleep.
    private var runs = 0
    /// The sleep that `run` awaits.
    @exclusivity(unchecked) @usableFromInline var sleeper: Task<Void, any Error>?
    @exclusivity(unchecked) @usableFromInline var observers: [Observer<M>] = []
    @exclusivity(unchecked) @usableFromInline var handlers: [M.StateName: [StateHandler<M>]] = [:]
    /// The calls of `didEnter` that are due before the machine takes another event.
    @exclusivity(unchecked) @usableFromInline var entries: [(handler: StateHandler<M>, from: M.StateName?)] = []
    /// The moves that observers do not know yet.
    @exclusivity(unchecked) @usableFromInline var untold: [Transition<M>] = []
    @exclusivity(unchecked) @usableFromInline var isTelling = false
    /// True while the program is asked, or told of an exit: between the choice of a move and its effect.
    @exclusivity(unchecked) @usableFromInline var isAsking = false

    /// The machine's time in full resolution.
    @exclusivity(unchecked) @usableFromInline var time: Duration { didSet { milliseconds = nil } }
    var streams: [ObjectIdentifier: AsyncStream<Transition<M>>.Continuation] = [:]

    /// The most macrosteps that a machine takes by itself in one call without an advance of time. The next call takes
    /// the rest.
    private static var restlessness: Int { 1_000 }

    /// Starts the machine. Throws `DefinitionMistakes`, or a `Refusal` if the machine cannot begin.
    ///
    /// Messages and expressions use `name`; `nil` means the machine's name. The machine begins with `context`; `nil`
    /// means the context of the definition. The `time` is counted from 1970, for expressions that read the time.
    public convenience init(
        _ machine: M.Type = M.self, named name: String? = nil, context: M.Context? = nil, at time: Duration = .zero
    ) throws {
        try self.init(restoring: try MachineValue(machine, named: name, context: context, at: time))
    }

    /// Continues from a stored value. Throws if it was stored under another definition, unless `allowing` is
    /// `.changedDefinition`.
    ///
    /// A timer then follows the new delay, counted from the time at which it began. A new timer begins when its state
    /// is entered the next time.
    public init(
        restoring value: MachineValue<M>, allowing allowed: MachineValue<M>.Allowance? = nil
    ) throws(MachineMismatch) {
        guard !value.hasChangedDefinition || allowed == .changedDefinition else {
            throw MachineMismatch(
                "Cannot restore '\(value.typed.machine.name)': its definition has changed since it was stored; "
                    + "allow it with 'allowing: .changedDefinition'")
        }
        current = value
        current.hasChangedDefinition = false
        time = .milliseconds(value.instance.last.milliseconds)
        _ = catchUp()
    }

    deinit {
        sleeper?.cancel()
        for stream in streams.values { stream.finish() }
    }

    /// The machine as a value that can be stored. Its time is the current time, so its timers continue.
    public var value: MachineValue<M> {
        let now = clock.map { max(time, $0()) } ?? time
        return current.at(LogicalTime(now))
    }
    /// The current state.
    @inlinable public var state: M.State { current.state }
    /// The data of the machine.
    @inlinable public var context: M.Context { current.context }
    /// The innermost state before the last move.
    public var previous: M.StateName? {
        current.instance.position.before.last.flatMap { current.typed.names[$0] }
    }
    /// The status of the machine.
    public var status: MachineValue<M>.Status { current.status }

    /// Returns true if a state is active.
    public func isIn(_ state: M.StateName) -> Bool { current.isIn(state) }

    /// Returns true if the machine takes an event now, or could take it with suitable data. Nothing changes, and
    /// `shouldTransition` is not asked.
    public func canSend(_ event: M.EventName) -> Bool { current.accepts(event) }

    /// Returns whether the machine takes an event now, or that the answer depends on the event's data. Nothing changes.
    public func acceptance(of event: M.EventName) -> MachineValue<M>.Acceptance { current.acceptance(of: event) }

    /// Returns true if an event that the machine takes now leads into a state. Nothing changes.
    ///
    /// If the move depends on the event's data, the answer is true if a transition of this event leads there.
    public func canReach(_ state: M.StateName) -> Bool { current.canReach(state) }

    /// Sends an event. Due timers fire before the event, and events that the machine sends to itself follow it.
    ///
    /// For each move, `willExit` is called before the state changes, and `didEnter` after it. Then observers get each
    /// move once and in order, also if one of them sends an event.
    ///
    /// - Returns: The event's move, combined with the moves of the events that the machine sent to itself as a result.
    @inlinable
    @discardableResult
    public func send(_ event: M.Event) throws(Refusal<M>) -> Transition<M> {
        // Observers are called also if the event is refused, because timers that were due before it have fired.
        defer { if !untold.isEmpty || !entries.isEmpty { tell() } }
        do throws(UntakenEvent) { return try deliver(event) } catch { throw current.refusal(error) }
    }

    /// Sends an event, and returns true if the machine took it. No `Refusal` is built.
    @inlinable
    @discardableResult
    public func attempt(_ event: M.Event) -> Bool {
        defer { if !untold.isEmpty || !entries.isEmpty { tell() } }
        do throws(UntakenEvent) {
            _ = try deliver(event)
            return true
        } catch {
            return false
        }
    }

    @inlinable
    func deliver(_ event: M.Event) throws(UntakenEvent) -> Transition<M> {
        if isAsking { throw .busy }
        if clock != nil { readClock() }
        if current.instance.isArmed { _ = catchUp() }
        if !entries.isEmpty { enter() }
        let move = try current.typed.move(
            of: event, from: current.instance, with: current.seen.context, at: milliseconds ?? readTime())
        if shouldTransition != nil { try ask(move) }
        keep(move)
        let answer = current.instance.isArmed ? followUp(move) : move
        if sleeper != nil { wake() }
        return answer
    }

    @usableFromInline
    func readClock() {
        if let clock { time = max(time, clock()) }
    }

    @usableFromInline
    func readTime() -> Int64 {
        let now = LogicalTime(time).milliseconds
        milliseconds = now
        return now
    }

    /// Ends the wait of `run`, because the timers may have changed.
    @usableFromInline
    func wake() { sleeper?.cancel() }

    @usableFromInline
    func ask(_ move: Transition<M>) throws(UntakenEvent) {
        guard allows(move) else { throw .vetoed(event: move.event) }
    }

    /// Takes the events and timers that follow a move.
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
        if !handlers.isEmpty { exit(by: move) }
        current.keep(move)
        if !handlers.isEmpty { queueEntries(of: move) }
        if !observers.isEmpty { untold.append(move) }
    }

    /// Takes the events that the machine sent to itself.
    private func takeSent() -> [Transition<M>] {
        var moves: [Transition<M>] = []
        while moves.count < Self.restlessness {
            enter()
            guard current.instance.position.after.armed.nextSent != nil, let move = takeNext() else { break }
            moves += move
        }
        return moves
    }

    /// Takes all pending items that are due.
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

    /// Takes the next pending item. Returns an empty list if the item was refused and dropped, and `nil` if none is
    /// due.
    private func takeNext() -> [Transition<M>]? {
        enter()
        guard let move = current.nextMove(until: LogicalTime(time)) else { return nil }
        guard allows(move) else {
            current.dropNext()
            return []
        }
        keep(move)
        return [move]
    }
}

// MARK: Time

extension StateMachine {
    /// Advances the time: the timers on the way fire, each at its own time. For tests and game loops.
    @inlinable
    @discardableResult
    public func advance(by duration: Duration) -> [Transition<M>] {
        // The times of instances end with the year 9999.
        let latest = Duration.milliseconds(253_402_300_799_999)
        time = min(time + min(max(duration, .zero), latest), latest)
        guard !isAsking else { return [] }
        let moves = current.instance.isArmed ? catchUp() : []
        if !untold.isEmpty || !entries.isEmpty { tell() }
        if sleeper != nil { wake() }
        return moves
    }

    /// Advances the time, then calls the behaviors of the states that are active.
    @inlinable
    public func update(deltaTime: Duration) {
        advance(by: deltaTime)
        if !handlers.isEmpty { updateBehaviors(deltaTime) }
    }

    @usableFromInline
    func updateBehaviors(_ deltaTime: Duration) {
        for state in current.active {
            for handler in handlers[state] ?? [] { handler.update?(deltaTime) }
        }
    }

    /// Fires timers by a clock until the task is cancelled or the machine is done, in the caller's isolation. Events
    /// that are sent meanwhile have the clock's time. A later `run` takes over, and the earlier one throws
    /// `CancellationError`.
    public func run(clock: some Clock<Duration> = ContinuousClock()) async throws {
        readClock()
        sleeper?.cancel()
        runs += 1
        let own = runs
        let base = time
        let start = clock.now
        self.clock = { base + start.duration(to: clock.now) }
        defer {
            if runs == own {
                readClock()
                self.clock = nil
            }
        }
        while status == .running {
            guard runs == own else { throw CancellationError() }
            try Task.checkCancellation()
            time = max(time, self.clock?() ?? time)
            _ = catchUp()
            tell()
            // Without a timer any length would do, because a sent event ends the wait.
            let next = current.nextTimer ?? time + .seconds(86_400)
            let sleeper = Task { try await clock.sleep(until: start.advanced(by: next - base), tolerance: nil) }
            self.sleeper = sleeper
            defer { if runs == own { self.sleeper = nil } }
            // The sleep ends at its time, by an event, or with this task. In all three cases the loop continues.
            _ = await withTaskCancellationHandler {
                await sleeper.result
            } onCancel: {
                sleeper.cancel()
            }
        }
    }
}
