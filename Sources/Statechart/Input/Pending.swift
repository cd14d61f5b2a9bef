package import WorkflowJSON

/// Something armed: it will come to its instance by itself.
package struct Pending: Sendable, Equatable {
    /// Which it is, among all that its instance ever armed: the macrostep that armed it, and its place there.
    package struct ID: Hashable, Comparable, Sendable {
        /// Of the macrostep.
        package let seq: Int64
        /// 1, 2, … in the order in which the macrostep armed.
        package let number: Int

        package init(seq: Int64, number: Int) {
            self.seq = seq
            self.number = number
        }

        package static func < (lhs: ID, rhs: ID) -> Bool { (lhs.seq, lhs.number) < (rhs.seq, rhs.number) }
    }

    /// What makes it come.
    package enum Kind: String, Sendable, CaseIterable {
        /// The instance sent it to itself without delay: it comes before everything else that happens to the instance.
        case sent
        /// The time at which it is due.
        case timer
        /// The end of an effect.
        case invocation
    }

    /// What ends it before it comes.
    package enum Owner: Sendable, Equatable {
        /// Leaving the state.
        case state(StateIndex)
        /// `cancel` of the id; nil when it has none.
        case send(id: String?)
    }

    package let id: ID
    package let kind: Kind
    package let event: String
    package let data: JSONValue?
    package let due: LogicalTime
    package let owner: Owner
    package let misfire: Misfire
    /// Bytes of its data, roughly as JSON.
    let dataBytes: Int
    /// Whether the instance failed on it: it waits until somebody says what becomes of it. An invocation that is kept
    /// has its result.
    package var isKept = false
    /// Whether the context was set by hand since the instance failed on it: eventless transitions have their turn
    /// before it is taken again.
    package var isUnsettled = false

    package init(
        id: ID, kind: Kind, event: String, data: JSONValue?, due: LogicalTime, owner: Owner, misfire: Misfire = .fire,
        isKept: Bool = false, isUnsettled: Bool = false
    ) {
        self.isKept = isKept
        self.isUnsettled = isUnsettled
        self.id = id
        self.kind = kind
        self.event = event
        self.data = data
        self.due = due
        self.owner = owner
        self.misfire = misfire
        dataBytes = data?.bytes ?? 0
    }
}

extension Pending {
    /// The id of the invocation that it is the end of: by a result, or by its timeout. Nil for everything else.
    package var invocation: String? { Self.invocation(of: event) }

    /// The id of the invocation that an event tells of; nil for every other event.
    package static func invocation(of event: String) -> String? {
        for prefix in [EventName.done, EventName.failed] where event.utf8.starts(with: prefix.utf8) {
            return String(event.dropFirst(prefix.count))
        }
        return nil
    }

    /// The same, waiting because the instance failed when it took it.
    func kept(as taken: Taken) -> Pending {
        var kept = Pending(
            id: id, kind: kind, event: taken.event.name, data: taken.event.data,
            due: kind == .invocation ? taken.event.at : due, owner: owner, misfire: misfire)
        kept.isKept = true
        kept.isUnsettled = isUnsettled
        return kept
    }

    /// The invocation as it was before it ended with the event that the instance failed on.
    var revived: Pending {
        Pending(
            id: id, kind: kind, event: EventName.done + (invocation ?? ""), data: nil, due: .zero, owner: owner,
            misfire: misfire)
    }

    /// The same without its data.
    var emptied: Pending {
        Pending(
            id: id, kind: kind, event: event, data: nil, due: due, owner: owner, misfire: misfire, isKept: isKept,
            isUnsettled: isUnsettled)
    }

    /// The order in which armed things come: what was sent, then what is due first; of the same moment what was armed
    /// first.
    package static func comesBefore(_ one: Pending, _ other: Pending) -> Bool {
        if (one.kind == .sent) != (other.kind == .sent) { return one.kind == .sent }
        return (one.due, one.id) < (other.due, other.id)
    }

    /// The logical time at which it comes: when it is due, but an instance's time never goes back.
    package func time(notBefore last: LogicalTime) -> LogicalTime { max(due, last) }

    /// The milliseconds by which a timer that fires at a time is late; 0 for anything but a timer.
    func lateness(at time: LogicalTime) -> Int64 {
        kind == .timer && time > due ? time.milliseconds - due.milliseconds : 0
    }
}

extension [Pending] {
    /// What comes next by itself.
    package var next: Pending? {
        comingByItself.min(by: Pending.comesBefore)
    }

    /// The event that must come before any other; nil when nothing was sent without delay.
    package var nextSent: Pending? { first { $0.kind == .sent } }

    /// What comes by itself, without anybody outside.
    package var comingByItself: some Sequence<Pending> { lazy.filter { $0.kind != .invocation } }

    /// What runs outside under an id; nil when nothing does.
    package func invocation(_ id: String) -> Pending? {
        first { $0.kind == .invocation && $0.invocation == id }
    }

    /// What the instance failed on; nil when it has not failed.
    package var kept: Pending? { first(where: \.isKept) }
}

extension Macrostep {
    /// What a macrostep asks for beyond its snapshot: what is to come, and what no longer.
    package enum Request: Sendable, Equatable {
        case arm(Pending)
        case invoke(Pending, EffectRequest)
        /// An effect that nothing of the snapshot waits for.
        case call(EffectRequest)
        /// Something that an earlier macrostep armed.
        case cancel(Pending.ID)

        /// What it arms; nil when it ends something, and of a call.
        package var armed: Pending.ID? {
            switch self {
            case .arm(let pending), .invoke(let pending, _): pending.id
            case .call, .cancel: nil
            }
        }

        /// What it asks of the world; nil for what stays within the instance.
        package var effect: EffectRequest? {
            switch self {
            case .invoke(_, let request), .call(let request): request
            case .arm, .cancel: nil
            }
        }
    }
}

extension Pending.ID {
    /// The invocation that a person's word on an effect is about; nil where it is about none that could be armed.
    ///
    /// - Parameter data: Of the word: `{id, invoke: {seq, number?}, …}`.
    init?(ofWord data: JSONValue?) {
        guard let invoke = data?.object?["invoke"]?.object, case .int(let seq)? = invoke["seq"],
            case .int(let number)? = invoke["number"], let number = Int(exactly: number)
        else { return nil }
        self.init(seq: seq, number: number)
    }
}
