internal import Statechart

/// A machine as a value: the pure form, which `StateMachine` and `MemoryHost` are made of, and what a program stores.
public struct MachineValue<M: MachineDefinition>: Sendable {
    /// Whether the machine still runs.
    public enum Status: String, Sendable, Codable {
        case running, done
        /// Something that was to come by itself could not be taken.
        case failed
    }

    let typed: TypedMachine<M>
    private(set) var snapshot: Snapshot
    let identity: InstanceIdentity
    /// Of the last macrostep.
    private(set) var last: LogicalTime

    /// Where the instance is.
    public private(set) var state: M.State
    /// Its data.
    public private(set) var context: M.Context
    /// Why the instance has failed; nil when it has not.
    public private(set) var failure: String?

    /// Starts an instance. Throws `DefinitionMistakes`, or a `Refusal` when it cannot begin.
    ///
    /// - Parameters:
    ///   - name: Of the instance, in messages and expressions; nil for the machine's.
    ///   - context: What it begins with; nil for what the definition says.
    ///   - time: Since 1970, for expressions that ask what time it is.
    public init(
        _ machine: M.Type = M.self, named name: String? = nil, context: M.Context? = nil, at time: Duration = .zero
    ) throws {
        try self.init(try M.definition.machine(), named: name, context: context, at: LogicalTime(time))
    }

    init(
        _ typed: TypedMachine<M>, named name: String? = nil, version: Int64 = 1, context: M.Context?,
        at time: LogicalTime
    ) throws {
        let object = try context.flatMap { context in
            try MachineMismatch.told("\(M.Context.self)") { try ValueEncoder.value(of: context) }.object
        }
        let identity = InstanceIdentity(name: name ?? typed.machine.name, version: version, startedAt: time)
        let outcome = typed.machine.apply(.start(with: object ?? JSONObject(), at: time), to: nil, as: identity)
        switch outcome {
        case .accepted(let macrostep):
            snapshot = macrostep.snapshot
            state = try typed.state(snapshot.configuration, snapshot.context)
            self.context = try typed.context(of: snapshot.context)
        case .refused(let refusal), .failed(_, let refusal):
            let message = refusal.message(for: "init", in: typed.machine)
            throw Refusal<M>(Refusal<M>.Reason(refusal), message)
        }
        self.typed = typed
        self.identity = identity
        last = time
    }

    /// One that was stored; its states are checked by who made the snapshot.
    init(
        _ typed: TypedMachine<M>, _ snapshot: Snapshot, _ identity: InstanceIdentity, last: LogicalTime,
        failure: String?
    ) throws(MachineMismatch) {
        self.typed = typed
        self.snapshot = snapshot
        self.identity = identity
        self.last = last
        self.failure = failure
        state = try typed.state(snapshot.configuration, snapshot.context)
        context = try typed.context(of: snapshot.context)
    }
}

extension MachineValue {
    /// How many macrosteps led to where it is.
    public var seq: Int64 { snapshot.seq }
    /// Whether it still runs.
    public var status: Status { Status(rawValue: snapshot.status.rawValue) ?? .failed }
    /// The active states, outermost first, regions in their order.
    public var active: [M.StateName] { typed.names.names(of: snapshot.configuration) }
    /// What the final state at the top gave.
    public var output: JSONValue? { snapshot.output }

    /// When the next timer is due, by the machine's time; nil when none runs.
    public var nextTimer: Duration? {
        guard snapshot.status == .running, let next = snapshot.armed.next else { return nil }
        return .milliseconds(next.time(notBefore: last).milliseconds)
    }

    /// Whether a state is active.
    public func isIn(_ state: M.StateName) -> Bool {
        typed.machine.state(atPath: state.rawValue).map { snapshot.configuration.contains($0) } ?? false
    }

    /// What it takes now, or could take with the right data.
    public var accepted: [M.EventName] {
        typed.events(of: typed.machine.accepted(in: snapshot, as: identity, at: last))
    }

    /// Whether it would take an event now; nil when that depends on the event's data.
    public func accepts(_ event: M.EventName) -> Bool? {
        let answers = typed.machine.acceptance(in: snapshot, as: identity, at: last)
        var isOpen = false
        for (descriptor, isAccepted) in answers where typed.matches(descriptor, event) {
            if isAccepted == true { return true }
            if isAccepted == nil { isOpen = true }
        }
        return isOpen ? nil : false
    }

