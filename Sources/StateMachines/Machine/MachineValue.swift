internal import Statechart

/// A machine as a value: the pure form, which `StateMachine` and `MemoryHost` are made of, and what a program stores.
public struct MachineValue<M: MachineDefinition>: Sendable {
    /// Whether the machine still runs.
    public enum Status: String, Sendable, Codable {
        case running, done
        /// Something that was to come by itself could not be taken.
        case failed
        /// An operator has stopped it, or has ended it.
        case suspended, cancelled
    }

    @usableFromInline let typed: TypedMachine<M>
    @usableFromInline var instance: UntypedInstance
    @usableFromInline var seen: Seen

    /// What a program sees of the position.
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

    /// Where the instance is.
    @inlinable public var state: M.State { seen.state }
    /// Its data.
    @inlinable public var context: M.Context { seen.context }

    /// Starts an instance. Throws `DefinitionMistakes`, also when a state invokes what only a host can do, or a
    /// `Refusal` when it cannot begin.
    ///
    /// Its `name` stands in messages and expressions; nil for the machine's. It begins with `context`; nil for what the
    /// definition says. The `time` is counted from 1970, for expressions that ask what time it is.
    public init(
        _ machine: M.Type = M.self, named name: String? = nil, context: M.Context? = nil, at time: Duration = .zero
    ) throws {
        let typed = try M.definition.machineWithoutHost()
        let started = UntypedInstance.start(
            typed.machine, named: name ?? typed.machine.name, data: try M.data(of: context), at: LogicalTime(time))
        switch started {
        case .success(let instance): try self.init(typed, instance)
        case .failure(let refusal):
            let message = refusal.message(for: "init", in: typed.machine)
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
    /// What an instance is started with.
    package static func data(of context: Context?) throws(MachineMismatch) -> JSONObject {
        guard let context else { return JSONObject() }
        return try MachineMismatch.told("\(Context.self)") { try ValueEncoder.value(of: context) }.object
            ?? JSONObject()
    }
}

extension MachineValue {
    /// How many macrosteps led to where it is.
    public var seq: Int64 { instance.snapshot.seq }
    /// Whether it still runs.
    public var status: Status { Status(rawValue: instance.snapshot.status.rawValue) ?? .failed }
    /// The active states, outermost first, regions in their order.
    public var active: [M.StateName] { typed.names.names(of: instance.snapshot.configuration) }
    /// What the final state at the top gave.
    public var output: JSONValue? { instance.snapshot.output }
    /// Why the instance has failed; nil when it has not.
    public var failure: String? { instance.failure }

    /// When the next timer is due, by the machine's time; nil when none runs.
    public var nextTimer: Duration? {
        instance.nextTime.map { .milliseconds($0.milliseconds) }
    }

    /// Whether a state is active.
    public func isIn(_ state: M.StateName) -> Bool {
        typed.machine.state(atPath: state.rawValue).map { instance.snapshot.configuration.contains($0) } ?? false
    }

    /// What it takes now, or could take with the right data.
    public var accepted: [M.EventName] { typed.events(of: instance.accepted) }

    /// Whether it would take an event now; nil when that depends on the event's data.
    public func accepts(_ event: M.EventName) -> Bool? {
        var isOpen = false
        for (descriptor, isAccepted) in instance.acceptance where typed.matches(descriptor, event) {
            if isAccepted == true { return true }
            if isAccepted == nil { isOpen = true }
        }
        return isOpen ? nil : false
    }

    /// Takes an event: one macrostep, or nothing when it throws. What is due before is left to `takeNext`.
    @discardableResult
    public mutating func take(_ event: M.Event, at time: Duration = .zero) throws(Refusal<M>) -> Transition<M> {
        let move = try move(of: event, at: LogicalTime(time).milliseconds)
        keep(move)
        return move
    }

    /// Takes the next that comes by itself: an event that the instance sent to itself, or a timer that is due by then.
    /// Nil when there is none.
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

// A move is kept by whoever asked for it.
extension MachineValue {
    @inlinable
    mutating func keep(_ move: Transition<M>) {
        instance.keep(move.move)
        seen = Seen(move.state, move.context)
    }

    /// Goes on without what would come next.
    mutating func dropNext() { instance.dropNext() }

    @inlinable
    func move(of event: M.Event, at milliseconds: Int64) throws(Refusal<M>) -> Transition<M> {
        let encoded: EncodedEvent<M.EventName>
        do throws(MachineMismatch) { encoded = try event.encoded() } catch { throw Refusal(unwritable: error) }
        let name = encoded.name.rawValue
        let step: UntypedMove
        do throws(UntypedRefusal) { step = try instance.move(of: name, encoded.data, at: milliseconds) } catch {
            throw refusal(error, of: name)
        }
        do throws(MachineMismatch) { return try move(by: step) } catch { throw Refusal(undone: name, error) }
    }

    @usableFromInline
    func refusal(_ error: UntypedRefusal, of event: String) -> Refusal<M> {
        let message = instance.message(of: error.refusal, for: event)
        return Refusal(Refusal<M>.Reason(error.refusal), message, accepted: accepted)
    }

    /// What comes by itself until a time. What does not fit the types of `M` makes the instance fail.
    func nextMove(until limit: LogicalTime) -> Transition<M>? {
        guard let next = instance.next(until: limit) else { return nil }
        do throws(MachineMismatch) { return try move(by: instance.move(of: next)) } catch {
            let step = instance.failing(on: next, because: error.description)
            return Transition(names: typed.names, move: step, state: state, context: context)
        }
    }

    @inlinable
    func move(by step: UntypedMove) throws(MachineMismatch) -> Transition<M> {
        let state = try typed.state(at: step)
        let isSame = M.Context.self == NoContext.self || !instance.changesContext(step)
        let context = isSame ? seen.context : try typed.context(of: step.context)
        return Transition(names: typed.names, move: step, state: state, context: context)
    }
}

extension LogicalTime {
    /// Cut to what a time of an instance may be: 1970 to the year 9999.
    package init(_ time: Duration) {
        self.init(milliseconds: min(max(time.wholeMilliseconds, 0), 253_402_300_799_999))
    }
}
