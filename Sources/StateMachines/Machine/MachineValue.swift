internal import Statechart

/// A machine as a value: the pure form on which `StateMachine` and `MemoryHost` build, and which a program can store.
public struct MachineValue<M: MachineDefinition>: Sendable {
    /// The status of an instance.
    public enum Status: String, Sendable, Codable {
        case running, done
        /// The instance could not take a pending item, such as a timer or an event that it sent to itself.
        case failed
        /// An operator suspended or cancelled the instance.
        case suspended, cancelled
    }

    /// A difference that restoring a machine accepts.
    public enum Allowance: Sendable {
        /// The definition is another one, which still has the active states.
        case changedDefinition
    }

    /// The answer to the question whether an instance takes an event now.
    public enum Acceptance: Sendable {
        case taken, refused
        /// Guards read the event's data, so only sending the event gives the answer.
        case dependsOnData
    }

    @usableFromInline let typed: TypedMachine<M>
    @usableFromInline var instance: UntypedInstance
    @usableFromInline var seen: Seen
    /// True if the value was decoded, and was stored under another definition. `StateMachine(restoring:allowing:)` then
    /// refuses it, unless the change is allowed.
    public internal(set) var hasChangedDefinition = false

    /// The state and context of a position, as the program sees them.
    @usableFromInline
    struct Seen: Sendable {
        @usableFromInline let state: M.State
        @usableFromInline let context: M.Context

        @inlinable
        init(_ state: M.State, _ context: M.Context) {
            self.state = state
            self.context = context
        }
    }

    /// The current state of the instance.
    @inlinable public var state: M.State { seen.state }
    /// The data of the instance.
    @inlinable public var context: M.Context { seen.context }

    /// Starts an instance. Throws a `Refusal` if the instance cannot begin. Throws `DefinitionMistakes`, also if a
    /// state invokes a task, which needs a host.
    ///
    /// Messages and expressions use `name`; `nil` means the machine's name. The instance begins with `context`; `nil`
    /// means the context of the definition. The `time` is counted from 1970, for expressions that read the time.
    public init(
        _ machine: M.Type = M.self, named name: String? = nil, context: M.Context? = nil, at time: Duration = .zero
    ) throws {
        let typed = try M.known.machineWithoutHost()
        let started = UntypedInstance.start(
            typed.machine, named: name ?? typed.machine.name, data: try M.data(of: context), at: LogicalTime(time),
            table: typed.table)
        switch started {
        case .success(let instance): try self.init(typed, instance)
        case .failure(let refusal):
            let message = typed.names.placed(refusal.message(for: "init", in: typed.machine))
            throw Refusal<M>(Refusal<M>.Reason(refusal), message)
        }
    }

    init(_ typed: TypedMachine<M>, _ instance: UntypedInstance) throws(MachineMismatch) {
        self.typed = typed
        self.instance = instance
        let position = instance.position
        seen = Seen(try typed.state(at: position), try typed.context(of: position.context))
    }
}

extension MachineDefinition {
    /// Returns the JSON of the context that an instance starts with.
    package static func data(of context: Context?) throws(MachineMismatch) -> JSONObject {
        guard let context else { return JSONObject() }
        return try MachineMismatch.told("\(Context.self)") { try ValueEncoder.value(of: context) }.object
            ?? JSONObject()
    }
}

extension MachineValue {
    /// The number of macrosteps so far.
    public var seq: Int64 { instance.snapshot.seq }
    /// The status of the instance: running, done, failed, suspended or cancelled.
    public var status: Status { Status(rawValue: instance.snapshot.status.rawValue) ?? .failed }
    /// The active states, outermost first, with regions in document order.
    public var active: [M.StateName] { typed.names.names(of: instance.snapshot.configuration) }
    /// The output of the final state at the top.
    public var output: JSONValue? { instance.snapshot.output }
    /// The failure; `nil` if the instance has not failed.
    public var failure: String? { instance.failure.map(typed.names.placed) }

    /// The time at which the next timer is due, by the machine's time; `nil` if none runs.
    public var nextTimer: Duration? {
        instance.nextTime.map { .milliseconds($0.milliseconds) }
    }

    /// Returns true if a state is active.
    public func isIn(_ state: M.StateName) -> Bool {
        typed.machine.state(atPath: state.rawValue).map { instance.snapshot.configuration.contains($0) } ?? false
    }

    /// The events that the instance takes now, or could take with suitable data.
    public var accepted: [M.EventName] { typed.events(of: instance.accepted) }

