package import WorkflowJSON

/// Something that happens to an instance: the meaning of a row of its journal.
///
/// Each kind has one rule, in `Machine.apply`. All code that creates or reads a history calls that function.
package enum Input: Sendable, Equatable {
    /// The instance starts; the event's data, an object or `nil`, replace top-level keys of the machine's context.
    case started(Event)
    /// A caller sends an event.
    case event(Event)
    /// The instance takes an event that it sent to itself without delay.
    case sent(Taken)
    /// A timer is due.
    case timer(Taken)
    /// An effect ends.
    case result(Taken)
    /// A pending item cannot be taken; the instance fails on it.
    case failed(Taken)
    /// The instance again takes the item that it failed on, on request.
    case retried(Taken)
    /// The item that the instance failed on is dropped, on request.
    case skipped(Event)
    /// The instance is suspended, and takes nothing until it is resumed.
    case suspended(Event)
    /// A suspension ends.
    case resumed(Event)
    /// The instance ends on request.
    case cancelled(Event)
    /// The instance gets the complete state in the data.
    case reset(Event)
    /// The context changes as the data describe.
    case set(Event)
    /// The instance migrates from its earlier version to the machine that applies the input, as the data describe.
    case migrated(Event, from: EarlierMachine)
    /// A person decides about an effect: the event is `retry`, `skip` or `cancel`, and the data name the effect.
    case effect(Event)
    /// Data of earlier rows are erased; folding continues from this row's snapshot.
    case redacted(Event)

    /// The kinds of inputs, by their names in journals.
    package enum Kind: String, Sendable, CaseIterable {
        case started, event, sent, timer, result, failed, retried, skipped, suspended, resumed, cancelled, reset, set
        case migrated, effect, redacted

        /// True if the instance may run another machine version afterwards; the row then belongs to the new version.
        package var changesMachine: Bool { self == .migrated || self == .reset }

        /// True if the row alone determines the instance, without earlier rows.
        package var saysInstanceAnew: Bool { changesMachine || self == .redacted }
    }

    /// The event of the row: name, data and time.
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

/// A pending item that an instance takes.
package struct Taken: Sendable, Equatable {
    /// The id of the item in `Snapshot.armed`.
    package let id: Pending.ID
    package let event: Event
    /// The clock's time at which the item fires: a timer may be too late to have an effect.
    package let firedAt: LogicalTime

    /// - Parameters:
    ///   - at: The macrostep's logical time.
    ///   - firedAt: The clock's time; `nil` if it equals `at`.
    package init(_ armed: Pending, at: LogicalTime, firedAt: LogicalTime? = nil) {
        id = armed.id
        event = Event(name: armed.event, data: armed.data, at: at)
        self.firedAt = firedAt ?? at
    }

    /// Creates the end of an invocation.
    ///
    /// - Parameter result: The event of the result: `done.invoke.<id>` or `error.invoke.<id>`.
    package init(_ invocation: Pending, result: Event) {
        id = invocation.id
        event = result
        firedAt = result.at
    }
}

extension Input {
    /// Returns the input that starts an instance.
    package static func start(with data: JSONObject = JSONObject(), at time: LogicalTime = .zero) -> Input {
        .started(Event(name: "init", data: data.isEmpty ? nil : .object(data), at: time))
    }

    /// Returns the input for a pending item that is due.
    package static func coming(_ armed: Pending, at: LogicalTime, firedAt: LogicalTime? = nil) -> Input {
        let taken = Taken(armed, at: at, firedAt: firedAt)
        switch armed.kind {
        case .sent: return .sent(taken)
        case .timer: return .timer(taken)
        case .invocation: return .result(taken)
        }
    }

    /// The pending item that the input takes; `nil` for an input from outside.
    package var taken: Taken? {
        switch self {
        case .sent(let taken), .timer(let taken), .result(let taken), .failed(let taken), .retried(let taken): taken
        case .started, .event, .skipped, .suspended, .resumed, .cancelled, .reset, .set, .migrated, .effect, .redacted:
            nil
        }
    }

    /// True if the input itself changes the pending items, whatever the macrostep requests. Such an input takes an
    /// item, or replaces the whole list.
    package var changesArmed: Bool {
        switch kind {
        case .sent, .timer, .result, .failed, .retried, .migrated, .reset: true
        case .started, .event, .skipped, .suspended, .resumed, .cancelled, .set, .effect, .redacted: false
        }
    }

    /// The kind of the row that records the input.
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
