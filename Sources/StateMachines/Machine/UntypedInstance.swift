internal import Statechart

/// An instance without the types of a program.
@usableFromInline
struct UntypedInstance: Sendable {
    private let origin: Origin
    /// The move that led to the current position.
    @usableFromInline private(set) var position: UntypedMove

    /// The part that never changes. A class, so that copying an instance copies two references.
    private final class Origin: Sendable {
        let machine: Machine
        let identity: InstanceIdentity
        let table: FlatTable?

        init(_ machine: Machine, _ identity: InstanceIdentity, _ table: FlatTable?) {
            self.machine = machine
            self.identity = identity
            self.table = table
        }
    }

    var machine: Machine { origin.machine }
    var identity: InstanceIdentity { origin.identity }
    /// The current snapshot.
    var snapshot: Snapshot { position.after }
    /// The time of the last macrostep.
    var last: LogicalTime { position.time }
    /// The failure; `nil` if the instance has not failed.
    var failure: String? { position.failure }

    /// - Parameter table: The outcomes that callers need not wait for the step to compute.
    init(_ machine: Machine, _ identity: InstanceIdentity, at position: UntypedMove, table: FlatTable? = nil) {
        origin = Origin(machine, identity, table)
        self.position = position
    }

    /// Starts an instance.
    static func start(
        _ machine: Machine, named name: String, version: Int64 = 1, data: JSONObject, at time: LogicalTime,
        table: FlatTable? = nil
    ) -> Result<UntypedInstance, Statechart.Refusal> {
        let identity = InstanceIdentity(name: name, version: version, startedAt: time)
        switch machine.apply(.start(with: data, at: time), to: nil, as: identity) {
        case .accepted(let macrostep):
            let position = UntypedMove(to: macrostep.snapshot, requests: macrostep.requests, at: time)
            return .success(UntypedInstance(machine, identity, at: position, table: table))
        case .refused(let refusal), .failed(_, let refusal): return .failure(refusal)
        }
    }

    @usableFromInline
    mutating func keep(_ move: UntypedMove) { position = move }

    /// Returns the instance at a later time, before which nothing is due.
    func at(_ time: LogicalTime) -> UntypedInstance {
        var later = self
        later.position = UntypedMove(position, at: max(time, last))
        return later
    }

    /// Drops the next pending item.
    mutating func dropNext() {
        var snapshot = snapshot
        guard let next = snapshot.armed.next else { return }
        snapshot.armed.removeAll { $0.id == next.id }
        let macrostep = Macrostep(snapshot: snapshot, exited: position.exited, entered: position.entered)
        position = UntypedMove(
            position.event, position.data, from: position.before, to: snapshot, fromSeq: position.fromSeq,
            by: macrostep, at: last, failure: failure)
    }
}

/// A macrostep with the state indices that a program needs. A class, because a move never changes and is passed around.
@usableFromInline
final class UntypedMove: Sendable {
    let event: String
    /// The data of the event; `nil` if it has none.
    let data: JSONValue?
    let before: [StateIndex]
    /// The instance after the move.
    let after: Snapshot
    private let macrostep: Macrostep
    let fromSeq: Int64
    let time: LogicalTime
    /// The failure; `nil` if the instance took the event.
    let failure: String?

    /// - Parameter after: The instance after the move. The snapshot of a macrostep that is repeated is another one's.
    init(
        _ event: String, _ data: JSONValue? = nil, from before: [StateIndex], to after: Snapshot, fromSeq: Int64,
        by macrostep: Macrostep, at time: LogicalTime, failure: String? = nil
    ) {
        self.after = after
        self.event = event
        self.data = data
        self.before = before
        self.macrostep = macrostep
        self.fromSeq = fromSeq
        self.time = time
        self.failure = failure
    }

    /// The states that were left and entered, in order.
    var exited: [StateIndex] { macrostep.exited }
    var entered: [StateIndex] { macrostep.entered }
    /// The events that the macrostep emitted, in order.
    var emitted: [Statechart.Event] { macrostep.emitted }
    /// The effects that the macrostep requests or cancels.
    var requests: [Macrostep.Request] { macrostep.requests }

    /// Creates the move of a start, or of a stored position.
    convenience init(
        from before: [StateIndex] = [], to snapshot: Snapshot, requests: [Macrostep.Request] = [],
        at time: LogicalTime, failure: String? = nil
    ) {
        let entered = snapshot.configuration.filter { $0 != .root }
        self.init(
            "init", from: before, to: snapshot, fromSeq: snapshot.seq - 1,
            by: Macrostep(snapshot: snapshot, entered: entered, requests: requests), at: time, failure: failure)
    }

