import Statechart
import WorkflowJSON

/// The list `armed` of an instance, as the rows of other tables that it requires.
package struct ArmedRows {
    /// An invocation, which completes when its effect ends.
    package struct Invocation: Hashable, Sendable {
        package let id: Position
        package let seq: Int64
        package let number: Int64
        package let name: String
        /// True if the invocation belongs to an event that the instance failed on.
        package let isKept: Bool
    }

    /// The timers that the instance waits for.
    package private(set) var timers: [TimerRecord] = []
    /// The invocations that the instance waits for.
    package private(set) var invocations: [Invocation] = []

    /// Reads the list of an instance; returns `nil` if it cannot be read.
    ///
    /// - Parameter armed: JSON, as in the record of the instance.
    package init?(_ armed: String, of instance: InstanceID) {
        if armed == "[]" { return }
        // A text that is not JSON is not a list either.
        guard case .array(let list)? = try? JSONReader.value(from: armed) else { return nil }
        for pending in list {
            guard let fields = pending.object, case .int(let number)? = fields["number"],
                case .int(let position)? = fields["position"]
            else { return nil }
            if fields["kind"] == "invocation" {
                guard case .int(let seq)? = fields["seq"], let name = fields["invoke"]?.string else { return nil }
                invocations.append(
                    Invocation(
                        id: Position(rawValue: position), seq: seq, number: number, name: name,
                        isKept: fields["kept"] == true))
                continue
            }
            guard case .int(let due)? = fields["due"], let event = fields["event"]?.string,
                fields["kind"]?.string.flatMap(Pending.Kind.init) != nil
            else { return nil }
            timers.append(
                TimerRecord(
                    key: TimerKey(
                        due: Timestamp(rawValue: due), position: Position(rawValue: position), ordinal: number),
                    instanceID: instance, event: event))
        }
    }
}

extension InstanceStatus {
    /// True if an instance of this status waits for the effects of its invocations.
    package var waitsForEffects: Bool {
        switch self {
        case .running, .failed, .suspended: true
        case .done, .cancelled, .purging: false
        }
    }
}