    /// Returns true if the instance takes an event now, or could take it with suitable data. Nothing changes.
    public func accepts(_ event: M.EventName) -> Bool { acceptance(of: event) != .refused }

    /// Returns whether the instance takes an event now. Nothing changes.
    public func acceptance(of event: M.EventName) -> Acceptance {
        switch instance.accepts(event.rawValue) {
        case true?: .taken
        case false?: .refused
        case nil: .dependsOnData
        }
    }

    /// Returns true if an event that the instance takes now leads into a state. Nothing changes.
    ///
    /// If the move depends on the event's data, the answer is true if a transition of this event leads there.
    public func canReach(_ state: M.StateName) -> Bool {
        guard let index = typed.machine.state(atPath: state.rawValue) else { return false }
        return accepted.contains { instance.enters(index, by: $0.rawValue) }
    }

    /// Takes an event: one macrostep, or no change if an error is thrown. Items that are due before stay for
    /// `takeNext`.
    @discardableResult
    public mutating func take(_ event: M.Event, at time: Duration = .zero) throws(Refusal<M>) -> Transition<M> {
        do throws(UntakenEvent) {
            let move = try move(of: event, at: LogicalTime(time).milliseconds)
            keep(move)
            return move
        } catch {
            throw refusal(error)
        }
    }

    /// Takes the next pending item: an event that the instance sent to itself, or a timer that is due by `time`.
    /// Returns `nil` if there is none.
    @discardableResult
    public mutating func takeNext(until time: Duration) -> Transition<M>? {
        guard let move = nextMove(until: LogicalTime(time)) else { return nil }
        keep(move)
        return move
    }
}

extension MachineValue {
    func at(_ time: LogicalTime) -> MachineValue {
        var later = self
        later.instance = instance.at(time)
        return later
    }
}

// The caller that asked for a move keeps it.
extension MachineValue {
    @inlinable
    mutating func keep(_ move: Transition<M>) {
        instance.keep(move.move)
        seen = Seen(move.state, move.context)
    }

    /// Drops the next pending item.
    mutating func dropNext() { instance.dropNext() }

    @inlinable
    func move(of event: M.Event, at milliseconds: Int64) throws(UntakenEvent) -> Transition<M> {
        try typed.move(of: event, from: instance, with: seen.context, at: milliseconds)
    }

    /// Returns the move of the next pending item up to a time. A move that does not fit the types of `M` makes the
    /// instance fail.
    func nextMove(until limit: LogicalTime) -> Transition<M>? {
        guard let next = instance.next(until: limit) else { return nil }
        do throws(MachineMismatch) {
            return try typed.move(by: instance.move(of: next), from: instance, with: context)
        } catch {
            let step = instance.failing(on: next, because: error.description)
            return Transition(names: typed.names, move: step, state: state, context: context)
        }
    }
}

extension TypedMachine {
    /// Returns the move of an event.
    ///
    /// - Parameter context: The context of the instance.
    @inlinable
    func move(
        of event: M.Event, from instance: UntypedInstance, with context: M.Context, at milliseconds: Int64
    ) throws(UntakenEvent) -> Transition<M> {
        let encoded: EncodedEvent<M.EventName>
        do throws(MachineMismatch) { encoded = try event.encoded() } catch { throw .unwritable(error) }
        let name = encoded.name.rawValue
        let step: UntypedMove
        do throws(UntypedRefusal) { step = try instance.move(of: name, encoded.data, at: milliseconds) } catch {
            throw .refused(error, event: name)
        }
        do throws(MachineMismatch) {
            return try move(by: step, from: instance, with: context, sent: event)
        } catch {
            throw .unfit(error, event: name)
        }
    }

    @inlinable
    func move(
        by step: UntypedMove, from instance: UntypedInstance, with context: M.Context, sent event: M.Event? = nil
    ) throws(MachineMismatch) -> Transition<M> {
        let state = try state(at: step)
        let isSame = M.Context.self == NoContext.self || !instance.changesContext(step)
        let after = isSame ? context : try self.context(of: step.context)
        return Transition(names: names, move: step, sent: event, state: state, context: after)
    }
}

extension LogicalTime {
    /// Clamps a duration to the times that an instance can have: 1970 to the year 9999.
    package init(_ time: Duration) {
        self.init(milliseconds: min(max(time.wholeMilliseconds, 0), StepLimits.latestDue))
    }
}
