package import WorkflowJSON

/// What happens to an instance: the meaning of a row of its journal.
///
/// A kind has one rule, in `Machine.apply`. Whatever makes a history, or goes through one, drives that function.
package enum Input: Sendable, Equatable {
    /// The instance begins; the event's data, an object or nil, replaces top-level keys of the machine's context.
    case started(Event)
    /// A caller's event.
    case event(Event)
    /// An event that the instance sent to itself without delay.
    case sent(Taken)
    /// A timer that is due.
    case timer(Taken)
    /// The end of an effect.
    case result(Taken)
    /// Something armed that cannot be taken: the instance fails on it.
    case failed(Taken)
    /// What the instance failed on, taken again on request.
    case retried(Taken)
    /// What the instance failed on is dropped on request.
    case skipped(Event)
    /// The instance takes nothing from now on.
    case suspended(Event)
    /// The end of a suspension.
    case resumed(Event)
    /// The instance ends on request.
    case cancelled(Event)
    /// The data says the instance whole.
    case reset(Event)
    /// The data says which keys of the context change.
    case set(Event)
    /// The instance goes over from the version that it had to the machine that takes this; the data says how.
    case migrated(Event, from: EarlierMachine)
    /// A person's word on an effect: the event is `retry`, `skip` or `cancel`, and the data says on which.
    case effect(Event)
    /// Data of earlier rows is gone; folding goes on from this row's snapshot.
    case redacted(Event)

    /// The names of the kinds, as they stand in journals.
    package enum Kind: String, Sendable, CaseIterable {
        case started, event, sent, timer, result, failed, retried, skipped, suspended, resumed, cancelled, reset, set
        case migrated, effect, redacted

        /// Whether the instance may run another version of its machine afterwards: the row belongs to that.
        package var changesMachine: Bool { self == .migrated || self == .reset }

        /// Whether nothing before the row is needed to know the instance behind it.
        package var saysInstanceAnew: Bool { changesMachine || self == .redacted }
    }

    /// What the row says of it: name, data and time.
    package var event: Event {
        switch self {
        case .started(let event), .event(let event), .skipped(let event), .suspended(let event), .resumed(let event),
            .cancelled(let event), .reset(let event), .set(let event), .migrated(let event, _), .effect(let event),
            .redacted(let event):
            event
        case .sent(let taken), .timer(let taken), .result(let taken), .failed(let taken), .retried(let taken):
            taken.event
        }
    }
}

/// Something armed that an instance takes.
package struct Taken: Sendable, Equatable {
    /// Which of `Snapshot.armed`.
    package let id: Pending.ID
    package let event: Event
    /// The clock's time: a timer may come too late to change anything.
    package let firedAt: LogicalTime

    /// - Parameters:
    ///   - at: The macrostep's logical time.
    ///   - firedAt: Nil when it is the same.
    package init(_ armed: Pending, at: LogicalTime, firedAt: LogicalTime? = nil) {
        id = armed.id
        event = Event(name: armed.event, data: armed.data, at: at)
        self.firedAt = firedAt ?? at
    }

    /// The end of an invocation.
    ///
    /// - Parameter result: Its event: `done.invoke.<id>` or `error.invoke.<id>`.
    package init(_ invocation: Pending, result: Event) {
        id = invocation.id
        event = result
        firedAt = result.at
    }
}

extension Input {
    /// The start of an instance.
    package static func start(with data: JSONObject = JSONObject(), at time: LogicalTime = .zero) -> Input {
        .started(Event(name: "init", data: data.isEmpty ? nil : .object(data), at: time))
    }

    /// Something armed whose time has come.
    package static func coming(_ armed: Pending, at: LogicalTime, firedAt: LogicalTime? = nil) -> Input {
        let taken = Taken(armed, at: at, firedAt: firedAt)
        switch armed.kind {
        case .sent: return .sent(taken)
        case .timer: return .timer(taken)
        case .invocation: return .result(taken)
        }
    }

    /// What it takes of what was armed; nil of what comes from outside.
    package var taken: Taken? {
        switch self {
        case .sent(let taken), .timer(let taken), .result(let taken), .failed(let taken), .retried(let taken): taken
        case .started, .event, .skipped, .suspended, .resumed, .cancelled, .reset, .set, .migrated, .effect, .redacted:
            nil
        }
    }

    /// Whether it takes something of what was armed; asked for every row, and without a copy of what that is.
    package var takesArmed: Bool {
        switch kind {
        case .sent, .timer, .result, .failed, .retried: true
        case .started, .event, .skipped, .suspended, .resumed, .cancelled, .reset, .set, .migrated, .effect, .redacted:
            false
        }
    }

    /// Whether it changes what is armed, whatever it asks for: it takes something, or the instance gets another list.
    package var changesArmed: Bool {
        switch kind {
        case .sent, .timer, .result, .failed, .retried, .migrated, .reset: true
        case .started, .event, .skipped, .suspended, .resumed, .cancelled, .set, .effect, .redacted: false
        }
    }

    /// The kind of the row that records it.
    package var kind: Kind {
        switch self {
        case .started: .started
        case .event: .event
        case .sent: .sent
        case .timer: .timer
        case .result: .result
        case .failed: .failed
        case .retried: .retried
        case .skipped: .skipped
        case .suspended: .suspended
        case .resumed: .resumed
        case .cancelled: .cancelled
        case .reset: .reset
        case .set: .set
        case .migrated: .migrated
        case .effect: .effect
        case .redacted: .redacted
        }
    }
}
