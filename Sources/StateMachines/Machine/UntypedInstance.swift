internal import Statechart

/// An instance without the types of a program: what the machine says, by itself.
@usableFromInline
struct UntypedInstance: Sendable {
    private let origin: Origin
    /// The move that led to where it is.
    @usableFromInline private(set) var position: UntypedMove

    /// What never changes. A class, so that a copy is two references.
    private final class Origin: Sendable {
        let machine: Machine
        let identity: InstanceIdentity

        init(_ machine: Machine, _ identity: InstanceIdentity) {
            self.machine = machine
            self.identity = identity
        }
    }

    var machine: Machine { origin.machine }
    var identity: InstanceIdentity { origin.identity }
    /// What it is now.
    var snapshot: Snapshot { position.after }
    /// Of the last macrostep.
    var last: LogicalTime { position.time }
    /// Why it has failed; nil when it has not.
    var failure: String? { position.failure }

    init(_ machine: Machine, _ identity: InstanceIdentity, at position: UntypedMove) {
        origin = Origin(machine, identity)
        self.position = position
    }

    /// Starts one.
    static func start(
        _ machine: Machine, named name: String, version: Int64 = 1, data: JSONObject, at time: LogicalTime
    ) -> Result<UntypedInstance, Statechart.Refusal> {
        let identity = InstanceIdentity(name: name, version: version, startedAt: time)
        switch machine.apply(.start(with: data, at: time), to: nil, as: identity) {
        case .accepted(let macrostep):
            let position = UntypedMove(to: macrostep.snapshot, requests: macrostep.requests, at: time)
            return .success(UntypedInstance(machine, identity, at: position))
        case .refused(let refusal), .failed(_, let refusal): return .failure(refusal)
        }
    }

    @usableFromInline
    mutating func keep(_ move: UntypedMove) { position = move }

    /// The same at a later time, by when nothing has come.
    func at(_ time: LogicalTime) -> UntypedInstance {
        var later = self
        later.position = UntypedMove(position, at: max(time, last))
        return later
    }

    /// Goes on without what would come next.
    mutating func dropNext() {
        var snapshot = snapshot
        guard let next = snapshot.armed.next else { return }
        snapshot.armed.removeAll { $0.id == next.id }
        let macrostep = Macrostep(snapshot: snapshot, exited: position.exited, entered: position.entered)
        position = UntypedMove(
            position.event, from: position.before, fromSeq: position.fromSeq, by: macrostep, at: last, failure: failure)
    }
}

/// A macrostep and what a program sees of it, by numbers of states. A class, because it never changes and goes from
/// hand to hand.
@usableFromInline
final class UntypedMove: Sendable {
    let event: String
    let before: [StateIndex]
    private let macrostep: Macrostep
    let fromSeq: Int64
    let time: LogicalTime
    /// Why the instance has failed; nil when it took what came.
    let failure: String?

    init(
        _ event: String, from before: [StateIndex], fromSeq: Int64, by macrostep: Macrostep, at time: LogicalTime,
        failure: String? = nil
    ) {
        self.event = event
        self.before = before
        self.macrostep = macrostep
        self.fromSeq = fromSeq
        self.time = time
        self.failure = failure
    }

    var after: Snapshot { macrostep.snapshot }
    /// The states that were left and entered, in order.
    var exited: [StateIndex] { macrostep.exited }
    var entered: [StateIndex] { macrostep.entered }
    /// What is to come, and what no longer.
    var requests: [Macrostep.Request] { macrostep.requests }

    /// A start, or a place that was stored.
    convenience init(
        to snapshot: Snapshot, requests: [Macrostep.Request] = [], at time: LogicalTime, failure: String? = nil
    ) {
        let entered = snapshot.configuration.filter { $0 != .root }
        self.init(
            "init", from: [], fromSeq: snapshot.seq - 1,
            by: Macrostep(snapshot: snapshot, entered: entered, requests: requests), at: time, failure: failure)
    }

    /// The same place at another time.
    convenience init(_ other: UntypedMove, at time: LogicalTime) {
        self.init(
            other.event, from: other.before, fromSeq: other.fromSeq, by: other.macrostep, at: time,
            failure: other.failure)
    }

    /// What a host tells of a move.
    convenience init(
        _ event: String, from before: [StateIndex], to after: [StateIndex], exited: [StateIndex],
        entered: [StateIndex], fromSeq: Int64, seq: Int64, context: JSONObject, failure: String?
    ) {
        let snapshot = Snapshot(seq: seq, status: .running, configuration: after, context: context, memory: [])
        self.init(
            event, from: before, fromSeq: fromSeq,
            by: Macrostep(snapshot: snapshot, exited: exited, entered: entered), at: .zero, failure: failure)
    }

