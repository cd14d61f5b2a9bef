package import WorkflowJSON

/// A pending item: it comes to its instance without a caller.
package struct Pending: Sendable, Equatable {
    /// The identity of an item among all that its instance ever armed.
    package struct ID: Hashable, Comparable, Sendable {
        /// The seq of the macrostep that armed the item.
        package let seq: Int64
        /// The item's number in its macrostep: 1, 2, … in the order of arming.
        package let number: Int

        package init(seq: Int64, number: Int) {
            self.seq = seq
            self.number = number
        }

        package static func < (lhs: ID, rhs: ID) -> Bool { (lhs.seq, lhs.number) < (rhs.seq, rhs.number) }
    }

    /// The cause that makes the item come.
    package enum Kind: String, Sendable, CaseIterable {
        /// The instance sent the event to itself without delay; the event precedes everything else that happens to the
        /// instance.
        case sent
        /// The item comes at its due time.
        case timer
        /// The item comes when an effect ends.
        case invocation
    }

    /// The cause that ends the item before it comes.
    package enum Owner: Sendable, Equatable {
        /// The item ends when the state is left.
        case state(StateIndex)
        /// The item ends by `cancel` of the id; `nil` if the item has no id.
        case send(id: String?)
    }

    package let id: ID
    package let kind: Kind
    package let event: String
    package let data: JSONValue?
    package let due: LogicalTime
    package let owner: Owner
    package let misfire: Misfire
    /// The size of the data in bytes, roughly as JSON.
    let dataBytes: Int
    /// True if the instance failed on the item, which waits until a person decides about it. A kept invocation has its
    /// result.
    package var isKept = false
    /// True if a person has set the context since the instance failed on the item. Eventless transitions are then tried
    /// before the item is taken again.
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
    /// The id of the invocation that the item ends, by a result or by its timeout; `nil` for every other item.
    package var invocation: String? { Self.invocation(of: event) }

    /// Returns the id of the invocation in an event's name; `nil` for every other event.
    package static func invocation(of event: String) -> String? {
        for prefix in [EventName.done, EventName.failed] where event.utf8.starts(with: prefix.utf8) {
            return String(event.dropFirst(prefix.count))
        }
        return nil
    }

    /// Returns the item as kept after the instance failed on it.
    func kept(as taken: Taken) -> Pending {
        var kept = Pending(
            id: id, kind: kind, event: taken.event.name, data: taken.event.data,
            due: kind == .invocation ? taken.event.at : due, owner: owner, misfire: misfire)
        kept.isKept = true
        kept.isUnsettled = isUnsettled
        return kept
    }

    /// The invocation without the event that ended it, on which the instance failed.
    var revived: Pending {
        Pending(
            id: id, kind: kind, event: EventName.done + (invocation ?? ""), data: nil, due: .zero, owner: owner,
            misfire: misfire)
    }

    /// The item without its data.
    var emptied: Pending {
        Pending(
            id: id, kind: kind, event: event, data: nil, due: due, owner: owner, misfire: misfire, isKept: isKept,
            isUnsettled: isUnsettled)
    }

    /// Returns true if one pending item comes before another. Sent events come first, then the earliest due time, then
    /// the item that was armed first.
    package static func comesBefore(_ one: Pending, _ other: Pending) -> Bool {
        if (one.kind == .sent) != (other.kind == .sent) { return one.kind == .sent }
        return (one.due, one.id) < (other.due, other.id)
    }

    /// Returns the item's logical time: its due time, but never earlier than the instance's last time.
    package func time(notBefore last: LogicalTime) -> LogicalTime { max(due, last) }

    /// Returns the milliseconds by which a timer that fires at a time is late; 0 for every other item.
    func lateness(at time: LogicalTime) -> Int64 {
        kind == .timer && time > due ? time.milliseconds - due.milliseconds : 0
    }
}

extension [Pending] {
    /// The item that comes next without outside action.
    package var next: Pending? {
        comingByItself.min(by: Pending.comesBefore)
    }

    /// The event that must precede every other; `nil` if no event was sent without delay.
    package var nextSent: Pending? { first { $0.kind == .sent } }

    /// The items that come without outside action.
    package var comingByItself: some Sequence<Pending> { lazy.filter { $0.kind != .invocation } }

    /// Returns the running invocation with an id; `nil` if there is none.
    package func invocation(_ id: String) -> Pending? {
        first { $0.kind == .invocation && $0.invocation == id }
    }

    /// The item that the instance failed on; `nil` if the instance has not failed.
    package var kept: Pending? { first(where: \.isKept) }
}

extension Macrostep {
    /// A change to rows that a macrostep requests in addition to its snapshot: an item or effect to add, or an item to
    /// end.
    package enum Request: Sendable, Equatable {
        case arm(Pending)
        case invoke(Pending, EffectRequest)
        /// An effect whose result no pending item awaits.
        case call(EffectRequest)
        /// The end of an item that an earlier macrostep armed.
        case cancel(Pending.ID)

        /// The id of the item that the request arms; `nil` for a call and for a cancellation.
        package var armed: Pending.ID? {
            switch self {
            case .arm(let pending), .invoke(let pending, _): pending.id
            case .call, .cancel: nil
            }
        }

        /// The effect that the request asks for; `nil` for a request that stays within the instance.
        package var effect: EffectRequest? {
            switch self {
            case .invoke(_, let request), .call(let request): request
            case .arm, .cancel: nil
            }
        }
    }
}

extension Pending.ID {
    /// Reads the invocation that a person's decision on an effect concerns; returns `nil` if the data name no valid id.
    ///
    /// - Parameter data: The data of the decision: `{id, invoke: {seq, number?}, …}`.
    init?(ofWord data: JSONValue?) {
        guard let invoke = data?.object?["invoke"]?.object, case .int(let seq)? = invoke["seq"],
            case .int(let number)? = invoke["number"], let number = Int(exactly: number)
        else { return nil }
        self.init(seq: seq, number: number)
    }
}