    /// Creates a copy of a move with another time.
    convenience init(_ other: UntypedMove, at time: LogicalTime) {
        self.init(
            other.event, other.data, from: other.before, to: other.after, fromSeq: other.fromSeq,
            by: other.macrostep, at: time, failure: other.failure)
    }

    /// Creates a move from a host's report.
    convenience init(
        _ event: String, _ data: JSONValue?, from before: [StateIndex], to after: [StateIndex], exited: [StateIndex],
        entered: [StateIndex], fromSeq: Int64, seq: Int64, context: JSONObject, failure: String?
    ) {
        let snapshot = Snapshot(seq: seq, status: .running, configuration: after, context: context, memory: [])
        self.init(
            event, data, from: before, to: snapshot, fromSeq: fromSeq,
            by: Macrostep(snapshot: snapshot, exited: exited, entered: entered), at: .zero, failure: failure)
    }

    /// Combines two moves.
    convenience init(_ first: UntypedMove, followedBy next: UntypedMove) {
        let macrostep = Macrostep(
            snapshot: next.after, exited: first.exited + next.exited, entered: first.entered + next.entered,
            emitted: first.emitted + next.emitted)
        self.init(
            first.event, first.data, from: first.before, to: next.after, fromSeq: first.fromSeq, by: macrostep,
            at: next.time, failure: next.failure)
    }

    /// The index of the innermost active state.
    @usableFromInline var leaf: Int { after.configuration.last?.offset ?? 0 }
    @usableFromInline var context: JSONObject { after.context }
}

/// The reason that an event was not taken.
@usableFromInline
struct UntypedRefusal: Error {
    let refusal: Statechart.Refusal
}

// Inlined code of programs uses only these members of an instance.
extension UntypedInstance {
    /// True if the instance has a pending item.
    @usableFromInline var isArmed: Bool { !position.after.armed.isEmpty }

    @usableFromInline
    func move(of name: String, _ data: JSONValue?, at milliseconds: Int64) throws(UntypedRefusal) -> UntypedMove {
        switch flatOutcome(of: name) {
        case .accepted(let macrostep): return move(of: name, data, repeating: macrostep, at: milliseconds)
        case .refused(let refusal): throw UntypedRefusal(refusal: refusal)
        case .failed, nil: break
        }
        do throws(Statechart.Refusal) {
            return try move(of: name, data, at: LogicalTime(milliseconds: milliseconds))
        } catch {
            throw UntypedRefusal(refusal: error)
        }
    }

    /// Returns the outcome of an event if the table has it.
    private func flatOutcome(of event: String) -> Outcome? {
        guard let table = origin.table, position.after.status == .running, position.after.armed.isEmpty,
            let leaf = position.after.configuration.last
        else { return nil }
        return table.outcome(of: event, in: leaf)
    }

    /// Returns the move by a macrostep of the table.
    private func move(
        of name: String, _ data: JSONValue?, repeating macrostep: Macrostep, at milliseconds: Int64
    ) -> UntypedMove {
        var after = position.after
        after.seq += 1
        after.configuration = macrostep.snapshot.configuration
        let time = LogicalTime(milliseconds: max(milliseconds, position.time.milliseconds))
        return UntypedMove(
            name, data, from: position.after.configuration, to: after, fromSeq: position.after.seq, by: macrostep,
            at: time)
    }

    /// Returns whether the instance takes an event now; `nil` if the answer depends on the event's data.
    @usableFromInline
    func accepts(_ event: String) -> Bool? {
        switch flatOutcome(of: event) {
        case .accepted: true
        case .refused: false
        case .failed, nil: machine.accepts(event, in: position.after, as: identity, at: last)
        }
    }

    /// Returns true if a move changes the context.
    @usableFromInline
    func changesContext(_ move: UntypedMove) -> Bool { move.after.context != position.after.context }
}

extension UntypedInstance {
    /// The time of the next pending item; `nil` if there is none.
    var nextTime: LogicalTime? {
        guard snapshot.status == .running, let next = snapshot.armed.next else { return nil }
        return next.time(notBefore: last)
    }

    /// Returns the next pending item up to a time.
    func next(until limit: LogicalTime) -> Pending? {
        guard snapshot.status == .running, let next = snapshot.armed.next, next.kind == .sent || next.due <= limit
        else { return nil }
        return next
    }