    /// Both as one.
    convenience init(_ first: UntypedMove, followedBy next: UntypedMove) {
        let macrostep = Macrostep(
            snapshot: next.after, exited: first.exited + next.exited, entered: first.entered + next.entered)
        self.init(
            first.event, from: first.before, fromSeq: first.fromSeq, by: macrostep, at: next.time,
            failure: next.failure)
    }

    /// The number of the innermost active state.
    @usableFromInline var leaf: Int { after.configuration.last?.offset ?? 0 }
    @usableFromInline var context: JSONObject { after.context }
}

/// Why an event was not taken.
@usableFromInline
struct UntypedRefusal: Error {
    let refusal: Statechart.Refusal
}

// What programs have compiled into them sees no more of an instance than this.
extension UntypedInstance {
    /// Whether something will come by itself.
    @usableFromInline var isArmed: Bool { !position.after.armed.isEmpty }

    @usableFromInline
    func move(of name: String, _ data: JSONValue?, at milliseconds: Int64) throws(UntypedRefusal) -> UntypedMove {
        do throws(Statechart.Refusal) {
            return try move(of: name, data, at: LogicalTime(milliseconds: milliseconds))
        } catch {
            throw UntypedRefusal(refusal: error)
        }
    }

    /// Whether a move changes the context.
    @usableFromInline
    func changesContext(_ move: UntypedMove) -> Bool { move.after.context != position.after.context }
}

extension UntypedInstance {
    /// When the next comes by itself; nil when nothing does.
    var nextTime: LogicalTime? {
        guard snapshot.status == .running, let next = snapshot.armed.next else { return nil }
        return next.time(notBefore: last)
    }

    /// What comes by itself until a time.
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
        case .accepted(let macrostep): return move(by: name, macrostep, at: event.at)
        case .refused(let refusal), .failed(_, let refusal): throw refusal
        }
    }

    func move(of next: Pending) -> UntypedMove {
        move(by: .coming(next, at: next.time(notBefore: last)))
    }

    /// The end of an invocation.
    func move(of invocation: Pending, ending event: String, with data: JSONValue?, at time: LogicalTime) -> UntypedMove
    {
        let result = Statechart.Event(name: event, data: data, at: max(time, last))
        return move(by: .result(Taken(invocation, result: result)))
    }

    /// What nobody can be told of: the instance takes it, or fails on it.
    private func move(by input: Input) -> UntypedMove {
        let event = input.event
        switch machine.apply(input, to: position.after, as: identity) {
        case .accepted(let macrostep): return move(by: event.name, macrostep, at: event.at)
        case .failed(let macrostep, let refusal):
            return UntypedMove(
                event.name, from: snapshot.configuration, fromSeq: snapshot.seq, by: macrostep, at: event.at,
                failure: refusal.message(for: event.name, in: machine))
        case .refused: preconditionFailure("what is armed is taken while the instance runs, or fails")
        }
    }

    /// It fails on something that comes by itself although the machine takes it: that stays armed.
    func failing(on next: Pending, because reason: String) -> UntypedMove {
        var after = snapshot
        after.seq += 1
        after.status = .failed
        for index in after.armed.indices where after.armed[index].id == next.id { after.armed[index].isKept = true }
        return UntypedMove(
            next.event, from: snapshot.configuration, fromSeq: snapshot.seq, by: Macrostep(snapshot: after),
            at: next.time(notBefore: last), failure: reason)
    }

    private func move(by event: String, _ macrostep: Macrostep, at time: LogicalTime) -> UntypedMove {
        UntypedMove(event, from: snapshot.configuration, fromSeq: snapshot.seq, by: macrostep, at: time)
    }
}

extension UntypedInstance {
    /// What it would say to each event now; nil where that depends on the event's data.
    var acceptance: [(descriptor: String, isAccepted: Bool?)] {
        machine.acceptance(in: snapshot, as: identity, at: last)
    }

    /// The descriptors of events that it takes now, or could take with the right data.
    var accepted: [String] { machine.accepted(in: snapshot, as: identity, at: last) }

    /// Why it refused an event, as the daemon says it.
    func message(of refusal: Statechart.Refusal, for event: String) -> String {
        refusal.message(for: event, in: machine, at: place)
    }

    /// Where it is, in messages.
    var place: InstancePlace {
        InstancePlace(name: identity.name, paths: machine.leafPaths(of: snapshot.configuration), seq: snapshot.seq)
    }
}
