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
        /// The end of an effect. No effects run yet, so none is armed.
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
    /// Whether the instance failed on it: it waits until somebody says what becomes of it.
    package var isKept = false

    package init(
        id: ID, kind: Kind, event: String, data: JSONValue?, due: LogicalTime, owner: Owner, misfire: Misfire = .fire
    ) {
        self.id = id
        self.kind = kind
        self.event = event
        self.data = data
        self.due = due
        self.owner = owner
        self.misfire = misfire
    }
}

extension Pending {
    /// The order in which armed things come: what was sent, then what is due first; of the same moment what was armed
    /// first.
    package static func comesBefore(_ one: Pending, _ other: Pending) -> Bool {
        if (one.kind == .sent) != (other.kind == .sent) { return one.kind == .sent }
        return (one.due, one.id) < (other.due, other.id)
    }

    /// The logical time at which it comes: when it is due, but an instance's time never goes back.
    package func time(notBefore last: LogicalTime) -> LogicalTime { max(due, last) }

    /// By how many milliseconds a timer comes too late to change anything; nil when it does not.
    func lateness(at time: LogicalTime) -> Int64? {
        guard kind == .timer, case .skip(let limit) = misfire else { return nil }
        let late = time.milliseconds - due.milliseconds
        return late > limit ? late : nil
    }
}

extension [Pending] {
    /// What comes next by itself.
    package var next: Pending? {
        lazy.filter { $0.kind != .invocation }.min(by: Pending.comesBefore)
    }

    /// The event that must come before any other; nil when nothing was sent without delay.
    package var nextSent: Pending? { first { $0.kind == .sent } }

    /// What the instance failed on; nil when it has not failed.
    package var kept: Pending? { first(where: \.isKept) }
}

extension Macrostep {
    /// What a macrostep asks for beyond its snapshot: what is to come, and what no longer.
    package enum Request: Sendable, Equatable {
        case arm(Pending)
        /// Something that an earlier macrostep armed.
        case cancel(Pending.ID)
    }
}
