internal import Statechart

/// An instance without the types of a program: what the machine says, by itself.
struct UntypedInstance: Sendable {
    let machine: Machine
    let identity: InstanceIdentity
    private(set) var snapshot: Snapshot
    /// Of the last macrostep.
    private(set) var last: LogicalTime
    /// Why it has failed; nil when it has not.
    private(set) var failure: String?

    init(
        _ machine: Machine, _ identity: InstanceIdentity, _ snapshot: Snapshot, last: LogicalTime, failure: String?
    ) {
        self.machine = machine
        self.identity = identity
        self.snapshot = snapshot
        self.last = last
        self.failure = failure
    }

    /// Starts one.
    static func start(
        _ machine: Machine, named name: String, version: Int64 = 1, data: JSONObject, at time: LogicalTime
    ) -> Result<UntypedInstance, Statechart.Refusal> {
        let identity = InstanceIdentity(name: name, version: version, startedAt: time)
        switch machine.apply(.start(with: data, at: time), to: nil, as: identity) {
        case .accepted(let macrostep):
            return .success(UntypedInstance(machine, identity, macrostep.snapshot, last: time, failure: nil))
        case .refused(let refusal), .failed(_, let refusal): return .failure(refusal)
        }
    }

    mutating func keep(_ move: UntypedMove) {
        snapshot = move.after
        last = move.time
        failure = move.failure
    }

    /// Goes on without what would come next.
    mutating func dropNext() {
        guard let next = snapshot.armed.next else { return }
        snapshot.armed.removeAll { $0.id == next.id }
    }
}

/// A macrostep that is not kept yet.
struct UntypedMove: Sendable {
    let event: String
    let before: [StateIndex]
    let after: Snapshot
    let exited: [StateIndex]
    let entered: [StateIndex]
    let time: LogicalTime
    /// Why the instance has failed; nil when it took what came.
    let failure: String?
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
        switch machine.apply(.event(event), to: snapshot, as: identity) {
        case .accepted(let macrostep): return move(by: event.name, macrostep, at: event.at)
        case .refused(let refusal), .failed(_, let refusal): throw refusal
        }
    }

    func move(of next: Pending) -> UntypedMove {
        let time = next.time(notBefore: last)
        switch machine.apply(.coming(next, at: time), to: snapshot, as: identity) {
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
        return UntypedMove(
            event: next.event, before: snapshot.configuration, after: after, exited: [], entered: [],
            time: next.time(notBefore: last), failure: reason)
    }

    private func move(by event: String, _ macrostep: Macrostep, at time: LogicalTime) -> UntypedMove {
        UntypedMove(
            event: event, before: snapshot.configuration, after: macrostep.snapshot, exited: macrostep.exited,
            entered: macrostep.entered, time: time, failure: nil)
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