    func move(
        of name: String, _ data: JSONValue?, at time: LogicalTime
    ) throws(Statechart.Refusal) -> UntypedMove {
        let event = Statechart.Event(name: name, data: data, at: max(time, last))
        switch machine.apply(.event(event), to: position.after, as: identity) {
        case .accepted(let macrostep): return move(by: event, macrostep)
        case .refused(let refusal), .failed(_, let refusal): throw refusal
        }
    }

    func move(of next: Pending) -> UntypedMove {
        move(by: .coming(next, at: next.time(notBefore: last)))
    }

    /// Returns the move by the end of an invocation.
    func move(of invocation: Pending, ending event: String, with data: JSONValue?, at time: LogicalTime) -> UntypedMove
    {
        let result = Statechart.Event(name: event, data: data, at: max(time, last))
        return move(by: .result(Taken(invocation, result: result)))
    }

    /// Returns the move by a pending item. Nobody could receive a refusal, so the instance takes the item or fails on
    /// it.
    private func move(by input: Input) -> UntypedMove {
        let event = input.event
        switch machine.apply(input, to: position.after, as: identity) {
        case .accepted(let macrostep): return move(by: event, macrostep)
        case .failed(let macrostep, let refusal):
            return UntypedMove(
                event.name, event.data, from: snapshot.configuration, to: macrostep.snapshot, fromSeq: snapshot.seq,
                by: macrostep, at: event.at, failure: refusal.message(for: event.name, in: machine))
        case .refused: preconditionFailure("what is armed is taken while the instance runs, or fails")
        }
    }

    /// Returns the move of an instance that fails on a pending item although the machine takes it. The item stays
    /// armed.
    func failing(on next: Pending, because reason: String) -> UntypedMove {
        var after = snapshot
        after.seq += 1
        after.status = .failed
        for index in after.armed.indices where after.armed[index].id == next.id { after.armed[index].isKept = true }
        return UntypedMove(
            next.event, from: snapshot.configuration, to: after, fromSeq: snapshot.seq,
            by: Macrostep(snapshot: after), at: next.time(notBefore: last), failure: reason)
    }

    private func move(by event: Statechart.Event, _ macrostep: Macrostep) -> UntypedMove {
        UntypedMove(
            event.name, event.data, from: snapshot.configuration, to: macrostep.snapshot, fromSeq: snapshot.seq,
            by: macrostep, at: event.at)
    }
}

extension UntypedInstance {
    /// The descriptors of the events that the instance takes now, or could take with suitable data.
    var accepted: [String] { machine.accepted(in: snapshot, as: identity, at: last) }

    /// Returns true if an event leads into a state. If a guard on the way reads the event, a transition that leads
    /// there is enough.
    func enters(_ state: StateIndex, by event: String) -> Bool {
        let transitions = snapshot.configuration.flatMap { machine[$0].transitions(of: event) }.map { machine[$0] }
        if transitions.contains(where: { $0.condition?.readsEvent == true }) {
            return transitions.contains { $0.targets.contains { enters(state, by: $0) } }
        }
        // As if the instance had sent the event: from a caller it would need data of the declared type.
        let sent = Pending(
            id: .init(seq: .max, number: 0), kind: .sent, event: event, data: nil, due: last,
            owner: .send(id: nil))
        var asked = snapshot
        asked.armed.append(sent)
        if case .accepted(let step) = machine.apply(.coming(sent, at: last), to: asked, as: identity) {
            return step.entered.contains(state)
        }
        // An action reads data that this question does not have.
        return transitions.contains { $0.targets.contains { enters(state, by: $0) } }
    }

    /// Returns true if the way into a target enters a state: the target, an ancestor that is not active, or a state
    /// that is entered with the target.
    private func enters(_ state: StateIndex, by target: StateIndex) -> Bool {
        if state == target { return true }
        let isOutside = machine[state].isProperAncestor(of: target)
        if isOutside { return !snapshot.configuration.contains(state) }
        let below = machine[target].kind == .parallel ? machine[target].children : machine[target].initial?.targets
        return below?.contains { enters(state, by: $0) } ?? false
    }

    /// Returns the daemon's text for the refusal of an event.
    func message(of refusal: Statechart.Refusal, for event: String) -> String {
        refusal.message(for: event, in: machine, at: place)
    }

    /// The position of the instance, for messages.
    var place: InstancePlace {
        InstancePlace(name: identity.name, paths: machine.leafPaths(of: snapshot.configuration), seq: snapshot.seq)
    }
}

extension State {
    /// Returns the state's transitions for an event.
    fileprivate func transitions(of event: String) -> [TransitionIndex] {
        (candidates.exact[event] ?? []) + candidates.prefixes.filter { $0.matches(event) }.flatMap(\.transitions)
            + candidates.any
    }
}
