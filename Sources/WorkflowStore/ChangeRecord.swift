import Statechart

/// The record of a change that belongs to no instance's history, such as a new machine version.
package struct ChangeRecord: Sendable, Equatable {
    /// The position in the order of changes and deletions; no journal row has it.
    package var position: Position
    package var namespace: NamespaceID
    /// The clock's time, not before that of any earlier row.
    package var at: Timestamp
    /// The caller who made the change; `nil` if unknown.
    package var actor: Actor?
    package var action: ChangeAction
    /// The name of the changed machine, queue, run or token; `nil` if the action has none.
    package var object: String?
    /// The machine version that was applied or activated; `nil` for other actions.
    package var version: MachineVersion?
    /// The number of a change of tokens, which increases; `nil` for other actions.
    package var number: Int64?
    /// The change in words, for people.
    package var detail: String?
    package var reason: String?

    package init(
        position: Position, namespace: NamespaceID, at: Timestamp, by actor: Actor?, _ action: ChangeAction,
        of object: String? = nil, version: MachineVersion? = nil, number: Int64? = nil, detail: String? = nil,
        reason: String? = nil
    ) {
        self.position = position
        self.namespace = namespace
        self.at = at
        self.actor = actor
        self.action = action
        self.object = object
        self.version = version
        self.number = number
        self.detail = detail
        self.reason = reason
    }

    /// The range of numbers of changes of tokens.
    package static let numbers = 0...StoreNumbers.range.upperBound

    /// True if the record has the values that its action requires, and no others.
    package var isPlausible: Bool {
        let hasObject = object.map { !$0.isEmpty } ?? false
        return switch action {
        case .apply: hasObject && version != nil && number == nil
        case .activate: hasObject && number == nil
        case .suspend, .resume, .retention, .queue, .runBegin, .runStop, .runResume:
            hasObject && version == nil && number == nil
        case .hold, .release, .backup, .clock: object == nil && version == nil && number == nil
        case .token: hasObject && version == nil && number != nil
        }
    }
}

/// The kind of a recorded change.
package enum ChangeAction: String, Sendable, CaseIterable {
    /// A new machine version was applied.
    case apply
    /// Another machine version is active.
    case activate
    /// A machine was suspended.
    case suspend
    /// A machine was resumed.
    case resume
    /// The retention of a machine's finished instances was changed.
    case retention
    /// The settings of a queue were changed.
    case queue
    /// All effects were held.
    case hold
    /// All effects were released.
    case release
    /// A run over many instances was begun.
    case runBegin = "run-begin"
    /// A run was stopped.
    case runStop = "run-stop"
    /// A run was resumed.
    case runResume = "run-resume"
    /// A backup was fetched.
    case backup
    /// The clock was moved, or an earlier time was accepted.
    case clock
    /// The tokens were changed.
    case token

    /// True if the object is a machine.
    package var isOfMachine: Bool {
        switch self {
        case .apply, .activate, .suspend, .resume, .retention: true
        case .queue, .hold, .release, .runBegin, .runStop, .runResume, .backup, .clock, .token: false
        }
    }
}

extension ChangeRecord {
    /// Creates the record that a store's clock begins anew at an earlier time.
    ///
    /// - Parameter numbers: The numbers before the change.
    package init(acceptingClock now: Timestamp, by actor: Actor?, after numbers: StoreNumbers) {
        self.init(
            position: numbers.nextPosition, namespace: .default, at: now, by: actor, .clock,
            detail: "accepted: \(now.text), after \(numbers.last.text)")
    }
}

extension Timestamp {
    /// The time in ISO 8601, in UTC.
    fileprivate var text: String { LogicalTime(milliseconds: rawValue).text }
}
