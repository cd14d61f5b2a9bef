internal import Statechart

/// An instance without the types of a program: what the machine says, by itself.
struct UntypedInstance: Sendable {
    let machine: Machine
    let identity: InstanceIdentity
    /// The move that led to where it is.
    private(set) var position: UntypedMove

    /// What it is now.
    var snapshot: Snapshot { position.after }
    /// Of the last macrostep.
    var last: LogicalTime { position.time }
    /// Why it has failed; nil when it has not.
    var failure: String? { position.facts.failure }

    init(_ machine: Machine, _ identity: InstanceIdentity, at position: UntypedMove) {
        self.machine = machine
        self.identity = identity
        self.position = position
    }

    /// Starts one.
    static func start(
        _ machine: Machine, named name: String, version: Int64 = 1, data: JSONObject, at time: LogicalTime
    ) -> Result<UntypedInstance, Statechart.Refusal> {
        let identity = InstanceIdentity(name: name, version: version, startedAt: time)
        switch machine.apply(.start(with: data, at: time), to: nil, as: identity) {
        case .accepted(let macrostep):
            return .success(UntypedInstance(machine, identity, at: UntypedMove(to: macrostep.snapshot, at: time)))
        case .refused(let refusal), .failed(_, let refusal): return .failure(refusal)
        }
    }

    mutating func keep(_ move: UntypedMove) { position = move }

    /// Goes on without what would come next.
    mutating func dropNext() {
        var snapshot = snapshot
        guard let next = snapshot.armed.next else { return }
        snapshot.armed.removeAll { $0.id == next.id }
        position = UntypedMove(position.facts, snapshot, at: last)
    }
}

/// What a move was, by numbers of states. A class, because it never changes and goes from hand to hand.
final class MoveFacts: Sendable {
    let event: String
    let before: [StateIndex]
    let after: [StateIndex]
    let exited: [StateIndex]
    let entered: [StateIndex]
    let fromSeq: Int64
    let seq: Int64
    /// Why the instance has failed; nil when it took what came.
    let failure: String?

    init(
        event: String, before: [StateIndex], after: [StateIndex], exited: [StateIndex], entered: [StateIndex],
        fromSeq: Int64, seq: Int64, failure: String?
    ) {
        self.event = event
        self.before = before
        self.after = after
        self.exited = exited
        self.entered = entered
        self.fromSeq = fromSeq
        self.seq = seq
        self.failure = failure
    }
}

/// A macrostep that is not kept yet.
final class UntypedMove: Sendable {
    let facts: MoveFacts
    let after: Snapshot
    let time: LogicalTime

    init(_ facts: MoveFacts, _ after: Snapshot, at time: LogicalTime) {
        self.facts = facts
        self.after = after
        self.time = time
    }

    /// A start, or a place that was stored.
    convenience init(to snapshot: Snapshot, at time: LogicalTime, failure: String? = nil) {
        let configuration = snapshot.configuration
        let facts = MoveFacts(
            event: "init", before: [], after: configuration, exited: [], entered: configuration.filter { $0 != .root },
            fromSeq: snapshot.seq - 1, seq: snapshot.seq, failure: failure)
        self.init(facts, snapshot, at: time)
    }
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
        case .accepted(let macrostep): return move(by: event.name, macrostep, at: event.at)
        case .refused(let refusal), .failed(_, let refusal): throw refusal
        }
    }

    func move(of next: Pending) -> UntypedMove {
        let time = next.time(notBefore: last)
        switch machine.apply(.coming(next, at: time), to: position.after, as: identity) {
        case .accepted(let macrostep): return move(by: next.event, macrostep, at: time)
        case .refused(let refusal), .failed(_, let refusal):
            return failing(on: next, because: refusal.message(for: next.event, in: machine))
        }
    }

    /// It fails on something that comes by itself, as the daemon's do: that stays armed.
    func failing(on next: Pending, because reason: String) -> UntypedMove {
        var after = snapshot
        after.seq += 1
        after.status = .failed
        for index in after.armed.indices where after.armed[index].id == next.id { after.armed[index].isKept = true }
        let facts = MoveFacts(
            event: next.event, before: snapshot.configuration, after: snapshot.configuration, exited: [], entered: [],
            fromSeq: snapshot.seq, seq: after.seq, failure: reason)
        return UntypedMove(facts, after, at: next.time(notBefore: last))
    }

    private func move(by event: String, _ macrostep: Macrostep, at time: LogicalTime) -> UntypedMove {
        let facts = MoveFacts(
            event: event, before: snapshot.configuration, after: macrostep.snapshot.configuration,
            exited: macrostep.exited, entered: macrostep.entered, fromSeq: snapshot.seq, seq: macrostep.snapshot.seq,
            failure: nil)
        return UntypedMove(facts, macrostep.snapshot, at: time)
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