    /// Takes an event: one macrostep, or nothing when it throws. What is due before is left to `takeNext`.
    @discardableResult
    public mutating func take(_ event: M.Event, at time: Duration = .zero) throws(Refusal<M>) -> Transition<M> {
        let move = try move(of: event, at: LogicalTime(time))
        keep(move)
        return move.transition
    }

    /// Takes the next that comes by itself: an event that the instance sent to itself, or a timer that is due by then.
    /// Nil when there is none.
    @discardableResult
    public mutating func takeNext(until time: Duration) -> Transition<M>? {
        guard let move = nextMove(until: LogicalTime(time)) else { return nil }
        keep(move)
        return move.transition
    }
}

/// A macrostep that is not kept yet.
struct Move<M: MachineDefinition> {
    let snapshot: Snapshot
    let time: LogicalTime
    let transition: Transition<M>
}

extension MachineValue {
    mutating func keep(_ move: Move<M>) {
        snapshot = move.snapshot
        last = move.time
        state = move.transition.state
        context = move.transition.context
        failure = move.transition.failure
    }

    /// Goes on without what would come next.
    mutating func dropNext() {
        guard let next = snapshot.armed.next else { return }
        snapshot.armed.removeAll { $0.id == next.id }
    }

    func move(of event: M.Event, at time: LogicalTime) throws(Refusal<M>) -> Move<M> {
        let encoded: EncodedEvent<M.EventName>
        do throws(MachineMismatch) { encoded = try event.encoded() } catch {
            throw Refusal(.invalidData, error.description)
        }
        return try move(of: encoded.name.rawValue, encoded.data, at: time)
    }

    func move(of name: String, _ data: JSONValue?, at time: LogicalTime) throws(Refusal<M>) -> Move<M> {
        let time = max(time, last)
        let event = Statechart.Event(name: name, data: data, at: time)
        switch typed.machine.apply(.event(event), to: snapshot, as: identity) {
        case .accepted(let macrostep):
            do throws(MachineMismatch) { return try move(by: name, macrostep, at: time) } catch {
                throw Refusal(.invalidData, "'\(name)' was undone: \(error)")
            }
        case .refused(let refusal), .failed(_, let refusal):
            let message = refusal.message(for: name, in: typed.machine, at: place)
            throw Refusal(Refusal<M>.Reason(refusal), message, accepted: accepted)
        }
    }

    func nextMove(until limit: LogicalTime) -> Move<M>? {
        guard snapshot.status == .running, let next = snapshot.armed.next, next.kind == .sent || next.due <= limit
        else { return nil }
        let time = next.time(notBefore: last)
        switch typed.machine.apply(.coming(next, at: time), to: snapshot, as: identity) {
        case .accepted(let macrostep):
            do throws(MachineMismatch) { return try move(by: next.event, macrostep, at: time) } catch {
                return failing(on: next, at: time, because: error.description)
            }
        case .refused(let refusal), .failed(_, let refusal):
            return failing(on: next, at: time, because: refusal.message(for: next.event, in: typed.machine))
        }
    }

    private var place: InstancePlace {
        InstancePlace(
            name: identity.name, paths: typed.machine.leafPaths(of: snapshot.configuration), seq: snapshot.seq)
    }

    private func move(by event: String, _ macrostep: Macrostep, at time: LogicalTime) throws(MachineMismatch) -> Move<M>
    {
        let after = macrostep.snapshot
        let isSame = after.context == snapshot.context
        let transition = Transition<M>(
            names: typed.names, before: snapshot.configuration, after: after.configuration, left: macrostep.exited,
            reached: macrostep.entered, event: event, seq: after.seq,
            state: try typed.state(after.configuration, after.context),
            context: isSame ? context : try typed.context(of: after.context), failure: nil)
        return Move(snapshot: after, time: time, transition: transition)
    }

    /// The instance fails on something that comes by itself, as the daemon's do: it stays armed.
    private func failing(on pending: Pending, at time: LogicalTime, because reason: String) -> Move<M> {
        var after = snapshot
        after.seq += 1
        after.status = .failed
        for index in after.armed.indices where after.armed[index].id == pending.id { after.armed[index].isKept = true }
        let transition = Transition<M>(
            names: typed.names, before: after.configuration, after: after.configuration, left: [], reached: [],
            event: pending.event, seq: after.seq, state: state, context: context, failure: reason)
        return Move(snapshot: after, time: time, transition: transition)
    }
}

extension LogicalTime {
    init(_ time: Duration) {
        self.init(milliseconds: time.wholeMilliseconds)
    }
}
